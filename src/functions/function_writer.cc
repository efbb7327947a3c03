#include "functions/function_writer.h"

#include "functions/function_rules.h"
#include "functions/run_log.h"
#include "functions/timetable.h"
#include "identity/audited_write.h"
#include "identity/records.h"
#include "store/records.h"

namespace mb::functions {

namespace {

using Before = std::span<const std::optional<doc::Document>>;
using Changes = std::vector<store::Change>;

constexpr int kMostTries = 10;
// Of a document of a system collection there may be 2 MiB.
constexpr size_t kMostRecordBytes = (2 << 20) - (64 << 10);

store::CollectionRef in(const Access& access, store::CollectionNo collection) {
  return {access.project->info().number, collection, 0};
}

bool followsChanges(const FunctionRecord& record) {
  return record.enabled && record.timing == "post" && record.trigger.view().stringOr("type") == "database";
}

// Whether `after` is to see changes that `before` did not.
bool begins(const std::optional<FunctionRecord>& before, const FunctionRecord& after) {
  if (!followsChanges(after)) return false;
  if (!before || !followsChanges(*before)) return true;
  return before->collectionNo != after.collectionNo ||
         before->trigger.view().stringOr("collection") != after.trigger.view().stringOr("collection");
}

bool isAnother(const FunctionRecord& before, const FunctionRecord& after) {
  return before.code != after.code || before.trigger != after.trigger || before.collectionNo != after.collectionNo ||
         before.timing != after.timing || before.timeoutMs != after.timeoutMs ||
         before.flow.value.has_value() != after.flow.value.has_value();
}

VersionRecord versionOf(const FunctionRecord& record, const policy::Caller& by) {
  return {versionKey(record.functionId, record.version),
          record.version,
          record.trigger,
          record.collectionNo,
          record.timing,
          record.timeoutMs,
          record.code,
          record.flow,
          record.updatedAt,
          by.id};
}

// What is told of a function that was changed; never its code.
doc::Document detailsOf(const FunctionRecord& record) {
  doc::BsonWriter out;
  out.appendDocument("trigger", record.trigger);
  out.appendString("timing", record.timing);
  out.appendBool("enabled", record.enabled);
  doc::encodeValue(out, "timeoutMs", record.timeoutMs);
  out.appendInteger("version", record.version);
  return out.finish();
}

}  // namespace

std::string versionKey(const std::string& functionId, int64_t version) {
  return fmt::format("{}/{:02}", functionId, version % kMostVersions);
}

Error noFunction() {
  return Error(ErrorCode::notFound, "no such function");
}

Task<store::JudgeOutcome> FunctionWriter::commit(const Access& access, std::vector<store::WriteTarget> targets,
                                                 store::Judge judge, std::string action, const std::string& name,
                                                 doc::Document details) {
  identity::Audited audited{std::move(action), "functions/" + name, std::move(details)};
  co_return co_await identity::writeAudited(deps_.store, deps_.auditor, access.project->info().number, access.caller,
                                            access.deadline, std::move(targets), std::move(judge), std::move(audited));
}

// `before` as it is stored, nothing for a new one. `stale`: it is no more what is stored, and nothing was done.
Task<FunctionRecord> FunctionWriter::write(Access access, std::optional<doc::Document> before, FunctionRecord after,
                                           std::string action, bool isVersion, bool& stale) {
  const snapshot::ProjectInfo& project = access.project->info();
  CO_TRY(const std::optional<FunctionRecord> stood, store::fromStore<FunctionRecord>(before));
  const bool cuts = !stood || isVersion || isAnother(*stood, after);
  after.version = stood ? stood->version + (cuts ? 1 : 0) : 1;
  after.route = routeOf(after.trigger);
  after.updatedAt = deps_.clock.now();
  if (doc::encode(after).size() > kMostRecordBytes) {
    co_return fail(asError({{"/code", "is too large together with its flow, its tests and what runs of it"}}));
  }
  std::vector<store::WriteTarget> targets{{in(access, kFunctions), after.id},
                                          timetableTarget(project.number, after.functionId)};
  if (cuts) targets.push_back({in(access, kVersions), versionKey(after.functionId, after.version)});
  std::optional<events::Dispatcher::Joining> joining;
  if (begins(stood, after)) {
    joining = deps_.dispatcher.join(project);
    after.after = static_cast<int64_t>(joining->after);
    targets.push_back(joining->target());
  }
  doc::Document stored = doc::encode(after);
  store::Judge judge = [&](Before found) -> Result<Changes> {
    stale = found[0].has_value() != before.has_value() || (before && found[0]->bytes() != before->bytes());
    if (stale) return fail(ErrorCode::conflict, "the function was changed at the same time");
    Changes changes;
    changes.push_back(store::Change::put(std::move(stored)));
    changes.push_back(timetableChange(found[1], project, after, after.updatedAt));
    if (cuts) changes.push_back(store::Change::put(doc::encode(versionOf(after, access.caller))));
    if (joining) {
      TRY(store::Change joins, joining->change(found[changes.size()]));
      changes.push_back(std::move(joins));
    }
    return changes;
  };
  const Result<store::JudgeOutcome> done =
      co_await commit(access, std::move(targets), std::move(judge), std::move(action), after.id, detailsOf(after));
  if (joining) deps_.dispatcher.joined(*joining);
  if (!done) co_return fail(done.error().clone());
  if (done->committed()) co_return after;
  co_return fail(Error(ErrorCode::conflict, fmt::format("another function answers {}", after.route.value_or("")))
                     .withDetail("/trigger/path", "is answered by another function"));
}

Task<FunctionRecord> FunctionWriter::insert(Access access, FunctionRecord record) {
  bool stale = false;
  record.createdAt = deps_.clock.now();
  auto done = co_await write(std::move(access), std::nullopt, std::move(record), "function.created", true, stale);
  if (stale) co_return fail(ErrorCode::conflict, "there is a function of this name already");
  co_return done;
}

Task<FunctionRecord> FunctionWriter::change(Access access, std::string name, Edit edit) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    CO_TRY(const std::optional<doc::Document> stored, co_await deps_.store.get(in(access, kFunctions), name));
    CO_TRY(std::optional<FunctionRecord> record, store::fromStore<FunctionRecord>(stored));
    if (!record) co_return fail(noFunction());
    CO_CHECK(edit.merge(*record));
    bool stale = false;
    auto done = co_await write(access, stored, *std::move(record), edit.action, edit.isVersion, stale);
    if (!stale) co_return done;
  }
  co_return fail(ErrorCode::conflict, "the function is being changed by others");
}

Task<> FunctionWriter::remove(Access access, std::string name, std::string functionId) {
  const store::ProjectNo project = access.project->info().number;
  std::vector<store::WriteTarget> targets{{in(access, kFunctions), name}, timetableTarget(project, functionId)};
  for (int64_t i = 0; i < kMostVersions; ++i) targets.push_back({in(access, kVersions), versionKey(functionId, i)});
  std::vector<store::WriteTarget> runs = RunLog::allOf(project, functionId);
  std::ranges::move(runs, std::back_inserter(targets));
  const size_t along = targets.size();
  store::Judge judge = [&](Before before) -> Result<Changes> {
    TRY(const std::optional<FunctionRecord> record, store::fromStore<FunctionRecord>(before[0]));
    if (!record || record->functionId != functionId) return fail(noFunction());
    Changes changes;
    changes.push_back(store::Change::remove());
    changes.push_back(timetableRemoval(before[1]));
    while (changes.size() < along) {
      changes.push_back(before[changes.size()] ? store::Change::remove() : store::Change::keep());
    }
    return changes;
  };
  CO_CHECK(co_await commit(access, std::move(targets), std::move(judge), "function.deleted", name, {}));
  co_return Result<>();
}

}  // namespace mb::functions
