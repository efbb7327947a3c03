// Where a source is wrong. The parser tries what may be an arrow function or a type, and where that fails tries the next
// reading, so the error that it ends with is often that of the last reading, at the beginning of it. The one that came
// furthest into the source is the one to tell.
import State from "./node_modules/sucrase/dist/esm/parser/tokenizer/state";

let furthest = null;

Object.defineProperty(State.prototype, "error", {
  get() {
    return this.problem;
  },
  set(error) {
    this.problem = error;
    if (error && (!furthest || error.pos > furthest.at)) furthest = { message: error.message, at: error.pos };
  },
});

// Begins a source; the function that is given tells of what was found since: {message, at}.
export function furthestError() {
  furthest = null;
  return () => furthest;
}
