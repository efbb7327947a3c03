// Counters and counts compared with the documents behind them.
#include "base/log.h"
#include "document/fields.h"
#include "store/chain.h"
#include "store/mongo/attempt.h"
#include "store/mongo/engine.h"
#include "store/mongo/log_entry.h"

namespace mb::store::mongo {

namespace {

constexpr size_t kMaxProblems = 100;

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
  CheckReport report;
  const auto add = [&](std::string problem) {
    if (report.problems.size() < kMaxProblems) report.problems.push_back(std::move(problem));
  };
  Connection connection(settings_.uri);
  Transaction transaction(connection);
  const auto scan = [&]() -> Outcome<> {
    if (auto begun = transaction.begin(); !begun) return begun;
    std::map<ProjectNo, Head> heads;
    auto read = transaction.each(names_.shared(), kHeads, findAll(kHeads), [&](doc::DocumentView view) {
      heads[static_cast<ProjectNo>(doc::integerOr(view, "_id"))] = decodeHead(view);
    });
    if (!read) return read;
    std::map<std::string, CollectionStats> counts;
    read = transaction.each(names_.shared(), kCounts, findAll(kCounts), [&](doc::DocumentView view) {
      counts[std::string(view.stringOr("_id"))] = {static_cast<uint64_t>(doc::integerOr(view, "n")),
                                                   static_cast<uint64_t>(doc::integerOr(view, "bytes"))};
    });
    if (!read) return read;
    for (const auto& [project, head] : heads) {
      if (head.dead) continue;
      // The positions of the change log.
      uint64_t expected = head.lostUpTo;
      auto logged =
          transaction.each(names_.shared(), kLog,
                           findAll(kLog,
                                   [&](doc::BsonWriter& out) {
                                     out.beginDocument("_id");
                                     out.appendBinary("$gte", logId(project, 0));
                                     out.appendBinary("$lte", logId(project, UINT64_MAX));
                                     out.end();
                                   }),
                           [&](doc::DocumentView view) {
                             const auto entry = decodeLogEntry(view);
                             if (!entry) {
                               add(fmt::format("an entry of the change log of project {} is corrupt", project));
                             } else if (entry->position != ++expected) {
                               add(fmt::format("the change log of project {} has {} in place of {}", project,
                                               entry->position, expected));
                               expected = entry->position;
                             }
                           });
      if (!logged) return logged;
      if (expected != head.position) {
        add(fmt::format("the change log of project {} ends at {}, its head says {}", project, expected, head.position));
      }
    }
    // Counts of collections.
    const auto compare = [&](ProjectNo project, CollectionNo collection) -> Outcome<> {
      if (!isCounted(states_, collection)) return {};
      CollectionStats is;
      const std::string name = Names::collectionOf(collection);
      auto documents =
          transaction.each(names_.databaseOf(project, collection), name,
                           findAll(name,
                                   [&](doc::BsonWriter& out) {
                                     if (isSystem(collection)) out.appendInt64("_p", project);
                                   }),
                           [&](doc::DocumentView view) {
                             const auto document = unstored(collection, view);
                             if (!document) {
                               add(fmt::format("a document of {} of project {} is corrupt", name, project));
                               return;
                             }
                             ++is.documents;
                             ++report.documents;
                             is.bytes += document->document.size();
                           });
      if (!documents) return documents;
      const CollectionStats was = counts[countId(project, collection, "")];
      if (was.documents != is.documents || was.bytes != is.bytes) {
        add(fmt::format("{} of project {} holds {} documents of {} bytes, counted are {} of {}", name, project,
                        is.documents, is.bytes, was.documents, was.bytes));
      }
      return {};
    };
    for (const auto& [project, head] : heads) {
      if (head.dead) continue;
      for (const SystemCollection& system : states_.systemCollections()) {
        if (auto done = compare(project, system.number); !done) return done;
      }
      std::vector<CollectionNo> numbers;
      auto catalogue =
          transaction.each(names_.shared(), kCatalogue, findWhere(kCatalogue, "_id.p", project),
                           [&](doc::DocumentView view) { numbers.push_back(decodeCollection(view).number); });
      if (!catalogue) return catalogue;
      for (const CollectionNo number : numbers) {
        if (auto done = compare(project, number); !done) return done;
      }
    }
    return {};
  };
  if (const auto done = scan(); !done)
    add(fmt::format("the check failed: {} {}", done.error().code, done.error().message));
  return report;
}

}  // namespace mb::store::mongo
