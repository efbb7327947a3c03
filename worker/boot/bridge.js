// Completes a run's context: the functions that call the host, and the bytes of a request's body. Each run gets its own
// functions, so that none acts in another run.
(native, shared) => {
  const { call } = native;
  const { defineProperty } = Reflect;
  // clone::BridgeKind
  const FULL = 1;
  const LOOKUP = 2;

  return (run, given, kind, rawBody) => {
    // Not enumerable, so that the JSON of a request does not contain its body twice.
    if (rawBody !== undefined) {
      defineProperty(given.request, "rawBody", {
        __proto__: null, value: rawBody, writable: true, enumerable: false, configurable: true,
      });
    }
    if (kind === LOOKUP) {
      return {
        ...given,
        lookup: {
          get: (...given) => call(run, "lookup.get", given),
          findOne: (...given) => call(run, "lookup.findOne", given),
        },
      };
    }
    if (kind !== FULL) return given;
    return {
      ...given,
      db: {
        find: (...given) => call(run, "db.find", given),
        findOne: (...given) => call(run, "db.findOne", given),
        count: (...given) => call(run, "db.count", given),
        insertOne: (...given) => call(run, "db.insertOne", given),
        updateMany: (...given) => call(run, "db.updateMany", given),
        deleteMany: (...given) => call(run, "db.deleteMany", given),
      },
      storage: {
        list: (...given) => call(run, "storage.list", given),
        read: (...given) => call(run, "storage.read", given),
        write: (...given) => call(run, "storage.write", given),
        delete: (...given) => call(run, "storage.delete", given),
        sign: (...given) => call(run, "storage.sign", given),
      },
      integrations: {
        call: (...given) => call(run, "integrations.call", given),
      },
    };
  };
}
