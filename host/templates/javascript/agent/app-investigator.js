/** The component around `respond`: all that knows of WebAssembly. */

import { available, call } from "portcullis:node/tools@0.1.0";
import { Blocked, NoResult, Refused, respond } from "./agent.js";
import { reports } from "./report.js";

export const agent = {
  respond: reports((input, config) => {
    try {
      return respond(input, { available, call: (name, text) => callTool(name, text, config) });
    } catch (error) {
      // A plain value is the error of the result; a thrown Error would be a trap.
      if (error instanceof Blocked) throw { tag: "blocked", val: error.message };
      if (error instanceof Refused) throw { tag: "permanent", val: error.message };
      throw error;
    }
  }),
};

function callTool(name, text, config) {
  try {
    return call(name, text, config);
  } catch (error) {
    if (!error.payload) throw error;
    const { tag, val } = error.payload;
    throw tag === "blocked" ? new Blocked(val) : new NoResult(val ?? "it did not answer in time");
  }
}
