/** The component around `respond`: all that knows of WebAssembly. */

import { Refused, respond } from "./agent.js";
import { reports } from "./report.js";

export const agent = {
  respond: reports((input) => {
    try {
      return respond(input);
    } catch (error) {
      // A plain value is the error of the result; a thrown Error would be a trap.
      throw error instanceof Refused ? { tag: "permanent", val: error.message } : error;
    }
  }),
};
