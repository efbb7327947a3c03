#include "storage/buckets.h"

#include <algorithm>

#include "data/policy_claims.h"
#include "identity/audited_write.h"
#include "identity/records.h"
#include "storage/storage_rules.h"
#include "store/records.h"

namespace mb::storage {

namespace {

Error noBucket() {
  return Error(ErrorCode::notFound, "no such bucket");
}

store::CollectionRef in(const Access& access) {
  return {access.project->info().number, kBuckets, 0};
}

Result<BucketRecord> existing(const std::optional<doc::Document>& before, std::string_view name) {
  if (!before) return fail(noBucket());
  TRY(BucketRecord record, store::fromStore<BucketRecord>(before->view()));
  if (record.name != name) return fail(noBucket());
  return record;
}

doc::Document detailsOf(const std::optional<std::string>& access, const doc::Patch<doc::Document>& rules) {
  doc::BsonWriter out;
  if (access) out.appendString("access", *access);
  if (rules.given()) out.appendBool("rules", rulesIn(rules).has_value());
  return out.finish();
}

}  // namespace

std::vector<BucketView> Buckets::list(const snapshot::ProjectSnapshot& project) const {
  std::vector<BucketView> views;
  for (const auto& [key, bucket] : project.get(deps_.slot).byKey) views.push_back(viewOf(bucket->record));
  std::ranges::sort(views, {}, &BucketView::name);
  return views;
}

std::vector<std::string> Buckets::usersOf(const snapshot::ProjectSnapshot& project, std::string_view set) const {
  std::vector<std::string> users;
  for (const auto& [key, bucket] : project.get(deps_.slot).byKey) {
    const std::vector<std::string> named = bucket->rules ? bucket->rules->sets() : std::vector<std::string>();
    if (std::ranges::find(named, set) == named.end()) continue;
    users.push_back(fmt::format("the bucket {}", bucket->record.name));
  }
  return users;
}

Task<std::vector<projects::ClaimUse>> Buckets::claimUses(snapshot::SnapshotPtr project,
                                                         std::vector<std::string> claims) {
  std::vector<projects::ClaimUse> uses;
  for (const auto& [key, bucket] : project->get(deps_.slot).byKey) {
    const std::string claim = bucket->record.rules ? policy::claimAmong(claims, *bucket->record.rules) : "";
    if (claim.empty()) continue;
    const std::string& name = bucket->record.name;
    uses.push_back({"buckets", name, "rules", fmt::format("the bucket \"{}\" uses the claim \"{}\"", name, claim)});
  }
  co_return uses;
}

// An import has changed sets since the access was taken.
Task<> Buckets::checkRulesNow(const Access& access, std::string readers,
                              const std::optional<doc::Document>& rules) const {
  if (!rules) co_return Result<>();
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.byNumber(access.project->info().number));
  if (!project) co_return fail(ErrorCode::notFound, "no such project");
  const std::vector<std::string> sets = project->get(deps_.collections).setNames();
  const policy::ClaimNames claims = data::claimNamesOf(*project);
  co_return checkRules(readers, &*rules, {&sets, &claims});
}

Task<BucketView> Buckets::create(Access access, NewBucket input) {
  CO_RETURN_IF_ERROR(check(input));
  BucketRecord record;
  record.id = bucketKey(input.name);
  record.name = std::move(input.name);
  record.bucketId = "bkt_" + deps_.ids.next();
  record.access = input.access.value_or("private");
  record.createdAt = deps_.clock.now();
  record.rules = rulesIn(input.rules);
  CO_RETURN_IF_ERROR(co_await checkRulesNow(access, record.access, record.rules));
  store::Write write = identity::auditedWrite(
      deps_.auditor, access, {"bucket.created", "buckets/" + record.name, detailsOf(record.access, input.rules)});
  const store::Target bucket = write.change(in(access), record.id);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [bucket, &record = std::as_const(record)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (before[bucket]) return fail(ErrorCode::conflict, "a bucket of this name exists: use another name");
        changes.put(bucket, doc::encode(record));
        return {};
      }));
  co_return viewOf(record);
}

Task<> Buckets::change(Access access, std::string name, BucketPatch patch) {
  if (!patch.access && !patch.rules.given()) {
    co_return fail(Error(ErrorCode::validation, "give access or rules").withDetail("/access", "is required"));
  }
  if (patch.access) CO_RETURN_IF_ERROR(checkAccess(*patch.access));
  const std::optional<doc::Document> rules = rulesIn(patch.rules);
  // The access that the bucket keeps is checked in the commit.
  CO_RETURN_IF_ERROR(co_await checkRulesNow(access, patch.access.value_or("private"), rules));
  store::Write write = identity::auditedWrite(
      deps_.auditor, access, {"bucket.changed", "buckets/" + name, detailsOf(patch.access, patch.rules)});
  const store::Target bucket = write.change(in(access), bucketKey(name));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [bucket, &name = std::as_const(name), &patch = std::as_const(patch), &rules = std::as_const(rules)](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(BucketRecord record, existing(before[bucket], name));
        if (patch.access) record.access = *patch.access;
        if (patch.rules.given()) record.rules = rules;
        const auto both = publicAndRead(record.access, record.rules ? &*record.rules : nullptr,
                                        patch.rules.given() ? "/rules/read" : "/access");
        if (both) return fail(identity::invalid(both->path, both->message));
        changes.put(bucket, doc::encode(record));
        return {};
      }));
  co_return Result<>();
}

Task<> Buckets::remove(Access access, std::string name) {
  const BucketPtr known = access.project->get(deps_.slot).find(name);
  if (known == nullptr) co_return fail(noBucket());
  const std::string bucketId = known->record.bucketId;
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(store::Insert job, deps_.queue.insertOf({.kind = std::string(kBucketJob),
                                                  .project = project,
                                                  .payload = doc::encode(DeletedBucket{project, bucketId})}));
  const std::string jobId = job.id();
  store::Write write = identity::auditedWrite(deps_.auditor, access, {"bucket.deleted", "buckets/" + name, {}});
  const store::Target bucket = write.change(in(access), bucketKey(name));
  write.insert(std::move(job));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write), [bucket, name, bucketId](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(const BucketRecord record, existing(before[bucket], name));
        if (record.bucketId != bucketId) return fail(noBucket());
        changes.remove(bucket);
        return {};
      }));
  deps_.queue.wake({jobId});
  co_return Result<>();
}

}  // namespace mb::storage
