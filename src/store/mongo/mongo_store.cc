#include "store/mongo/mongo_store.h"

#include "base/crypto.h"
#include "document/fields.h"
#include "store/mongo/engine.h"
#include "store/mongo/server_check.h"
#include "store/mongo/sessions.h"

namespace mb::store {

Result<std::unique_ptr<MongoStore>> MongoStore::open(MongoSettings settings, std::vector<SystemCollection> system,
                                                     const Clock& clock) {
  auto engine = std::make_unique<mongo::Engine>(std::move(settings), std::move(system), clock);
  RETURN_IF_ERROR(engine->start());
  return engine;
}

}  // namespace mb::store

namespace mb::store::mongo {

namespace {

// How long a start waits for another beat of an instance that may have been killed.
constexpr std::chrono::seconds kFirstBeats{2};
constexpr std::chrono::milliseconds kBetweenLooks{100};

doc::Document createCommand(std::string_view collection) {
  doc::BsonWriter out;
  out.appendString("create", collection);
  return out.finish();
}

doc::Document newHead(ProjectNo project) {
  return encodeHead(project, {.epoch = 1, .catalogue = 1});
}

// The name of this process, of no other one.
std::string newInstance() {
  std::array<uint8_t, 8> bytes;
  fillRandom(bytes);
  return toHex(bytes);
}

// Inserts the document unless one with its `_id` exists.
Outcome<> insertOnce(Connection& connection, const std::string& database, std::string_view collection,
                     const doc::Document& document) {
  const auto done = connection.write(database, insertCommand(collection, std::span(&document, 1)));
  if (done || done.error().code == CommandError::kDuplicateKey) return {};
  return std::unexpected(done.error());
}

}  // namespace

Deadline orDefault(Deadline deadline) {
  return deadline == Deadline() ? std::chrono::steady_clock::now() + kDefaultWait : deadline;
}

Engine::Engine(MongoSettings settings, std::vector<SystemCollection> system, const Clock& clock)
    : settings_(std::move(settings)),
      names_(settings_.prefix),
      clock_(clock),
      states_(names_, std::move(system)),
      instance_(newInstance()),
      leases_(instance_),
      context_{instance_, names_,  states_,  marks_,  notices_, listeners_,
               leases_,   groups_, unknown_, counts_, clock_,   settings_.callbackRuns},
      pool_(settings_.uri, settings_.threads,
            [this](Connection& connection, doc::DocumentView session) {
              return noteSession(connection, names_, instance_, session);
            }),
      reads_(pool_, [this](Connection& connection, const CollectionRef& collection, const std::vector<std::string>& ids,
                           Deadline deadline) { return readByIds(connection, collection, ids, deadline); }),
      direct_(pool_, settings_.uri),
      queues_(pool_, context_),
      watcher_(settings_.uri,
               {names_, states_, marks_, notices_, listeners_, leases_, unknown_, instance_, settings_.files}) {}

Engine::~Engine() {
  close();
}

void Engine::close() {
  if (closed_.exchange(true)) return;
  housekeeper_.request_stop();
  if (housekeeper_.joinable()) housekeeper_.join();
  queues_.stop();
  direct_.stop();
  pool_.stop();
  watcher_.stop();
}

Result<> Engine::healthy() const {
  if (closed_) return fail(ErrorCode::unavailable, "the server is stopping");
  if (!watcher_.fresh()) return fail(ErrorCode::unavailable, "the database does not respond");
  return {};
}

Result<> Engine::start() {
  {
    Connection connection(settings_.uri);
    RETURN_IF_ERROR(prepare(connection));
    if (auto done = endAbandonedSessions(connection, names_); !done) return fail(unavailableError(done.error()));
  }
  RETURN_IF_ERROR(watcher_.start());
  RETURN_IF_ERROR(checkFiles());
  housekeeper_ = std::jthread([this](const std::stop_token& stop) { keepHouse(stop); });
  return {};
}

Result<> Engine::prepare(Connection& connection) {
  const Content wanted = settings_.existing ? Content::existing : Content::deployment;
  RETURN_IF_ERROR(checkServer(connection, names_, settings_.incomplete ? Content::incomplete : wanted));
  // The layout is the first document, so that a start that ends in between finds its own database.
  doc::BsonWriter layout;
  layout.appendString("_id", "layout");
  layout.appendInt64("number", kLayout);
  if (auto done = insertOnce(connection, names_.shared(), kMeta, layout.finish()); !done) {
    return fail(unavailableError(done.error()));
  }
  for (const std::string_view name :
       {kHeads, kCatalogue, kCounts, kCounters, kChains, kLog, kGuards, kNotices, kBeats, kBuilds, kDrops, kMeta}) {
    const auto made = connection.run(names_.shared(), createCommand(name));
    if (!made && made.error().code != CommandError::kNamespaceExists) return fail(unavailableError(made.error()));
  }
  doc::BsonWriter projects;
  projects.appendString("_id", "projects");
  projects.appendInt64("last", kControlProject);
  if (auto done = insertOnce(connection, names_.shared(), kMeta, projects.finish()); !done) {
    return fail(unavailableError(done.error()));
  }
  if (auto done = insertOnce(connection, names_.shared(), kHeads, newHead(kControlProject)); !done) {
    return fail(unavailableError(done.error()));
  }
  for (const SystemCollection& system : states_.systemCollections()) {
    const std::string name = Names::collectionOf(system.number);
    const auto made = connection.run(names_.shared(), createCommand(name));
    if (!made && made.error().code != CommandError::kNamespaceExists) return fail(unavailableError(made.error()));
    doc::BsonWriter out;
    out.appendString("createIndexes", name);
    out.beginArray("indexes");
    size_t count = 0;
    for (const IndexSpec& spec : system.indexes) {
      const std::string named = spec.name.empty() ? defaultIndexName(spec.keys) : spec.name;
      const auto form = serverIndex({kControlProject, system.number, 0}, spec, named);
      if (!form) return fail(ErrorCode::internal, fmt::format("the index {} of {} cannot be kept", named, system.name));
      out.appendDocument(doc::arrayKey(count++), *form);
    }
    out.end();
    if (count == 0) continue;
    if (const auto done = connection.run(names_.shared(), out.finish()); !done) {
      return fail(unavailableError(done.error()));
    }
  }
  RETURN_IF_ERROR(makeExpire(connection));
  const auto floor = storeIdFloor(connection);
  if (!floor) return fail(unavailableError(floor.error()));
  idFloorMs_ = *floor;
  return {};
}

// What is needed for a time only: the server removes it.
Result<> Engine::makeExpire(Connection& connection) {
  using namespace std::chrono_literals;
  const std::pair<std::string_view, std::chrono::seconds> expiring[] = {
      {kNotices, 10min}, {kGuards, 1h}, {kBeats, 24h}};
  for (const auto& [name, after] : expiring) {
    doc::BsonWriter out;
    out.appendString("createIndexes", name);
    out.beginArray("indexes");
    out.beginDocument("0");
    out.appendString("name", "at");
    out.beginDocument("key");
    out.appendInt32("at", 1);
    out.end();
    out.appendInt64("expireAfterSeconds", after.count());
    out.end();
    out.end();
    if (const auto done = connection.run(names_.shared(), out.finish()); !done) {
      return fail(unavailableError(done.error()));
    }
  }
  return {};
}

// The beat of this instance has been seen, so of two that start together at least one sees the other.
Result<> Engine::checkFiles() {
  using Files = MongoSettings::Files;
  if (settings_.files == Files::none) return {};
  const auto conflicts = [this](const Watcher::Other& other) {
    return other.files != Files::none && (settings_.files == Files::local || other.files == Files::local);
  };
  Connection connection(settings_.uri);
  std::map<std::string, int64_t, std::less<>> before;
  const auto end = std::chrono::steady_clock::now() + kFirstBeats;
  while (true) {
    const auto others = watcher_.readOthers(connection);
    if (!others) return fail(unavailableError(others.error()));
    bool open = false;
    for (const Watcher::Other& other : *others) {
      if (!conflicts(other)) continue;
      const int64_t first = before.try_emplace(other.name, other.beat).first->second;
      if (first != other.beat) {
        return fail(ErrorCode::conflict,
                    "another server runs on this database, and one of the two keeps files on its own disk: set "
                    "SERVICE_STORAGE=s3 (or off) for all servers of a database");
      }
      open = true;
    }
    // One that was killed has left a row, too.
    if (!open || std::chrono::steady_clock::now() >= end) return {};
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Task<WriteOutcome> Engine::write(Write write, WriteCallback callback) {
  const ProjectNo project = write.project();
  co_return co_await queues_.write(project, std::move(write), std::move(callback));
}

Mark Engine::mark(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const {
  return marks_.of(project, collection, path, value);
}

// No group of the project runs that does not know the path.
Task<> Engine::markPath(ProjectNo project, CollectionNo collection, std::string path) {
  CO_TRY(doc::FieldPath parsed, doc::FieldPath::parse(path));
  states_.markPath(project, collection, std::move(parsed));
  co_return co_await queues_.exclusively(project, [](Connection&) -> Result<> { return {}; });
}

Task<ProjectNo> Engine::allocateProject() {
  co_return co_await pool_.run(kControlProject, orDefault({}), [this](Connection& connection) -> Result<ProjectNo> {
    doc::BsonWriter out;
    out.appendString("findAndModify", kMeta);
    out.beginDocument("query");
    out.appendString("_id", "projects");
    out.end();
    out.beginDocument("update");
    out.beginDocument("$inc");
    out.appendInt64("last", 1);
    out.end();
    out.end();
    out.appendBool("new", true);
    const auto next = connection.write(names_.shared(), out.finish());
    if (!next) return fail(unavailableError(next.error()));
    const auto project = static_cast<ProjectNo>(doc::integerOr(doc::containerOr(next->view(), "value"), "last"));
    const doc::Document head = newHead(project);
    const auto made = connection.write(names_.shared(), insertCommand(kHeads, std::span(&head, 1)));
    if (!made) return fail(unavailableError(made.error()));
    auto state = std::make_shared<ProjectState>();
    state->number = project;
    state->head = decodeHead(head);
    states_.set(std::move(state));
    return project;
  });
}

Epoch Engine::epoch(ProjectNo project) const {
  const auto known = states_.epoch(project);
  return {known.value_or(0), watcher_.fresh()};
}

}  // namespace mb::store::mongo
