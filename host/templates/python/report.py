"""Sends the words of an unexpected exception to the host's log. A component has no stderr: without this the host only
sees that it trapped."""

import functools
import traceback

from componentize_py_types import Err
from wit_world.imports import log


def reports(export):
    """Lets an Err pass, which is an answer; anything else is reported and then ends the call."""

    @functools.wraps(export)
    def reporting(*arguments):
        try:
            return export(*arguments)
        except Err:
            raise
        except Exception as error:
            # A message may be cut, so what happened comes first. Printing a traceback would open the sources, and a
            # component has no files.
            frames = traceback.walk_tb(error.__traceback__)
            places = [f"{frame.f_code.co_filename}:{line} {frame.f_code.co_name}" for frame, line in frames]
            log.write(log.Level.ERROR, "\n".join([repr(error), *places]))
            raise

    return reporting
