/** The component around `contract.{{document}}`: all that knows of WebAssembly. */

import { Violation, {{document}} } from "./contract.js";

export const {{export}} = {
  parse(text) {
    try {
      return {{document}}(text);
    } catch (error) {
      // A plain value is the error of the result; a thrown Error would be a trap.
      throw error instanceof Violation ? { path: error.path, message: error.message } : error;
    }
  },
};
