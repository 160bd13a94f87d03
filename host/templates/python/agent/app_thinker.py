"""The component around `agent.respond`: all that knows of WebAssembly."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import run

import agent
from report import reports


class Agent(exports.Agent):
    @reports
    def respond(self, input, config):
        try:
            return agent.respond(input)
        except ValueError as error:
            raise Err(run.InvokeError_Permanent(str(error)))
