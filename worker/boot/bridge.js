// Adds the functions that call the host to a run's context. Each run gets its own, so that none acts in another run.
(native, shared) => {
  const { call } = native;
  return (run, given) => ({
    ...given,
    db: {
      find: (...given) => call(run, "db.find", given),
      findOne: (...given) => call(run, "db.findOne", given),
      count: (...given) => call(run, "db.count", given),
      insertOne: (...given) => call(run, "db.insertOne", given),
      updateMany: (...given) => call(run, "db.updateMany", given),
      deleteMany: (...given) => call(run, "db.deleteMany", given),
    },
    integrations: {
      call: (...given) => call(run, "integrations.call", given),
    },
  });
}
