#include "store/mongo/log_trim.h"

#include "document/fields.h"
#include "store/mongo/commands.h"
#include "store/mongo/log_entry.h"

namespace mb::store::mongo {

namespace {

constexpr uint64_t kRemovedAtOnce = 1000;

}  // namespace

Outcome<std::vector<LogTrimmer::Log>> LogTrimmer::logs(Connection& connection) const {
  std::vector<Log> logs;
  const auto read = [&](doc::DocumentView command) { return connection.read(names_.shared(), command); };
  auto done = eachDocument(read, kHeads, findAll(kHeads), [&](doc::DocumentView view) {
    Log log{.project = static_cast<ProjectNo>(doc::integerOr(view, "_id")), .head = decodeHead(view)};
    log.last = log.head.position;
    if (!log.head.dead) logs.push_back(log);
    return true;
  });
  if (!done) return std::unexpected(std::move(done).error());
  return logs;
}

Outcome<std::map<ProjectNo, uint64_t>> LogTrimmer::floors(Connection& connection) const {
  std::map<ProjectNo, uint64_t> floors;
  const auto read = [&](doc::DocumentView command) { return connection.read(names_.shared(), command); };
  for (const SystemCollection& system : states_.systemCollections()) {
    if (!system.logFloor) continue;
    const std::string name = Names::collectionOf(system.number);
    auto done = eachDocument(read, name, findWhere(name, "_p", kControlProject), [&](doc::DocumentView view) {
      if (const auto found = unstored(system.number, view)) addLogFloor(*system.logFloor, found->document, floors);
      return true;
    });
    if (!done) return std::unexpected(std::move(done).error());
  }
  return floors;
}

Outcome<std::optional<LogTrimmer::Stamp>> LogTrimmer::stamp(Connection& connection, ProjectNo project,
                                                            uint64_t position) const {
  doc::BsonWriter out;
  out.appendString("find", kLog);
  out.beginDocument("filter");
  out.appendBinary("_id", logId(project, position));
  out.end();
  out.beginDocument("projection");
  out.appendInt32("at", 1);
  out.appendInt32("s", 1);
  out.end();
  out.appendInt32("limit", 1);
  const auto reply = connection.read(names_.shared(), out.finish());
  if (!reply) return std::unexpected(reply.error());
  const Batch found = batchOf(*reply);
  if (found.documents.empty()) return std::nullopt;
  const doc::DocumentView entry = found.documents.front();
  const auto at = entry.find("at");
  return Stamp{at && at->type() == doc::BsonType::date ? at->asDate() : Timestamp(),
               static_cast<uint64_t>(doc::integerOr(entry, "s"))};
}

Outcome<> LogTrimmer::trim(Connection& connection, Log& log, const std::function<bool(const Stamp&)>& trimmable) const {
  uint64_t low = log.head.lostUpTo;
  uint64_t high = log.last;
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    const auto found = stamp(connection, log.project, middle);
    if (!found) return std::unexpected(found.error());
    if (!*found || trimmable(**found)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (low <= log.head.lostUpTo) return {};
  log.head.lostUpTo = low;
  doc::BsonWriter out;
  out.beginDocument("q");
  out.appendInt64("_id", log.project);
  out.end();
  out.beginDocument("u");
  out.beginDocument("$max");
  out.appendInt64("lost", static_cast<int64_t>(low));
  out.end();
  out.end();
  const doc::Document statement = out.finish();
  // The mark comes first: who misses an entry then finds that it was trimmed.
  auto marked = connection.write(names_.shared(), updateCommand(kHeads, statement));
  if (!marked) return std::unexpected(std::move(marked).error());
  return remove(connection, log);
}

// Also what a run before left that ended in between.
Outcome<> LogTrimmer::remove(Connection& connection, const Log& log) const {
  const auto range = [&](doc::BsonWriter& out, uint64_t from, uint64_t to) {
    out.beginDocument("_id");
    out.appendBinary("$gte", logId(log.project, from));
    out.appendBinary("$lte", logId(log.project, to));
    out.end();
  };
  doc::BsonWriter first;
  first.appendString("find", kLog);
  first.beginDocument("filter");
  range(first, 0, log.head.lostUpTo);
  first.end();
  first.beginDocument("sort");
  first.appendInt32("_id", 1);
  first.end();
  first.beginDocument("projection");
  first.appendInt32("_id", 1);
  first.end();
  first.appendInt32("limit", 1);
  const auto reply = connection.read(names_.shared(), first.finish());
  if (!reply) return std::unexpected(reply.error());
  const Batch found = batchOf(*reply);
  if (found.documents.empty()) return {};
  for (uint64_t from = positionOf(found.documents.front()); from <= log.head.lostUpTo; from += kRemovedAtOnce) {
    doc::BsonWriter out;
    out.beginDocument("q");
    range(out, from, std::min(from + kRemovedAtOnce - 1, log.head.lostUpTo));
    out.end();
    out.appendInt32("limit", 0);
    const doc::Document statement = out.finish();
    auto done = connection.write(names_.shared(), deleteCommand(kLog, statement));
    if (!done) return std::unexpected(std::move(done).error());
  }
  return {};
}

Outcome<> LogTrimmer::run(Connection& connection, Timestamp now) const {
  const int64_t oldest = now.ms - limits_.hours * 3600 * 1000;
  // Reads the positions first: a document that is inserted after floors() needs no entry up to them.
  auto all = logs(connection);
  if (!all) return std::unexpected(std::move(all).error());
  const auto kept = floors(connection);
  if (!kept) return std::unexpected(kept.error());
  std::vector<Log*> held;
  std::vector<uint64_t> bytes;
  for (Log& log : *all) {
    if (const auto floor = kept->find(log.project); floor != kept->end()) log.last = std::min(log.last, floor->second);
    if (log.head.lostUpTo >= log.last) continue;
    const auto isOld = [&](const Stamp& entry) { return entry.at.ms < oldest; };
    if (auto done = trim(connection, log, isOld); !done) return done;
    if (log.head.lostUpTo >= log.last) continue;
    const auto before = stamp(connection, log.project, log.head.lostUpTo + 1);
    if (!before) return std::unexpected(before.error());
    if (!*before) continue;
    log.held = log.head.logged - std::min(log.head.logged, (*before)->logged);
    held.push_back(&log);
    bytes.push_back(log.held);
  }
  const uint64_t share = std::min(shareOfTotal(std::move(bytes), static_cast<uint64_t>(limits_.totalBytes)),
                                  static_cast<uint64_t>(limits_.bytes));
  for (Log* log : held) {
    if (log->held <= share) continue;
    const uint64_t keepAfter = log->head.logged - share;
    const auto isBefore = [&](const Stamp& entry) { return entry.logged <= keepAfter; };
    if (auto done = trim(connection, *log, isBefore); !done) return done;
  }
  return {};
}

}  // namespace mb::store::mongo
