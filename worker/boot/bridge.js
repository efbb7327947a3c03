// A run's context, with what it calls its host by: made anew for each run, so that nothing of one run acts in another.
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
