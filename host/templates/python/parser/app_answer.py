"""The component around `contract.answer`: all that knows of WebAssembly."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import types

import contract


class AnswerProtocol(exports.AnswerProtocol):
    def parse(self, text):
        try:
            return types.Answer(**contract.answer(text))
        except contract.Violation as violation:
            raise Err(types.Violation(violation.path, violation.message))
