#include "billing/event_log.h"

#include "billing/calendar.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::billing {

namespace {

constexpr uint64_t kEventPage = 200;
constexpr int kMaxCommits = 5000;
constexpr store::CollectionRef kRecords{store::kControlProject, kEvents, 0};

store::Write lowPriorityWrite(store::Deadline deadline) {
  return store::Write({.deadline = deadline,
                       .actor = {store::ActorKind::server, ""},
                       .priority = store::WritePriority::low,
                       .bumpEpochs = {}});
}

}  // namespace

EventRecord EventLog::recordOf(const ProviderEvent& event, bool applied) const {
  return {
      .id = event.id, .type = event.type, .customer = event.customer, .applied = applied, .receivedAt = clock_.now()};
}

Task<std::optional<EventRecord>> EventLog::find(std::string id) {
  CO_TRY(const auto stored, co_await store_.get(kRecords, std::move(id)));
  co_return store::fromStore<EventRecord>(stored);
}

store::Insert EventLog::insertOf(const ProviderEvent& event, bool known) const {
  return {.collection = kRecords,
          .document = doc::encode(recordOf(event, true)),
          .ifPresent = known ? store::Insert::IfPresent::keep : store::Insert::IfPresent::fail};
}

Task<> EventLog::record(ProviderEvent event, bool applied, store::Deadline deadline) {
  store::Write write({.deadline = deadline, .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const store::Target target = write.change(kRecords, event.id);
  CO_RETURN_IF_ERROR(co_await store_.write(
      std::move(write),
      [target, record = recordOf(event, applied)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(const std::optional<EventRecord> stored, store::fromStore<EventRecord>(before[target]));
        if (stored && (stored->applied || !record.applied)) return {};
        changes.put(target, doc::encode(record));
        return {};
      }));
  co_return Result<>();
}

Task<> EventLog::markApplied(std::string customer, store::Deadline deadline) {
  doc::BsonWriter waiting;
  waiting.appendString("customer", customer);
  waiting.appendBool("applied", false);
  CO_TRY(const doc::Filter filter, doc::Filter::parse(waiting.finish()));
  for (int commits = 0; commits < kMaxCommits; ++commits) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(store::queryOf(kRecords, filter, kEventPage, deadline)));
    if (found.documents.empty()) break;
    store::Write write = lowPriorityWrite(deadline);
    std::vector<store::Target> targets;
    for (const doc::Document& each : found.documents) {
      targets.push_back(write.change(kRecords, std::string(each.view().stringOr("id"))));
    }
    CO_RETURN_IF_ERROR(co_await store_.write(
        std::move(write),
        [&targets = std::as_const(targets)](const store::PreImages& before, store::Changes& changes) -> Result<> {
          for (const store::Target target : targets) {
            TRY(std::optional<EventRecord> record, store::fromStore<EventRecord>(before[target]));
            if (!record) continue;
            record->applied = true;
            changes.put(target, doc::encode(*record));
          }
          return {};
        }));
    if (found.documents.size() < kEventPage) break;
  }
  co_return Result<>();
}

Task<uint64_t> EventLog::prune() {
  doc::BsonWriter old;
  old.beginDocument("receivedAt");
  old.appendDate("$lt", Timestamp{clock_.now().ms - kEventDays * kDayMs});
  old.end();
  CO_TRY(const doc::Filter filter, doc::Filter::parse(old.finish()));
  uint64_t removed = 0;
  for (int commits = 0; commits < kMaxCommits; ++commits) {
    store::Query query = store::queryOf(kRecords, filter, kEventPage, store::readDeadline());
    query.projection = store::Projection::ids;
    CO_TRY(const store::QueryResult found, co_await store_.find(std::move(query)));
    if (found.documents.empty()) break;
    store::Write write = lowPriorityWrite(store::readDeadline());
    std::vector<store::Target> targets;
    for (const doc::Document& each : found.documents) {
      targets.push_back(write.change(kRecords, std::string(each.view().stringOr("id"))));
    }
    CO_RETURN_IF_ERROR(co_await store_.write(std::move(write), store::removing(std::move(targets))));
    removed += found.documents.size();
    if (found.documents.size() < kEventPage) break;
  }
  co_return removed;
}

}  // namespace mb::billing
