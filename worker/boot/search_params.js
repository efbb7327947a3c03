// URLSearchParams (URL standard, 6).
(native, shared) => {
  const { parseForm, serializeForm, toUsv } = native;
  const { needs } = shared;
  const { ownKeys, getOwnPropertyDescriptor } = Reflect;
  const sort = shared.uncurry(Array.prototype.sort);
  const slice = shared.uncurry(String.prototype.slice);
  const splice = shared.uncurry(Array.prototype.splice);
  const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

  class Pairs {
    #list;
    #next = 0;
    #give;
    constructor(list, give) {
      this.#list = list;
      this.#give = give;
    }
    next() {
      const list = this.#list();
      const at = this.#next;
      if (at >= list.length) return { value: undefined, done: true };
      this.#next = at + 2;
      return { value: this.#give(list[at], list[at + 1]), done: false };
    }
  }
  const PairsIterator = Pairs.prototype;
  delete PairsIterator.constructor;
  shared.interface(Pairs, "URLSearchParams Iterator");
  Object.setPrototypeOf(PairsIterator, iteratorPrototype);

  const fromSequence = (given) => {
    const list = [];
    for (const pair of given) {
      if ((typeof pair !== "object" && typeof pair !== "function") || pair === null)
        throw new TypeError("A pair is an array of a name and a value");
      let count = 0;
      for (const side of pair) {
        if (++count > 2) break;
        list[list.length] = toUsv(side);
      }
      if (count !== 2) throw new TypeError("A pair is an array of a name and a value");
    }
    return list;
  };

  const fromRecord = (given) => {
    const names = [];
    const values = { __proto__: null };
    for (const key of ownKeys(given)) {
      const property = getOwnPropertyDescriptor(given, key);
      if (property === undefined || !property.enumerable) continue;
      const name = toUsv(key);
      if (!(name in values)) names[names.length] = name;
      values[name] = toUsv(given[key]);
    }
    const list = [];
    for (let i = 0; i < names.length; i++) {
      list[list.length] = names[i];
      list[list.length] = values[names[i]];
    }
    return list;
  };

  const withoutMark = (text) => (text[0] === "?" ? slice(text, 1) : text);

  class URLSearchParams {
    #list = [];  // name, value, name, value, …
    #changed = undefined;  // notifies the URL that owns it

    constructor(init = "") {
      if ((typeof init === "object" && init !== null) || typeof init === "function") {
        const iterate = init[Symbol.iterator];
        this.#list = iterate === undefined || iterate === null ? fromRecord(init) : fromSequence(init);
      } else {
        this.#list = parseForm(withoutMark(toUsv(init)));
      }
    }

    static {
      shared.paramsOf = (search, changed) => {
        const params = new URLSearchParams(search);
        params.#changed = changed;
        return params;
      };
      shared.setParams = (params, search) => {
        params.#list = parseForm(withoutMark(search));
      };
    }

    #tell() {
      if (this.#changed !== undefined) this.#changed(serializeForm(this.#list));
    }
    #iterate(give) { return new Pairs(() => this.#list, give); }

    get size() { return this.#list.length / 2; }
    append(name, value) {
      const list = this.#list;
      needs(2, arguments.length, "append");
      name = toUsv(name);
      list[list.length] = name;
      list[list.length] = toUsv(value);
      this.#tell();
    }
    delete(name, value = undefined) {
      const list = this.#list;
      needs(1, arguments.length, "delete");
      name = toUsv(name);
      if (value !== undefined) value = toUsv(value);
      let kept = 0;
      for (let i = 0; i < list.length; i += 2) {
        if (list[i] === name && (value === undefined || list[i + 1] === value)) continue;
        list[kept] = list[i];
        list[kept + 1] = list[i + 1];
        kept += 2;
      }
      list.length = kept;
      this.#tell();
    }
    get(name) {
      const list = this.#list;
      needs(1, arguments.length, "get");
      name = toUsv(name);
      for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1];
      return null;
    }
    getAll(name) {
      const list = this.#list;
      needs(1, arguments.length, "getAll");
      name = toUsv(name);
      const all = [];
      for (let i = 0; i < list.length; i += 2) if (list[i] === name) all[all.length] = list[i + 1];
      return all;
    }
    has(name, value = undefined) {
      const list = this.#list;
      needs(1, arguments.length, "has");
      name = toUsv(name);
      if (value !== undefined) value = toUsv(value);
      for (let i = 0; i < list.length; i += 2)
        if (list[i] === name && (value === undefined || list[i + 1] === value)) return true;
      return false;
    }
    set(name, value) {
      const list = this.#list;
      needs(2, arguments.length, "set");
      name = toUsv(name);
      value = toUsv(value);
      let found = false;
      for (let i = 0; i < list.length; i += 2) {
        if (list[i] !== name) continue;
        if (found) {
          splice(list, i, 2);
          i -= 2;
        } else {
          list[i + 1] = value;
          found = true;
        }
      }
      if (!found) {
        list[list.length] = name;
        list[list.length] = value;
      }
      this.#tell();
    }
    sort() {
      const list = this.#list;
      const pairs = [];
      for (let i = 0; i < list.length; i += 2) pairs[pairs.length] = { name: list[i], value: list[i + 1] };
      // By code units, like strings; equal names keep their order.
      sort(pairs, (one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
      for (let i = 0; i < pairs.length; i++) {
        list[2 * i] = pairs[i].name;
        list[2 * i + 1] = pairs[i].value;
      }
      this.#tell();
    }
    forEach(callback, self = undefined) {
      this.#list;
      needs(1, arguments.length, "forEach");
      if (typeof callback !== "function") throw new TypeError("forEach takes a function");
      const call = shared.uncurry(callback);
      for (let i = 0; i < this.#list.length; i += 2) call(self, this.#list[i + 1], this.#list[i], this);
    }
    keys() { return this.#iterate((name) => name); }
    values() { return this.#iterate((_, value) => value); }
    entries() { return this.#iterate((name, value) => [name, value]); }
    toString() { return serializeForm(this.#list); }
  }
  Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, {
    __proto__: null, value: URLSearchParams.prototype.entries, writable: true, enumerable: false, configurable: true,
  });
  shared.interface(URLSearchParams);
  shared.global("URLSearchParams", URLSearchParams);
}
