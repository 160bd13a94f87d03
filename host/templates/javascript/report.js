/**
 * Sends the words of an unexpected error to the host's log. A component has no stderr: without this the host only sees
 * that it trapped.
 */

import { write } from "portcullis:node/log@0.1.0";

/** What is thrown as an answer passes: a plain value, or an error of an import, which has a payload. */
export function reports(call) {
  return (...values) => {
    try {
      return call(...values);
    } catch (error) {
      if (error instanceof Error && !Object.hasOwn(error, "payload")) write("error", `${error}\n${error.stack}`);
      throw error;
    }
  };
}
