"""The component around `contract.evidence`: all that knows of WebAssembly."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import types

import contract


class EvidenceProtocol(exports.EvidenceProtocol):
    def parse(self, text):
        try:
            evidence = contract.evidence(text)
        except contract.Violation as violation:
            raise Err(types.Violation(violation.path, violation.message))
        claims = [_claim(claim) for claim in evidence["claims"]]
        return types.Evidence(claims, evidence["hypotheses"], evidence["limitations"])


def _claim(claim):
    bindings = [types.Binding(**binding) for binding in claim["evidence_bindings"]]
    return types.Claim(claim["claim_id"], claim["text"], bindings)
