// Counters compared with the documents behind them.
#include "base/log.h"
#include "document/fields.h"
#include "store/mongo/attempt.h"
#include "store/mongo/engine.h"
#include "store/mongo/store_check.h"

namespace mb::store::mongo {

namespace {

std::unexpected<Error> stopped() {
  return fail(ErrorCode::unavailable, "the recount of counters was stopped");
}

CounterKey counterOf(doc::DocumentView row) {
  return {static_cast<ProjectNo>(doc::integerOr(row, "p")), static_cast<CounterNo>(doc::integerOr(row, "k")),
          std::string(row.stringOr("g"))};
}

}  // namespace

Outcome<std::map<CounterKey, int64_t>> Engine::sumCounters(Transaction& transaction, ProjectNo project) {
  std::map<CounterKey, int64_t> sums;
  for (const SystemCollection& system : states_.systemCollections()) {
    if (system.counters.empty()) continue;
    const std::string name = Names::collectionOf(system.number);
    auto read = transaction.each(names_.shared(), name, findWhere(name, "_p", project), [&](doc::DocumentView view) {
      const auto found = unstored(system.number, view);
      if (!found) return;
      for (const CounterSource& source : system.counters) {
        auto counted = countedOf(source, found->document);
        if (!counted) continue;
        sums[{project, source.counter, std::move(counted->first)}] += counted->second;
      }
    });
    if (!read) return std::unexpected(std::move(read).error());
  }
  return sums;
}

Result<CounterRecount> Engine::recountNow(Connection& connection, ProjectNo project, const RecountOptions& options) {
  const auto ended = [&] {
    return (options.stop != nullptr && *options.stop) ||
           std::chrono::steady_clock::now() >= orDefault(options.deadline);
  };
  while (true) {
    if (ended()) return stopped();
    auto state = states_.reload(connection, project);
    if (!state) return fail(unavailableError(state.error()));
    if (!*state || (*state)->head.dead) return fail(ErrorCode::notFound, "no such project");
    CounterRecount recount;
    Transaction transaction(connection);
    const auto run = [&]() -> Outcome<> {
      if (auto begun = transaction.begin(); !begun) return begun;
      auto sums = sumCounters(transaction, project);
      if (!sums) return std::unexpected(std::move(sums).error());
      std::map<CounterKey, int64_t> stored;
      auto read = transaction.each(names_.shared(), kCounters, findWhere(kCounters, "p", project),
                                   [&](doc::DocumentView row) { stored[counterOf(row)] = doc::integerOr(row, "n"); });
      if (!read) return read;
      for (const auto& [key, _] : stored) sums->try_emplace(key, 0);
      std::vector<doc::Document> statements;
      for (const auto& [key, is] : *sums) {
        const auto row = stored.find(key);
        const int64_t was = row == stored.end() ? 0 : row->second;
        if (was != 0 || is != 0) ++recount.counters;
        if (was == is) continue;
        std::string name;
        for (const SystemCollection& system : states_.systemCollections()) {
          for (const CounterSource& source : system.counters) {
            if (source.counter == key.counter) name = source.name;
          }
        }
        recount.corrections.push_back({key, name, was, is});
        statements.push_back(counterStatement(key, is - was));
      }
      if (!options.correct || statements.empty()) return {};
      if (auto done = transaction.update(names_.shared(), kCounters, statements); !done) return done;
      return transaction.commit(std::chrono::steady_clock::now() + std::chrono::seconds(5));
    };
    const auto done = run();
    if (done) return recount;
    if (!done.error().transient && done.error().code != CommandError::kWriteConflict) {
      return fail(unavailableError(done.error()));
    }
  }
}

Task<CounterRecount> Engine::recountCounters(ProjectNo project, RecountOptions options) {
  CO_TRY(CounterRecount recount,
         co_await queues_.exclusively(project, [this, project, options](Connection& connection) {
           return recountNow(connection, project, options);
         }));
  for (const CounterCorrection& each : recount.corrections) {
    if (!options.correct) break;
    logWarn("a counter differed from its documents and was corrected", {{"project", project},
                                                                        {"counter", each.name},
                                                                        {"group", each.counter.group},
                                                                        {"was", each.was},
                                                                        {"is", each.is}});
  }
  co_return recount;
}

CheckReport Engine::check() {
  Connection connection(settings_.uri);
  return StoreCheck(connection, names_, states_).run();
}

}  // namespace mb::store::mongo
