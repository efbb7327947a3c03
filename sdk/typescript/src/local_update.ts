// What an update makes of a document, for showing it before the server confirms it. An operator that is not known here
// changes nothing: the server's change shows it.

type Values = Record<string, any>;

/** A copy of a document with another value at a path; `change` gets the present value, undefined removes the field. */
function changed(value: any, steps: string[], change: (present: any) => any): any {
  const [step, ...rest] = steps;
  if (step === undefined) return change(value);
  if (value !== undefined && (typeof value !== "object" || value === null)) return value;
  const copy: Values = Array.isArray(value) ? [...value] : { ...value };
  const next = changed(Object.hasOwn(copy, step) ? copy[step] : undefined, rest, change);
  if (next === undefined) delete copy[step];
  else Object.defineProperty(copy, step, { value: next, enumerable: true, configurable: true, writable: true });
  return copy;
}

type Operator = (present: any, given: any, exact: boolean) => any;

const isInteger = (value: unknown) => typeof value === "bigint" || Number.isSafeInteger(value);

/** Arithmetic as the server's: with `exact` integers beyond 2^53 are bigints, and with a fraction it is that of doubles. */
const arithmetic =
  (operate: (a: any, b: any) => any): Operator =>
  (present, given, exact) => {
    present ??= 0;
    if (exact && isInteger(present) && isInteger(given)) {
      const result = operate(BigInt(present), BigInt(given));
      return Number.isSafeInteger(Number(result)) ? Number(result) : result;
    }
    return typeof present === typeof given ? operate(present, given) : operate(Number(present), Number(given));
  };

const operators: Record<string, Operator> = {
  $set: (_, given) => given,
  $unset: () => undefined,
  $inc: arithmetic((a, b) => a + b),
  $mul: arithmetic((a, b) => a * b),
  $push: (present, given) => [...(present ?? []), ...(given?.$each ?? [given])],
  $addToSet: (present, given) => [
    ...(present ?? []),
    ...(given?.$each ?? [given]).filter((one: unknown) => !(present ?? []).includes(one)),
  ],
};

/** The document after an update. With `exact` its integers are those that `exactNumbers()` reads. */
export function applyUpdate<D>(document: D, update: Values, exact = false): D {
  const isPlain = !Object.keys(update)[0]?.startsWith("$");
  const parts: [string, Values][] = isPlain ? [["$set", update]] : Object.entries(update);
  let result = document;
  for (const [name, values] of parts) {
    const operator = operators[name];
    if (!operator) continue;
    for (const [path, given] of Object.entries(values)) {
      result = changed(result, path.split("."), (present) => operator(present, given, exact));
    }
  }
  return result;
}
