"""The component around `contract.verification`: all that knows of WebAssembly."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import types

import contract


class VerificationProtocol(exports.VerificationProtocol):
    def parse(self, text):
        try:
            report = contract.verification(text)
        except contract.Violation as violation:
            raise Err(types.Violation(violation.path, violation.message))
        verdict, facts = types.Verdict[report["verdict"]], [_fact(fact) for fact in report["facts"]]
        return types.VerificationReport(**{**report, "verdict": verdict, "facts": facts})


def _fact(fact):
    return types.CheckedFact(**{**fact, "verification": types.Verification[fact["verification"].upper()]})
