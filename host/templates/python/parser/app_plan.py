"""The component around `contract.plan`: all that knows of WebAssembly."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import types

import contract


class PlanProtocol(exports.PlanProtocol):
    def parse(self, text):
        try:
            plan = contract.plan(text)
        except contract.Violation as violation:
            raise Err(types.Violation(violation.path, violation.message))
        return types.Plan([types.PlanStep(**step) for step in plan["steps"]])
