/** The component around `prepare`: all that knows of WebAssembly. */

import { invoke } from "portcullis:node/invoker@0.1.0";
import { prepare } from "./adapter.js";
import { reports } from "./report.js";

export const {{export}} = {
  prepare: reports((projection) => prepare(projection)),

  // The agent's text, or the error that the invoker throws: both are passed on as they are.
  attempt: reports((input, config) => invoke(input, config)),
};
