"""The component around `adapter.prepare`: all that knows of WebAssembly."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import invoker

import adapter
from report import reports


class {{Export}}(exports.{{Export}}):
    @reports
    def prepare(self, input):
        try:
            return adapter.prepare(input)
        except ValueError as error:
            raise Err(str(error))

    @reports
    def attempt(self, input, config):
        # The agent's text, or the Err that the invoker raises: both are passed on as they are.
        return invoker.invoke(input, config)
