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
            # A message may be cut, so what happened comes before where.
            words = traceback.format_exception_only(error) + traceback.format_tb(error.__traceback__)
            log.write(log.Level.ERROR, "".join(words))
            raise

    return reporting
