// What each instance does once a minute for all: trims the change logs, continues index builds whose instance ended,
// repeats drops that the server did not carry out, and forgets such instances; and, as soon as it notices one, ends the
// sessions of an instance that was killed. All of it may be done by several at once.
#include <boost/asio/co_spawn.hpp>
#include <random>
#include <set>

#include "base/log.h"
#include "document/fields.h"
#include "store/mongo/beat_history.h"
#include "store/mongo/commands.h"
#include "store/mongo/drops.h"
#include "store/mongo/engine.h"
#include "store/mongo/sessions.h"

namespace mb::store::mongo {

namespace {

// An unready index without a registered build may be one whose build begins now.
constexpr std::chrono::seconds kUnregistered{60};
// Twenty beats. A live instance that sends none for as long runs its transactions again.
constexpr std::chrono::seconds kSilence{5};
constexpr std::chrono::seconds kLookForSilence{1};

}  // namespace

Result<> Engine::runHere(Task<> task) {
  std::optional<Result<>> result;
  asio::co_spawn(housekeeping_.get_executor(), std::move(task), [&](std::exception_ptr exception, Result<> ended) {
    if (exception) ended = fail(ErrorCode::internal, "something went wrong on the server");
    result = std::move(ended);
  });
  while (!result) housekeeping_.run_one();
  return *std::move(result);
}

void Engine::keepHouse(const std::stop_token& stop) {
  std::minstd_rand random(std::random_device{}());
  Connection connection(settings_.uri);
  // Not all instances at once.
  const auto next = [&] {
    return std::chrono::steady_clock::now() + settings_.housekeeping / 2 +
           settings_.housekeeping * static_cast<int>(random() % 1000) / 1000;
  };
  auto pass = next();
  while (true) {
    {
      std::unique_lock lock(housekeepingMutex_);
      const auto look = std::chrono::steady_clock::now() + kLookForSilence;
      housekeepingWake_.wait_until(lock, stop, std::min(pass, look), [] { return false; });
    }
    if (stop.stop_requested()) return;
    // A pass continues the builds of an instance once that counts as ended.
    if (endSilentSessions(connection)) {
      pass = std::min(pass, std::chrono::steady_clock::now() + BeatHistory::kAlive - kSilence + kLookForSilence);
    }
    if (std::chrono::steady_clock::now() < pass) continue;
    passHousekeeping(connection);
    pass = next();
  }
}

bool Engine::endSilentSessions(Connection& connection) {
  bool any = false;
  const std::vector<std::string> silent = watcher_.silentFor(kSilence);
  std::erase_if(silent_, [&](const std::string& each) { return std::ranges::find(silent, each) == silent.end(); });
  for (const std::string& each : silent) {
    if (silent_.contains(each)) continue;
    if (const auto done = endSessionsOf(connection, names_, each); !done) {
      logWarn("the sessions of a silent instance were not ended; this is tried again",
              {{"instance", each}, {"cause", done.error().message}});
      continue;
    }
    logInfo("ended the sessions of an instance that sends no beats", {{"instance", each}});
    silent_.insert(each);
    any = true;
  }
  return any;
}

void Engine::passHousekeeping(Connection& connection) {
  const LogTrimmer trimmer(names_, states_, settings_.logLimits);
  const auto report = [](std::string_view work, const Outcome<>& done) {
    if (!done) logWarn("housekeeping failed; it runs again", {{"work", work}, {"cause", done.error().message}});
  };
  report("change logs", trimmer.run(connection, clock_.now()));
  report("index builds", resumeBuilds(connection));
  report("drops", repeatDrops(connection));
  report("instances", dropOldInstances(connection));
  const auto floor = storeIdFloor(connection);
  report("the time of ids", floor ? Outcome<>() : std::unexpected(floor.error()));
}

Outcome<> Engine::resumeBuilds(Connection& connection) {
  struct Build {
    CollectionRef collection;
    IndexInfo index;
  };
  std::vector<Build> found;
  const auto read = [&](doc::DocumentView command) { return connection.read(names_.shared(), command); };
  const auto unready = findAll(kCatalogue, [](doc::BsonWriter& out) { out.appendBool("indexes.ready", false); });
  auto done = eachDocument(read, kCatalogue, unready, [&](doc::DocumentView view) {
    const CollectionInfo info = decodeCollection(view);
    const auto project = static_cast<ProjectNo>(doc::integerOr(doc::containerOr(view, "_id"), "p"));
    for (const IndexInfo& each : info.indexes) {
      if (!each.ready) found.push_back({{project, info.number, info.version}, each});
    }
    return true;
  });
  if (!done) return done;
  std::map<BuildKey, std::string> registered;
  done = eachDocument(read, kBuilds, findAll(kBuilds), [&](doc::DocumentView view) {
    registered[{static_cast<ProjectNo>(doc::integerOr(view, "p")), static_cast<CollectionNo>(doc::integerOr(view, "c")),
                static_cast<IndexNo>(doc::integerOr(view, "i"))}] = view.stringOr("by");
    return true;
  });
  if (!done) return done;
  std::set<BuildKey> seen;
  const auto now = std::chrono::steady_clock::now();
  for (const Build& build : found) {
    const BuildKey key{build.collection.project, build.collection.number, build.index.number};
    const auto by = registered.find(key);
    if (by != registered.end()) {
      // One of this instance may have lost the database before its end.
      if (by->second == instance_ ? isRunning(key) : watcher_.isAlive(by->second)) continue;
    } else {
      seen.insert(key);
      const auto first = unregistered_.try_emplace(key, now).first->second;
      if (now - first < std::min<std::chrono::nanoseconds>(kUnregistered, 2 * settings_.housekeeping)) continue;
    }
    logInfo("continuing the build of an index",
            {{"project", build.collection.project}, {"index", build.index.spec.name}});
    if (auto noted = registerBuild(connection, build.collection, build.index.number); !noted) return noted;
    const Result<> built = buildNow(connection, build.collection, build.index);
    // Of a failure that is the server's the next pass makes another attempt.
    if (!built && built.error().code() == ErrorCode::unavailable) continue;
    const Result<> ended = runHere(endBuild(build.collection, build.index.number, built.has_value(), {}));
    if (!ended) logInfo("the index of a build was dropped", {{"index", build.index.spec.name}});
  }
  std::erase_if(unregistered_, [&](const auto& entry) { return !seen.contains(entry.first); });
  // Rows of builds that ended.
  for (const auto& [key, by] : registered) {
    const bool unreadyStill = std::ranges::any_of(found, [&](const Build& build) {
      return BuildKey(build.collection.project, build.collection.number, build.index.number) == key;
    });
    if (unreadyStill || watcher_.isAlive(by)) continue;
    removeBuild(connection, {std::get<0>(key), std::get<1>(key), 0}, std::get<2>(key));
  }
  return {};
}

// What the server did not drop when it left the catalogue, or whose instance ended before.
Outcome<> Engine::repeatDrops(Connection& connection) {
  const auto projects = projectsWithDrops(connection, names_);
  if (!projects) return std::unexpected(projects.error());
  for (const ProjectNo project : *projects) {
    // A queue that is full or stops leaves it to the next pass.
    (void)runHere(queues_.exclusively(project, [this, project](Connection& own) -> Result<> {
      executingDrops(project)(own);
      return {};
    }));
  }
  return {};
}

// A head holds a number for each instance that committed; those without a beat for a day have ended.
Outcome<> Engine::dropOldInstances(Connection& connection) {
  const auto read = [&](doc::DocumentView command) { return connection.read(names_.shared(), command); };
  std::set<std::string, std::less<>> known;
  auto done = eachDocument(read, kBeats, findAll(kBeats), [&](doc::DocumentView view) {
    known.emplace(view.stringOr("_id"));
    return true;
  });
  if (!done) return done;
  std::vector<doc::Document> statements;
  done = eachDocument(read, kHeads, findAll(kHeads), [&](doc::DocumentView view) {
    std::vector<std::string> gone;
    for (const doc::Element& each : doc::containerOr(view, kGroups)) {
      if (!known.contains(each.key)) gone.emplace_back(each.key);
    }
    if (gone.empty()) return true;
    doc::BsonWriter out;
    out.beginDocument("q");
    out.appendInt64("_id", doc::integerOr(view, "_id"));
    out.end();
    out.beginDocument("u");
    out.beginDocument("$unset");
    for (const std::string& instance : gone) out.appendString(fmt::format("{}{}", kGroupsPrefix, instance), "");
    out.end();
    out.end();
    statements.push_back(out.finish());
    return statements.size() < kCommandStatements;
  });
  if (!done || statements.empty()) return done;
  auto written = connection.write(names_.shared(), statementsCommand("update", kHeads, "updates", statements));
  if (!written) return std::unexpected(std::move(written).error());
  return {};
}

Outcome<int64_t> Engine::storeIdFloor(Connection& connection) {
  const auto read = [&](doc::DocumentView command) { return connection.read(names_.shared(), command); };
  int64_t highest = 0;
  auto done = eachDocument(read, kBeats, findAll(kBeats), [&](doc::DocumentView beat) {
    highest = std::max(highest, doc::integerOr(beat, "ids"));
    return true;
  });
  if (!done) return std::unexpected(std::move(done).error());
  doc::BsonWriter out;
  out.appendString("findAndModify", kMeta);
  out.beginDocument("query");
  out.appendString("_id", "ids");
  out.end();
  out.beginDocument("update");
  out.beginDocument("$max");
  out.appendInt64("ms", highest);
  out.end();
  out.end();
  out.appendBool("upsert", true);
  out.appendBool("new", true);
  const auto stored = connection.write(names_.shared(), out.finish());
  if (!stored) return std::unexpected(stored.error());
  return doc::integerOr(doc::containerOr(stored->view(), "value"), "ms");
}

}  // namespace mb::store::mongo
