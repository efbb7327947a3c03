#include "audit/retention.h"

#include "base/log.h"

namespace mb::audit {

namespace {

constexpr uint64_t kPage = 200;
constexpr int kMaxCommits = 100;
constexpr int64_t kDayMs = 24LL * 3600 * 1000;

store::Deadline deadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

bool isOlderThan(doc::DocumentView entry, Timestamp limit) {
  const auto at = entry.find("at");
  return at && at->type() == doc::BsonType::date && at->asDate() < limit;
}

}  // namespace

std::optional<store::ChainHead> prunedUpTo(doc::DocumentView entry) {
  if (entry.stringOr("action") != kPruned) return std::nullopt;
  const auto seq = entry.findPath("details.seq");
  const auto hash = entry.findPath("details.hash");
  const auto number = seq && seq->isNumber() ? seq->toInteger() : std::nullopt;
  const auto digest = hash && hash->type() == doc::BsonType::string ? store::digestOf(hash->asString()) : std::nullopt;
  if (!number || *number < 1 || !digest) return std::nullopt;
  return store::ChainHead{static_cast<uint64_t>(*number), *digest};
}

// Entries from before the chain come first, by id; then the chain, by `seq`.
Task<std::vector<doc::Document>> Retention::oldest(store::ProjectNo project) {
  store::Query query{.collection = {project, kAuditCollection, 0},
                     .filter = {},
                     .skip = 0,
                     .limit = kPage,
                     .sort = {},
                     .deadline = deadline()};
  CO_TRY(store::QueryResult found, co_await store_.find(query));
  std::vector<doc::Document>& first = found.documents;
  const auto chainedFirst =
      std::ranges::find_if(first, [](const doc::Document& each) { return store::namesPlace(each); });
  if (chainedFirst != first.begin()) {
    first.erase(chainedFirst, first.end());
    co_return std::move(first);
  }
  doc::BsonWriter chained;
  chained.beginDocument(store::kChainSeq);
  chained.appendInt64("$gte", 1);
  chained.end();
  CO_TRY(query.filter, doc::Filter::parse(chained.finish()));
  query.sort = {{std::string(store::kChainSeq), 1}};
  query.deadline = deadline();
  CO_TRY(found, co_await store_.find(std::move(query)));
  co_return std::move(found.documents);
}

Task<> Retention::remove(store::ProjectNo project, std::span<const doc::Document> entries) {
  doc::BsonWriter details;
  details.appendInteger("entries", static_cast<int64_t>(entries.size()));
  if (const auto last = store::linkOf(entries.back())) {
    details.appendInt64("seq", static_cast<int64_t>(last->seq));
    details.appendString("hash", toHex(last->hash));
  }
  store::Write write({.deadline = deadline(),
                      .actor = {store::ActorKind::server, ""},
                      .priority = store::WritePriority::low,
                      .bumpEpochs = {}});
  std::vector<store::Target> removed;
  for (const doc::Document& entry : entries) {
    removed.push_back(write.change({project, kAuditCollection, 0}, std::string(entry.view().stringOr("id"))));
  }
  write.insert(
      auditor_.entry(project, std::string(kPruned), {"server", "", std::nullopt}, "audit", "", "", details.finish()));
  CO_RETURN_IF_ERROR(co_await store_.write(
      std::move(write),
      [&removed = std::as_const(removed)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        for (const store::Target& entry : removed) {
          if (!before[entry]) {
            return fail(ErrorCode::conflict, "the entries were removed concurrently");
          }
          changes.remove(entry);
        }
        return {};
      }));
  co_return Result<>();
}

Task<uint64_t> Retention::prune(store::ProjectNo project) {
  uint64_t removed = 0;
  if (days_ == 0) co_return removed;
  const Timestamp limit{clock_.now().ms - days_ * kDayMs};
  for (int commits = 0; commits < kMaxCommits; ++commits) {
    CO_TRY(const std::vector<doc::Document> first, co_await oldest(project));
    size_t old = 0;
    bool needsPruning = false;
    while (old < first.size() && isOlderThan(first[old], limit)) {
      needsPruning |= first[old].view().stringOr("action") != kPruned;
      ++old;
    }
    if (!needsPruning) break;
    CO_RETURN_IF_ERROR(co_await remove(project, std::span(first).first(old)));
    removed += old;
    if (old < kPage) break;
  }
  co_return removed;
}

Task<> Retention::pass(std::vector<store::ProjectNo> projects, const std::atomic<bool>& stopping) {
  for (const store::ProjectNo project : projects) {
    if (stopping || days_ == 0) break;
    const Result<uint64_t> removed = co_await prune(project);
    if (!removed) {
      logWarn("audit log pruning failed; the next pass retries it",
              {{"project", project}, {"problem", removed.error().message()}});
    }
  }
  co_return Result<>();
}

}  // namespace mb::audit
