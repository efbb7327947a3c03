#include "functions/flow_helpers.h"

namespace mb::functions {

std::span<const FlowHelper> flowHelpers() {
  static const std::vector<FlowHelper> kHelpers = {
      {"field", {"isMap"}, R"js(function field(value, ...names) {
  for (const name of names) {
    if (!isMap(value) || !Object.hasOwn(value, name) || value[name] === undefined) {
      throw new Error(`no such field: ${name}`);
    }
    value = value[name];
  }
  return value;
}
)js"},
      {"has", {"isMap"}, R"js(function has(value, name) {
  if (!isMap(value)) throw new Error(`has() asks for the field ${name} of what is no object`);
  return Object.hasOwn(value, name) && value[name] !== undefined;
}
)js"},
      {"item", {"field"}, R"js(function item(value, key) {
  if (!Array.isArray(value)) return field(value, key);
  if (!Number.isInteger(key) || key < 0 || key >= value.length) throw new Error("index out of bounds");
  return value[key];
}
)js"},
      {"items", {"isMap"}, R"js(function items(value) {
  if (Array.isArray(value)) return value;
  if (isMap(value)) return Object.keys(value);
  throw new Error("only a list or an object can be gone through");
}
)js"},
      {"truth", {}, R"js(function truth(value) {
  if (typeof value !== "boolean") throw new Error("a condition must be true or false");
  return value;
}
)js"},
      {"same", {}, R"js(function same(a, b) {
  if (a === b || (a == null && b == null)) return true;
  if (a == null || b == null) return false;
  if (typeof a !== "object" || typeof b !== "object") {
    const numbers = (value) => typeof value === "number" || typeof value === "bigint";
    return numbers(a) && numbers(b) && a == b;
  }
  if (a instanceof Date || b instanceof Date) {
    return a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}
)js"},
      {"isIn", {"same", "isMap"}, R"js(function isIn(value, container) {
  if (Array.isArray(container)) return container.some((each) => same(each, value));
  if (isMap(container)) return Object.hasOwn(container, String(value));
  throw new Error("in takes a list or an object");
}
)js"},
      {"order", {"Duration"}, R"js(function order(a, b) {
  const kind = (value) => (typeof value === "bigint" ? "number" : typeof value);
  if (a instanceof Date && b instanceof Date) return a - b;
  if (a instanceof Duration && b instanceof Duration) return a.ms - b.ms;
  if (kind(a) !== kind(b) || !["number", "string", "boolean"].includes(kind(a))) {
    throw new Error("these two have no order");
  }
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : NaN;
}
)js"},
      {"add", {"Duration", "number", "whole"}, R"js(function add(a, b) {
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (a instanceof Date && b instanceof Duration) return new Date(a.getTime() + b.ms);
  if (a instanceof Duration && b instanceof Date) return new Date(a.ms + b.getTime());
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms + b.ms);
  return whole(number(a), number(b), a + b);
}
)js"},
      {"subtract", {"Duration", "number", "whole"}, R"js(function subtract(a, b) {
  if (a instanceof Date && b instanceof Date) return new Duration(a - b);
  if (a instanceof Date && b instanceof Duration) return new Date(a.getTime() - b.ms);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms - b.ms);
  return whole(number(a), number(b), a - b);
}
)js"},
      {"multiply", {"number", "whole"}, R"js(function multiply(a, b) {
  return whole(number(a), number(b), a * b);
}
)js"},
      {"divide", {"number"}, R"js(function divide(a, b) {
  if (!Number.isInteger(number(a)) || !Number.isInteger(number(b))) return a / b;
  if (b === 0) throw new Error("divided by zero");
  return Math.trunc(a / b) + 0;
}
)js"},
      {"modulo", {"number"}, R"js(function modulo(a, b) {
  if (!Number.isInteger(number(a)) || !Number.isInteger(number(b))) throw new Error("% takes whole numbers");
  if (b === 0) throw new Error("divided by zero");
  return (a % b) + 0;
}
)js"},
      {"size", {"isMap"}, R"js(function size(value) {
  if (typeof value === "string") return [...value].length;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (isMap(value)) return Object.keys(value).length;
  throw new Error("size() takes text, a list or an object");
}
)js"},
      {"text", {}, R"js(function text(value) {
  if (value == null) return "";
  if (typeof value === "string") return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
)js"},
      {"toInt", {"numberOf"}, R"js(function toInt(value) {
  if (value instanceof Date) return Math.floor(value.getTime() / 1000);
  if (typeof value === "string" && !/^[+-]?\d+$/.test(value)) throw new Error("no whole number");
  return Math.trunc(numberOf(value)) + 0;
}
)js"},
      {"toDouble", {"numberOf"}, R"js(function toDouble(value) {
  return numberOf(value);
}
)js"},
      {"toBool", {}, R"js(function toBool(value) {
  if (typeof value === "boolean") return value;
  if (["true", "True", "TRUE", "t", "1"].includes(value)) return true;
  if (["false", "False", "FALSE", "f", "0"].includes(value)) return false;
  throw new Error("neither true nor false");
}
)js"},
      {"toText", {"Duration"}, R"js(function toText(value) {
  if (value instanceof Date) return value.toISOString().replace(/\.?0*Z$/, "Z");
  if (value === null || (typeof value === "object" && !(value instanceof Duration))) throw new Error("no text");
  return String(value);
}
)js"},
      {"timestamp", {}, R"js(function timestamp(value) {
  const fits = typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value);
  const time = value instanceof Date ? value : new Date(fits ? value : typeof value === "number" ? value * 1000 : NaN);
  if (Number.isNaN(time.getTime())) throw new Error("no timestamp");
  return time;
}
)js"},
      {"duration", {"Duration"}, R"js(function duration(value) {
  if (value instanceof Duration) return value;
  if (!/^[+-]?((\d+(\.\d*)?|\.\d+)(h|ms|m|s))+$/.test(value)) throw new Error("no duration");
  const units = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  let ms = 0;
  for (const [, count, unit] of value.matchAll(/([\d.]+)(h|ms|m|s)/g)) ms += Number(count) * units[unit];
  return new Duration(value.startsWith("-") ? -ms : ms);
}
)js"},
      {"dayOfYear", {"time"}, R"js(function dayOfYear(value) {
  const midnight = Date.UTC(time(value).getUTCFullYear(), value.getUTCMonth(), value.getUTCDate());
  return (midnight - Date.UTC(value.getUTCFullYear(), 0, 1)) / 86_400_000;
}
)js"},
      {"time", {}, R"js(function time(value) {
  if (!(value instanceof Date)) throw new Error("no timestamp");
  return value;
}
)js"},
      {"string", {}, R"js(function string(value) {
  if (typeof value !== "string") throw new Error("no text");
  return value;
}
)js"},
      {"plain", {"Duration"}, R"js(function plain(value) {
  return value instanceof Duration ? String(value) : value;
}
)js"},
      {"operand", {"isMap"}, R"js(// What a filter compares with: never an operator that came with the data.
function operand(value) {
  if (Array.isArray(value)) value.forEach((each) => operand(each));
  if (!isMap(value)) return value;
  for (const [key, each] of Object.entries(value)) {
    if (key.startsWith("$")) throw new Error("a filter must not take operators from data");
    operand(each);
  }
  return value;
}
)js"},
      {"number", {}, R"js(function number(value) {
  if (typeof value !== "number") throw new Error("no number");
  return value;
}
)js"},
      {"numberOf", {}, R"js(function numberOf(value) {
  const result = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof result !== "number" || !Number.isFinite(result)) throw new Error("no number");
  return result;
}
)js"},
      {"whole", {}, R"js(function whole(a, b, result) {
  const overflows = Number.isSafeInteger(a) && Number.isSafeInteger(b) && !Number.isSafeInteger(result);
  if (overflows) throw new Error("the number is too large");
  return result + 0;
}
)js"},
      {"isMap", {}, R"js(function isMap(value) {
  const others = [Array, Date, RegExp, Uint8Array];
  return typeof value === "object" && value !== null && !others.some((type) => value instanceof type);
}
)js"},
      {"Duration", {}, R"js(class Duration {
  constructor(ms) {
    this.ms = ms;
  }
  toString() {
    return `${this.ms / 1000}s`;
  }
}
)js"},
  };
  return kHelpers;
}

}  // namespace mb::functions
