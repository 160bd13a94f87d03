"""The component around `agent.respond`: all that knows of WebAssembly."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import run, tools

import agent
from report import reports


class Agent(exports.Agent):
    @reports
    def respond(self, input, config):
        try:
            return agent.respond(input, Tools(config))
        except agent.Blocked as blocked:
            raise Err(run.InvokeError_Blocked(str(blocked)))
        except ValueError as error:
            raise Err(run.InvokeError_Permanent(str(error)))


class Tools:
    """The tools of the run whose config was lent for this call."""

    def __init__(self, config):
        self.config = config

    def available(self):
        return tools.available()

    def call(self, name, arguments):
        try:
            return tools.call(name, arguments, self.config)
        except Err as error:
            if isinstance(error.value, tools.ToolError_Blocked):
                raise agent.Blocked(error.value.value)
            raise agent.NoResult(getattr(error.value, "value", "it did not answer in time"))
