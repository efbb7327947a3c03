// Functions for the other boot scripts. The scripts run before any guest code, and keep the functions that they will
// call later, so that a guest that changes the visible objects affects only itself.
(native, shared) => {
  const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys, setPrototypeOf } = Reflect;

  // A method as a function of its object.
  shared.uncurry = (method) => (self, ...given) => apply(method, self, given);
  shared.getter = (owner, name) => shared.uncurry(getOwnPropertyDescriptor(owner, name).get);

  shared.global = (name, value) => {
    defineProperty(globalThis, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  };

  // Replaces the engine's console, which is for debuggers.
  shared.global("console", native.console);

  // Makes a class look like an interface of Web IDL: its members are enumerable, and it has a toStringTag.
  shared.interface = (made, name = made.name) => {
    for (const owner of [made, made.prototype]) {
      for (const key of ownKeys(owner)) {
        if (typeof key === "symbol" || key === "constructor" || key === "prototype" || key === "name") continue;
        if (key === "length") continue;
        const property = getOwnPropertyDescriptor(owner, key);
        property.enumerable = true;
        setPrototypeOf(property, null);
        defineProperty(owner, key, property);
      }
    }
    defineProperty(made.prototype, Symbol.toStringTag, {
      __proto__: null, value: name, writable: false, enumerable: false, configurable: true,
    });
  };

  shared.needs = (count, given, what) => {
    if (given < count) throw new TypeError(`${what} takes ${count} argument${count === 1 ? "" : "s"}, not ${given}`);
  };

  // A dictionary of Web IDL: undefined and null are empty dictionaries.
  shared.dictionary = (value, what) => {
    if (value === undefined || value === null) return { __proto__: null };
    if (typeof value !== "object" && typeof value !== "function") throw new TypeError(`${what} is an object`);
    return value;
  };
}
