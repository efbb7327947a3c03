#include "store/mongo/drops.h"

#include "document/fields.h"
#include "store/mongo/commands.h"
#include "store/mongo/log_entry.h"

namespace mb::store::mongo {

namespace {

// Less than the driver waits for a response.
constexpr int32_t kMaxTimeMs = 10'000;
constexpr int kIndexNotFound = 27;

std::string rowId(const Drop& drop) {
  return fmt::format("{}/{}/{}", drop.project, drop.collection, drop.index);
}

// A command that drops something; what does not exist counts as dropped.
Outcome<> runDrop(Connection& connection, const std::string& database,
                  const std::function<void(doc::BsonWriter&)>& fields) {
  doc::BsonWriter out;
  fields(out);
  out.appendInt32("maxTimeMS", kMaxTimeMs);
  const auto done = connection.run(database, out.finish());
  if (done || done.error().code == CommandError::kNamespaceNotFound || done.error().code == kIndexNotFound) return {};
  return std::unexpected(done.error());
}

// Deletes the documents that match a filter of one condition.
Outcome<> removeAll(Connection& connection, const Names& names, std::string_view collection,
                    const std::function<void(doc::BsonWriter&)>& condition) {
  doc::BsonWriter out;
  out.beginDocument("q");
  condition(out);
  out.end();
  out.appendInt32("limit", 0);
  const doc::Document statement = out.finish();
  const auto done = connection.write(names.shared(), deleteCommand(collection, statement));
  if (!done) return std::unexpected(done.error());
  return {};
}

Outcome<> dropIndex(Connection& connection, const Names& names, const Drop& drop) {
  return runDrop(connection, names.databaseOf(drop.project, drop.collection), [&](doc::BsonWriter& out) {
    out.appendString("dropIndexes", Names::collectionOf(drop.collection));
    out.appendString("index", indexName(drop.index));
  });
}

Outcome<> dropCollection(Connection& connection, const Names& names, const Drop& drop) {
  auto done = runDrop(connection, names.databaseOf(drop.project, drop.collection),
                      [&](doc::BsonWriter& out) { out.appendString("drop", Names::collectionOf(drop.collection)); });
  if (!done) return done;
  return removeAll(connection, names, kCounts, [&](doc::BsonWriter& out) {
    out.appendString("_id", fmt::format("{}/{}/", drop.project, drop.collection));
  });
}

Outcome<> dropProject(Connection& connection, const Names& names, const std::vector<SystemCollection>& system,
                      ProjectNo project) {
  auto done = runDrop(connection, names.databaseOf(project, kFirstUserCollection),
                      [](doc::BsonWriter& out) { out.appendInt32("dropDatabase", 1); });
  if (!done) return done;
  const auto removeWhere = [&](std::string_view collection, std::string_view path) {
    return removeAll(connection, names, collection, [&](doc::BsonWriter& out) { out.appendInt64(path, project); });
  };
  for (const auto& [collection, path] : {std::pair(kCatalogue, "_id.p"), {kCounts, "p"}, {kCounters, "p"}}) {
    if (done = removeWhere(collection, path); !done) return done;
  }
  for (const SystemCollection& each : system) {
    if (done = removeWhere(Names::collectionOf(each.number), "_p"); !done) return done;
  }
  return removeAll(connection, names, kLog, [&](doc::BsonWriter& out) {
    out.beginDocument("_id");
    out.appendBinary("$gte", logId(project, 0));
    out.appendBinary("$lte", logId(project, UINT64_MAX));
    out.end();
  });
}

Outcome<> execute(Connection& connection, const Names& names, const std::vector<SystemCollection>& system,
                  const Drop& drop) {
  if (drop.collection == 0) return dropProject(connection, names, system, drop.project);
  return drop.index == 0 ? dropCollection(connection, names, drop) : dropIndex(connection, names, drop);
}

}  // namespace

doc::Document dropStatement(const Drop& drop) {
  return upsertStatement(rowId(drop), [&](doc::BsonWriter& out) {
    out.beginDocument("$set");
    out.appendInt64("p", drop.project);
    out.appendInt64("c", drop.collection);
    out.appendInt64("i", drop.index);
    out.end();
  });
}

Outcome<std::set<ProjectNo>> projectsWithDrops(Connection& connection, const Names& names) {
  std::set<ProjectNo> projects;
  const auto read = [&](doc::DocumentView command) { return connection.read(names.shared(), command); };
  auto done = eachDocument(read, kDrops, findAll(kDrops), [&](doc::DocumentView row) {
    projects.insert(static_cast<ProjectNo>(doc::integerOr(row, "p")));
    return true;
  });
  if (!done) return std::unexpected(std::move(done).error());
  return projects;
}

Outcome<> executeDrops(Connection& connection, const Names& names, const std::vector<SystemCollection>& system,
                       ProjectNo project) {
  std::vector<Drop> drops;
  const auto read = [&](doc::DocumentView command) { return connection.read(names.shared(), command); };
  auto done = eachDocument(read, kDrops, findWhere(kDrops, "p", project), [&](doc::DocumentView row) {
    drops.push_back(
        {project, static_cast<CollectionNo>(doc::integerOr(row, "c")), static_cast<IndexNo>(doc::integerOr(row, "i"))});
    return true;
  });
  if (!done) return done;
  for (const Drop& drop : drops) {
    auto dropped = execute(connection, names, system, drop);
    if (dropped) {
      dropped =
          removeAll(connection, names, kDrops, [&](doc::BsonWriter& out) { out.appendString("_id", rowId(drop)); });
    }
    if (done && !dropped) done = std::move(dropped);
  }
  return done;
}

}  // namespace mb::store::mongo
