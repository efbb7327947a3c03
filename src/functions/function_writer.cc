#include "functions/function_writer.h"

#include "functions/function_rules.h"
#include "functions/run_log.h"
#include "functions/timetable.h"
#include "identity/audited_write.h"
#include "store/records.h"
#include "store/retry.h"

namespace mb::functions {

namespace {

constexpr int kMaxAttempts = 10;
// A document of a system collection has at most 2 MiB.
constexpr size_t kMaxRecordBytes = (2 << 20) - (64 << 10);

store::CollectionRef in(const Access& access, store::CollectionNo collection) {
  return {access.project->info().number, collection, 0};
}

bool followsChanges(const FunctionRecord& record) {
  return record.enabled && record.timing == "post" && record.trigger.view().stringOr("type") == "database";
}

// Whether `after` follows changes that `before` did not.
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

// The details of the audit entry; never the code.
doc::Document detailsOf(const FunctionRecord& record) {
  doc::BsonWriter out;
  out.appendDocument("trigger", record.trigger);
  out.appendString("timing", record.timing);
  out.appendBool("enabled", record.enabled);
  doc::encodeValue(out, "timeoutMs", record.timeoutMs);
  doc::encodeValue(out, "retry", record.retry);
  out.appendInteger("version", record.version);
  return out.finish();
}

}  // namespace

std::string versionKey(const std::string& functionId, int64_t version) {
  return fmt::format("{}/{:02}", functionId, version % kMaxVersions);
}

Error noFunction() {
  return Error(ErrorCode::notFound, "no such function");
}

Task<FunctionRecord> FunctionWriter::write(Access access, std::optional<doc::Document> before, FunctionRecord after,
                                           std::string action, bool isVersion) {
  const snapshot::ProjectInfo& project = access.project->info();
  CO_TRY(const std::optional<FunctionRecord> previous, store::fromStore<FunctionRecord>(before));
  const bool newVersion = !previous || isVersion || isAnother(*previous, after);
  after.version = previous ? previous->version + (newVersion ? 1 : 0) : 1;
  after.route = routeOf(after.trigger);
  after.updatedAt = deps_.clock.now();
  if (doc::encode(after).size() > kMaxRecordBytes) {
    co_return fail(asError({{"/code", "is too large together with its flow, its tests and its compiled form"}}));
  }
  store::Write write =
      identity::auditedWrite(deps_.auditor, access, {std::move(action), "functions/" + after.id, detailsOf(after)});
  const store::Target function = write.change(in(access, kFunctions), after.id);
  const store::Target timetable = write.change(timetableTarget(project.number, after.functionId));
  std::optional<store::Target> version;
  if (newVersion) version = write.change(in(access, kVersions), versionKey(after.functionId, after.version));
  std::optional<events::Dispatcher::Joining> joining;
  std::optional<store::Target> cursor;
  if (begins(previous, after)) {
    CO_TRY(joining, co_await deps_.dispatcher.join(project));
    after.after = static_cast<int64_t>(joining->after);
    cursor = write.change(joining->target());
  }
  auto callback = [function, timetable, version, cursor, &project = std::as_const(project),
                   &before = std::as_const(before), &after = std::as_const(after),
                   &caller = std::as_const(access.caller), &joining = std::as_const(joining)](
                      const store::PreImages& found, store::Changes& changes) -> Result<> {
    const std::optional<doc::Document>& now = found[function];
    if (now.has_value() != before.has_value() || (before && now->bytes() != before->bytes())) {
      return fail(ErrorCode::retry, "the function was changed concurrently");
    }
    changes.put(function, doc::encode(after));
    changes.set(timetable, timetableChange(found[timetable], project, after, after.updatedAt));
    if (version) changes.put(*version, doc::encode(versionOf(after, caller)));
    if (joining) {
      TRY(store::Change joins, joining->change(found[*cursor]));
      changes.set(*cursor, std::move(joins));
    }
    return {};
  };
  const auto done = co_await deps_.store.write(std::move(write), std::move(callback));
  if (joining) deps_.dispatcher.joined(*joining);
  if (done) co_return after;
  const Violation* violation = store::indexViolation(done.error());
  if (!violation) co_return fail(done.error().clone());
  const std::string message = fmt::format("{} is the route of another function", after.route.value_or(""));
  co_return fail(Error(ErrorCode::conflict, message).withDetail("/trigger/path", "is the route of another function"));
}

Task<FunctionRecord> FunctionWriter::insert(Access access, FunctionRecord record) {
  record.createdAt = deps_.clock.now();
  auto done = co_await write(std::move(access), std::nullopt, std::move(record), "function.created", true);
  if (!done && done.error().code() == ErrorCode::retry) {
    co_return fail(ErrorCode::conflict, "there is a function of this name already");
  }
  co_return done;
}

Task<FunctionRecord> FunctionWriter::change(Access access, std::string name, Edit edit) {
  co_return co_await store::retryWrite(
      kMaxAttempts, Error(ErrorCode::conflict, "the function is being changed by other requests: try again"),
      [&] { return changeOnce(access, name, edit); });
}

Task<FunctionRecord> FunctionWriter::changeOnce(Access access, std::string name, Edit edit) {
  CO_TRY(const std::optional<doc::Document> stored, co_await deps_.store.get(in(access, kFunctions), name));
  CO_TRY(std::optional<FunctionRecord> record, store::fromStore<FunctionRecord>(stored));
  if (!record) co_return fail(noFunction());
  CO_RETURN_IF_ERROR(edit.merge(*record));
  co_return co_await write(std::move(access), stored, *std::move(record), edit.action, edit.isVersion);
}

Task<> FunctionWriter::remove(Access access, std::string name, std::string functionId) {
  const store::ProjectNo project = access.project->info().number;
  store::Write write = identity::auditedWrite(deps_.auditor, access, {"function.deleted", "functions/" + name, {}});
  const store::Target function = write.change(in(access, kFunctions), std::move(name));
  std::vector<store::Target> others = write.change(RunLog::allOf(project, functionId));
  others.push_back(write.change(timetableTarget(project, functionId)));
  for (int64_t i = 0; i < kMaxVersions; ++i) {
    others.push_back(write.change(in(access, kVersions), versionKey(functionId, i)));
  }
  auto callback = [function, &others = std::as_const(others), &functionId = std::as_const(functionId)](
                      const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(const std::optional<FunctionRecord> record, store::fromStore<FunctionRecord>(before[function]));
    if (!record || record->functionId != functionId) return fail(noFunction());
    changes.remove(function);
    for (const store::Target other : others) changes.remove(other);
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), std::move(callback)));
  co_return Result<>();
}

}  // namespace mb::functions
