/** The component around `prepare`: all that knows of WebAssembly. */

import { invoke } from "portcullis:node/invoker@0.1.0";
import { prepare } from "./adapter.js";
import { NotJson } from "./parts.js";
import { reports } from "./report.js";

export const {{export}} = {
  prepare: reports((projection) => {
    try {
      return prepare(projection);
    } catch (error) {
      // A thrown text is the error of the result; a thrown Error would be a trap.
      throw error instanceof NotJson ? error.message : error;
    }
  }),

  // The agent's text, or the error that the invoker throws: both are passed on as they are.
  attempt: reports((input, config) => invoke(input, config)),
};
