#include "storage/file_access.h"

#include <algorithm>

#include "base/work_budget.h"
#include "policy/required_permission.h"
#include "policy/trace_steps.h"

namespace mb::storage {

namespace {

using policy::Operation;

constexpr std::string_view kDefaultRole = "user";
constexpr policy::RequiredPermission kRead = "storage:read";
constexpr policy::RequiredPermission kWrite = "storage:write";
constexpr policy::RequiredPermission kManage = "storage:manage";

Result<> require(const policy::Caller& caller, policy::RequiredPermission permission, policy::Trace* trace = nullptr) {
  if (caller.kind == policy::CallerKind::anonymous) {
    return fail(ErrorCode::unauthenticated, "this needs a bearer token");
  }
  const std::string* by = caller.permissions->granting(permission);
  if (trace != nullptr) policy::tracePermission(*trace, permission, by);
  if (by != nullptr) return {};
  return fail(ErrorCode::forbidden, fmt::format("this needs the permission {}", std::string_view(permission)));
}

bool rulesHoldFor(const policy::Caller& caller) {
  switch (caller.kind) {
    case policy::CallerKind::server:
      return false;
    case policy::CallerKind::member:
      return !caller.may(kManage);
    case policy::CallerKind::apiKey:
      return std::ranges::none_of(caller.scopes,
                                  [](std::string_view scope) { return scope == "admin" || scope == "service"; });
    case policy::CallerKind::anonymous:
    case policy::CallerKind::endUser:
    case policy::CallerKind::platform:
      break;
  }
  return true;
}

// The record that rules are evaluated on (policy/file_fields.h).
doc::Document recordOf(const FileRecord& file, Known known) {
  doc::BsonWriter out;
  out.appendString("path", file.path);
  if (known == Known::all) out.appendInteger("size", file.size);
  out.appendString("contentType", file.contentType);
  if (file.owner.empty()) {
    out.appendNull("ownerId");
  } else {
    out.appendString("ownerId", file.owner);
  }
  out.appendDocument("metadata", file.metadata ? file.metadata->view() : doc::DocumentView());
  out.appendDate("createdAt", file.createdAt);
  out.appendDate("updatedAt", file.updatedAt);
  return out.finish();
}

bool names(const doc::Filter& filter, std::string_view path) {
  const std::vector<std::string> paths = filter.paths();
  return std::ranges::find(paths, path) != paths.end();
}

// "rule" of a bucket without rules, or of one that any client reads.
void traceNoRules(policy::Trace& trace, std::string_view source, bool ownOnly) {
  trace.add("rule", true, [&](doc::BsonWriter& out) {
    out.appendString("source", source);
    out.beginDocument("rule");
    if (ownOnly) {
      out.beginDocument("filter");
      out.appendString("ownerId", "$auth.uid");
      out.end();
    }
    out.end();
  });
}

void traceOwner(policy::Trace& trace, const policy::Caller& caller, const FileRecord* before, bool passed) {
  trace.add("document", passed, [&](doc::BsonWriter& out) {
    out.appendBool("found", before != nullptr);
    out.beginArray("conditions");
    if (before != nullptr) {
      out.beginDocument("0");
      out.appendString("path", "ownerId");
      out.appendString("condition", caller.id);
      out.appendString("value", before->owner);
      out.appendBool("passed", passed);
      out.end();
    }
    out.end();
  });
}

Result<> evaluateOwner(const FileGrant& grant, const policy::Caller& caller, const FileRecord* before) {
  const bool passed = !grant.ownOnly || before == nullptr || before->owner == caller.id;
  if (grant.trace != nullptr && grant.ownOnly) traceOwner(*grant.trace, caller, before, passed);
  if (passed) return {};
  const bool removes = grant.operation == Operation::remove && grant.bucket->record.access == "public";
  if (removes || grant.operation == Operation::update) {
    return fail(ErrorCode::forbidden, "this file belongs to another user");
  }
  return fail(noFile());
}

std::string ownerIn(const doc::FilterNode& node) {
  if (node.op == doc::FilterOp::eq && node.path.dotted() == "ownerId") {
    const doc::ValueView value = node.operand;
    return value.type() == doc::BsonType::string ? std::string(value.asString()) : std::string();
  }
  if (node.op != doc::FilterOp::all) return {};
  for (const auto& child : node.children) {
    if (std::string owner = ownerIn(*child); !owner.empty()) return owner;
  }
  return {};
}

Result<> fill(FileGrant& grant, const policy::Caller& caller) {
  if (grant.rule->unrestricted() && grant.trace == nullptr) return {};
  TRY(grant.filter, grant.rule->filterFor({caller, &grant.sets}, doc::defaultCoercion(), grant.trace));
  return {};
}

}  // namespace

Error noFile() {
  return Error(ErrorCode::notFound, "no such file");
}

std::string ownerOf(const doc::Filter& filter) {
  return ownerIn(filter.root());
}

namespace {

// Whether the rule's filter matches the record: that of the file, or where `isNew` that of a file which does not exist.
bool isMatched(const FileGrant& grant, const doc::Document& record, bool isNew) {
  if (grant.trace == nullptr || (isNew && grant.filter.matchesAll())) return grant.filter.matches(record);
  return policy::traceDocument(*grant.trace, grant.filter, record.view(), !isNew);
}

}  // namespace

Result<> evaluate(const FileGrant& grant, const policy::Caller& caller, const FileRecord* before,
                  const FileRecord& after, Timestamp now, Known known) {
  if (grant.rule == nullptr) return evaluateOwner(grant, caller, before);
  const WorkBudget work(kCoreWork);
  const doc::Document record = recordOf(after, known);
  std::optional<doc::Document> old;
  if (before != nullptr) old = before == &after ? record : recordOf(*before, Known::all);
  const bool decided = old || known == Known::all || !names(grant.filter, "size");
  const bool matches = !decided || isMatched(grant, old ? *old : record, !old);
  RETURN_IF_ERROR(work.check());
  if (!matches && old) return fail(noFile());
  if (!matches) return fail(policy::refusedBy(grant.rule->name(), caller, "the bucket's rules do not allow this file"));
  std::optional<doc::DocumentView> previous;
  if (old) previous = old->view();
  return grant.rule->checkWrite({.subject = {caller, &grant.sets},
                                 .before = previous ? &*previous : nullptr,
                                 .after = record,
                                 .now = now,
                                 .hidden = nullptr,
                                 .partial = known != Known::all,
                                 .trace = grant.trace});
}

bool FileAccess::reachesOwnOnly(const policy::Caller& caller) {
  return caller.kind == policy::CallerKind::endUser && caller.role == kDefaultRole;
}

bool FileAccess::readsBeforeWrite(const Bucket& bucket, const policy::Caller& caller) {
  return reachesOwnOnly(caller) || (bucket.rules != nullptr && rulesHoldFor(caller));
}

bool FileAccess::reachesFolders(const Bucket& bucket, const policy::Caller& caller) {
  return bucket.rules == nullptr || caller.kind == policy::CallerKind::server || caller.may(kManage);
}

Result<> FileAccess::mayWrite(const policy::Caller& caller) {
  return caller.kind == policy::CallerKind::server ? Result<>() : require(caller, kWrite);
}

Result<FileGrant> FileAccess::find(const Access& access, BucketPtr bucket, Operation operation) const {
  const policy::Caller& caller = access.caller;
  FileGrant grant;
  grant.bucket = std::move(bucket);
  grant.operation = operation;
  const bool reads = operation == Operation::read || operation == Operation::list;
  const bool isPublic = operation == Operation::read && grant.bucket->record.access == "public";
  grant.trace = access.trace;
  if (isPublic && access.trace != nullptr) traceNoRules(*access.trace, "public", false);
  if (isPublic || caller.kind == policy::CallerKind::server) return grant;
  if (caller.kind == policy::CallerKind::anonymous && operation == Operation::read) return fail(noFile());
  RETURN_IF_ERROR(require(caller, reads ? kRead : kWrite, access.trace));
  if (!grant.bucket->rules || !rulesHoldFor(caller)) {
    grant.ownOnly = reachesOwnOnly(caller);
    if (access.trace != nullptr && rulesHoldFor(caller)) {
      traceNoRules(*access.trace, policySourceName(data::PolicySource::none), grant.ownOnly);
    }
    return grant;
  }
  grant.rule = grant.bucket->rules->rule(operation);
  if (access.trace != nullptr) {
    policy::traceRule(*access.trace, policySourceName(data::PolicySource::own), grant.rule);
  }
  if (grant.rule == nullptr) return fail(policy::refusedWithoutRule(operation, caller));
  const std::vector<std::string>& sets = grant.rule->sets();
  if (!sets.empty() &&
      (access.trace != nullptr || !sets_.fromCache(access.project->get(collections_), caller, sets, grant.sets))) {
    grant.awaitsSets = true;
    return grant;
  }
  RETURN_IF_ERROR(fill(grant, caller));
  return grant;
}

Task<> FileAccess::complete(FileGrant& grant, const Access& access) const {
  CO_TRY(grant.sets, co_await sets_.read(access.project->get(collections_), access.caller, grant.rule->sets(),
                                         access.deadline, grant.trace));
  grant.awaitsSets = false;
  co_return fill(grant, access.caller);
}

}  // namespace mb::storage
