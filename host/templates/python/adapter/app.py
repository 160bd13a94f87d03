"""The component around `adapter.prepare`: all that knows of WebAssembly."""

from wit_world import exports
from wit_world.imports import invoker

import adapter
from report import reports


class {{Export}}(exports.{{Export}}):
    @reports
    def prepare(self, input):
        return adapter.prepare(input)

    @reports
    def attempt(self, input, config):
        # The agent's text, or the Err that the invoker raises: both are passed on as they are.
        return invoker.invoke(input, config)
