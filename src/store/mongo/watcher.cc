#include "store/mongo/watcher.h"

#include "base/log.h"
#include "document/fields.h"
#include "store/mongo/commands.h"

namespace mb::store::mongo {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBeat{250};
constexpr milliseconds kPause{200};  // after a failure
constexpr std::chrono::seconds kStart{30};
constexpr int kWaitMs = 200;  // of the server, for the next events
// An instance that has not seen its own beats for longer does not know whether others have sent some.
constexpr std::chrono::seconds kKnown{5};
constexpr size_t kMaxSent = 64;

// The stream cannot continue from its token (ChangeStreamFatalError, ChangeStreamHistoryLost).
bool isLost(const CommandError& error) {
  return error.code == 280 || error.code == 286;
}

doc::Document streamCommand(const std::optional<doc::Document>& token) {
  doc::BsonWriter out;
  out.appendInt32("aggregate", 1);
  out.beginArray("pipeline");
  out.beginDocument("0");
  out.beginDocument("$changeStream");
  if (token) out.appendDocument("resumeAfter", *token);
  out.end();
  out.end();
  out.beginDocument("1");
  out.beginDocument("$match");
  out.beginDocument("ns.coll");
  out.beginArray("$in");
  size_t at = 0;
  for (const std::string_view name : {kHeads, kNotices, kBeats}) out.appendString(doc::arrayKey(at++), name);
  out.end();
  out.end();
  out.end();
  out.end();
  out.end();
  out.beginDocument("cursor");
  out.end();
  return out.finish();
}

doc::Document nextCommand(int64_t cursor) {
  doc::BsonWriter out;
  out.appendInt64("getMore", cursor);
  out.appendString("collection", "$cmd.aggregate");
  out.appendInt32("maxTimeMS", kWaitMs);
  return out.finish();
}

// The fields that an event shows: all of an inserted document, those that changed of an updated one.
doc::DocumentView fieldsOf(doc::DocumentView event) {
  if (event.stringOr("operationType") != "update") return doc::containerOr(event, "fullDocument");
  return doc::containerOr(doc::containerOr(event, "updateDescription"), "updatedFields");
}

BeatHistory::Beat beatOf(doc::DocumentView fields) {
  const auto number = [&](std::string_view name) -> std::optional<int64_t> {
    const auto value = fields.find(name);
    return value && value->isNumber() ? value->toInteger() : std::nullopt;
  };
  const auto at = fields.find("at");
  return {.number = number("n"),
          .at = at && at->type() == doc::BsonType::date ? std::optional(at->asDate()) : std::nullopt,
          .wakes = number("wakes"),
          .ended = doc::boolOr(fields, "ended")};
}

struct Writer {
  std::string_view instance;  // "" for none
  uint64_t group = 0;
};

// Whose commit set these fields of a head.
Writer writerOf(doc::DocumentView fields) {
  const auto groupOf = [](const doc::Element& each) {
    return static_cast<uint64_t>(each.value.isNumber() ? each.value.toInteger().value_or(0) : 0);
  };
  for (const doc::Element& each : fields) {
    if (each.key.starts_with(kGroupsPrefix)) return {each.key.substr(kGroupsPrefix.size()), groupOf(each)};
    if (each.key != kGroups || !each.value.isContainer()) continue;
    for (const doc::Element& writer : each.value.asDocument()) return {writer.key, groupOf(writer)};
  }
  return {};
}

}  // namespace

doc::Document encodeNotices(std::string_view instance, uint64_t group, Timestamp at, std::span<const Notice> notices,
                            std::span<const uint32_t> stripes) {
  doc::BsonWriter out;
  out.appendString("_id", fmt::format("{}/{}", instance, group));
  out.appendString("by", instance);
  out.appendInt64("group", static_cast<int64_t>(group));
  out.appendDate("at", at);
  out.beginArray("notices");
  for (size_t i = 0; i < notices.size(); ++i) {
    out.beginDocument(doc::arrayKey(i));
    out.appendInt64("p", notices[i].project);
    out.appendInt32("k", static_cast<int32_t>(notices[i].kind));
    out.appendBinary("key", notices[i].key);
    out.end();
  }
  out.end();
  out.beginArray("stripes");
  for (size_t i = 0; i < stripes.size(); ++i) out.appendInt64(doc::arrayKey(i), stripes[i]);
  out.end();
  return out.finish();
}

Result<> Watcher::start() {
  follower_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  beater_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kStart, [this] { return fresh(); })) return {};
  return fail(Error(ErrorCode::unavailable, "the changes of the database cannot be followed").withCause(problem_));
}

void Watcher::stop() {
  follower_.request_stop();
  beater_.request_stop();
  if (follower_.joinable()) follower_.join();
  if (beater_.joinable()) beater_.join();
}

bool Watcher::seenWithin(std::chrono::nanoseconds time) const {
  const std::chrono::nanoseconds seen(seen_.load(std::memory_order_acquire));
  return seen.count() != 0 && steady_clock::now().time_since_epoch() - seen <= time;
}

bool Watcher::fresh() const {
  return seenWithin(kEpochFreshness);
}

bool Watcher::isAlive(const std::string& instance) const {
  const std::lock_guard lock(mutex_);
  if (history_.hasEnded(instance)) return false;
  return !seenWithin(kKnown) || history_.silence(instance) <= BeatHistory::kAlive;
}

std::vector<std::string> Watcher::silentFor(std::chrono::milliseconds time) const {
  const std::lock_guard lock(mutex_);
  if (!seenWithin(kKnown)) return {};
  std::vector<std::string> silent = history_.silentFor(time);
  std::erase(silent, to_.instance);
  return silent;
}

Outcome<std::vector<Watcher::Other>> Watcher::readOthers(Connection& connection) const {
  // The times of the rows are the server's.
  int64_t own = 0;
  std::vector<std::pair<int64_t, Other>> rows;
  const auto read = [&](doc::DocumentView command) { return connection.read(to_.names.shared(), command); };
  auto done = eachDocument(read, kBeats, findAll(kBeats), [&](doc::DocumentView row) {
    const int64_t at = beatOf(row).at.value_or(Timestamp()).ms;
    if (row.stringOr("_id") == to_.instance) own = at;
    const bool other = row.stringOr("_id") != to_.instance && !doc::boolOr(row, "ended");
    if (other) {
      rows.emplace_back(at, Other{std::string(row.stringOr("_id")), doc::integerOr(row, "n"),
                                  static_cast<MongoSettings::Files>(doc::integerOr(row, "files"))});
    }
    return true;
  });
  if (!done) return std::unexpected(std::move(done).error());
  std::vector<Other> others;
  for (auto& [at, other] : rows) {
    if (own - at <= milliseconds(BeatHistory::kAlive).count()) others.push_back(std::move(other));
  }
  return others;
}

Result<bool> Watcher::hasOthers() const {
  Connection connection(uri_);
  const auto others = readOthers(connection);
  if (!others) return fail(unavailableError(others.error()));
  return !others->empty();
}

void Watcher::beat(const std::stop_token& stop) {
  Connection connection(uri_);
  int64_t wakes = 0;
  for (int64_t number = 1; !stop.stop_requested(); ++number) {
    // The others scan for work at each one.
    if (number % 2 == 0) wakes = wakes_.load(std::memory_order_relaxed);
    const Time sent = steady_clock::now();
    {
      const std::lock_guard lock(mutex_);
      sent_[number] = sent;
      if (sent_.size() > kMaxSent) sent_.erase(sent_.begin());
    }
    const doc::Document statement = upsertStatement(to_.instance, [&](doc::BsonWriter& out) {
      out.beginDocument("$set");
      out.appendInt64("n", number);
      out.appendInt64("wakes", wakes);
      out.appendInt32("files", static_cast<int32_t>(to_.files));
      if (const IdGenerator* ids = ids_) out.appendInt64("ids", ids->highestMs());
      out.end();
      // The server's clock, by which it removes the row.
      out.beginDocument("$currentDate");
      out.appendBool("at", true);
      out.end();
    });
    // A beat that fails is not seen: fresh() says so.
    (void)connection.write(to_.names.shared(), updateCommand(kBeats, statement));
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, stop, sent + kBeat, [] { return false; });
  }
  // Of an end in order: the next start need not wait for the row to become old.
  const doc::Document ended = upsertStatement(to_.instance, [](doc::BsonWriter& out) {
    out.beginDocument("$set");
    out.appendBool("ended", true);
    out.end();
  });
  (void)connection.write(to_.names.shared(), updateCommand(kBeats, ended));
}

void Watcher::noteBeat(std::string_view instance, doc::DocumentView fields) {
  bool woken = false;
  {
    const std::lock_guard lock(mutex_);
    woken = history_.note(instance, beatOf(fields)) && instance != to_.instance;
    if (instance == to_.instance) {
      const auto found = sent_.find(doc::integerOr(fields, "n"));
      if (found == sent_.end()) return;
      seen_.store(std::chrono::nanoseconds(found->second.time_since_epoch()).count(), std::memory_order_release);
      sent_.erase(sent_.begin(), std::next(found));
    }
  }
  changed_.notify_all();
  if (woken) wakeListeners_.notify();
}

void Watcher::follow(const std::stop_token& stop) {
  std::optional<doc::Document> token;
  bool logged = false;
  while (!stop.stop_requested()) {
    Connection connection(uri_);
    const auto done = readStream(stop, connection, token);
    if (done) {
      logged = false;
      continue;
    }
    if (isLost(done.error())) token.reset();
    if (!std::exchange(logged, true)) {
      logWarn("the changes of other instances cannot be followed", {{"cause", done.error().message}});
    }
    std::unique_lock lock(mutex_);
    problem_ = done.error().message;
    changed_.wait_for(lock, stop, kPause, [] { return false; });
  }
}

Outcome<> Watcher::readStream(const std::stop_token& stop, Connection& connection,
                              std::optional<doc::Document>& token) {
  auto reply = connection.run(to_.names.shared(), streamCommand(token));
  if (!reply) return std::unexpected(std::move(reply).error());
  // What happens from here on is in the stream.
  if (!token) {
    if (auto read = readMissed(connection); !read) return read;
  }
  while (!stop.stop_requested()) {
    const Batch batch = batchOf(*reply);
    for (const doc::DocumentView event : batch.documents) {
      if (event.stringOr("operationType") == "invalidate") {
        // No stream continues from here.
        token.reset();
        return {};
      }
      handle(event);
    }
    const doc::DocumentView last = doc::containerOr(doc::containerOr(reply->view(), "cursor"), "postBatchResumeToken");
    if (!last.empty()) token = doc::Document(last);
    if (batch.cursor == 0) return {};
    reply = connection.run(to_.names.shared(), nextCommand(batch.cursor));
    if (!reply) return std::unexpected(std::move(reply).error());
  }
  return {};
}

// What was committed while no stream was read: the heads hold it as they are now, and the notices and the last beats
// are read again.
Outcome<> Watcher::readMissed(Connection& connection) {
  auto changed = to_.states.loadHeads(connection);
  if (!changed) return std::unexpected(std::move(changed).error());
  to_.marks.moveAll();
  for (const auto& [project, position] : *changed) to_.listeners.notify(project, position);
  const auto read = [&](doc::DocumentView command) { return connection.read(to_.names.shared(), command); };
  auto done = eachDocument(read, kNotices, findAll(kNotices), [&](doc::DocumentView document) {
    handleNotices(document);
    return true;
  });
  // Before the first beat nothing is known that beats since then could have changed.
  if (!done || seen_ == 0) return done;
  return eachDocument(read, kBeats, findAll(kBeats), [&](doc::DocumentView row) {
    const std::lock_guard lock(mutex_);
    history_.noteRow(row.stringOr("_id"), beatOf(row));
    return true;
  });
}

void Watcher::handle(doc::DocumentView event) {
  const std::string_view collection = doc::containerOr(event, "ns").stringOr("coll");
  const doc::DocumentView key = doc::containerOr(event, "documentKey");
  const doc::DocumentView fields = fieldsOf(event);
  if (collection == kHeads) return handleHead(key, fields);
  if (collection == kNotices) return handleNotices(fields);
  // The removal of an old row has no fields.
  if (collection == kBeats && !fields.empty()) noteBeat(key.stringOr("_id"), fields);
}

bool Watcher::isKnown(std::string_view instance, uint64_t group) const {
  return instance == to_.instance && !to_.unknown.contains(group);
}

void Watcher::handleHead(doc::DocumentView key, doc::DocumentView fields) {
  const auto project = static_cast<ProjectNo>(doc::integerOr(key, "_id"));
  // This instance knows its own commits, and makes them known before it returns to their writers.
  const Writer writer = writerOf(fields);
  if (isKnown(writer.instance, writer.group)) return;
  to_.states.noteHead(project, fields);
  // The documents that changed are not known.
  if (to_.states.hasMarkedPaths(project)) to_.marks.moveAll();
  if (!writer.instance.empty() && writer.instance != to_.instance) {
    const auto lease = fields.find("lease");
    const bool named = lease && lease->type() == doc::BsonType::string;
    to_.leases.note(project, named ? std::optional(lease->asString()) : std::nullopt);
  }
  if (const auto position = to_.states.takeGrowth(project)) to_.listeners.notify(project, *position);
}

void Watcher::handleNotices(doc::DocumentView document) {
  if (document.empty()) return;
  if (isKnown(document.stringOr("by"), static_cast<uint64_t>(doc::integerOr(document, "group")))) return;
  std::vector<uint32_t> stripes;
  for (const doc::Element& each : doc::containerOr(document, "stripes")) {
    if (each.value.isNumber()) stripes.push_back(static_cast<uint32_t>(each.value.toInteger().value_or(0)));
  }
  to_.marks.move(stripes);
  to_.notices.notifyBatch([&](const auto& notify) {
    for (const doc::Element& each : doc::containerOr(document, "notices")) {
      if (!each.value.isContainer()) continue;
      const doc::DocumentView one = each.value.asDocument();
      const auto bytes = one.find("key");
      if (!bytes || bytes->type() != doc::BsonType::binary) continue;
      notify(Notice{static_cast<ProjectNo>(doc::integerOr(one, "p")), static_cast<NoticeKind>(doc::integerOr(one, "k")),
                    std::string(bytes->asBinary())});
    }
  });
}

}  // namespace mb::store::mongo
