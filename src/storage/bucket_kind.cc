#include "storage/bucket_kind.h"

#include "configuration/canonical_form.h"
#include "configuration/policy_set_kind.h"
#include "configuration/settings_kind.h"
#include "storage/storage_rules.h"
#include "store/configuration_limits.h"

namespace mb::storage {

namespace {

using Rules = doc::Patch<doc::Document>;

Rules patchTo(std::optional<doc::Document> rules) {
  if (!rules) return {.state = Rules::State::null};
  return {.state = Rules::State::value, .value = *std::move(rules)};
}

}  // namespace

BucketKind::BucketKind(Buckets& buckets, snapshot::SlotKey<data::CollectionTable> collections)
    : NamedKind({.section = "buckets",
                 .permission = "storage:manage",
                 .name = &NewBucket::name,
                 .fold = bucketKey,
                 .limit = store::kMaxBuckets,
                 .plural = "buckets",
                 .plainJson = true}),
      buckets_(buckets),
      collections_(collections) {}

std::vector<NewBucket> BucketKind::stored(const snapshot::ProjectSnapshot& project) const {
  std::vector<NewBucket> all;
  for (BucketView& view : buckets_.list(project)) {
    all.push_back({std::move(view.name), std::move(view.access), patchTo(std::move(view.rules))});
  }
  return all;
}

std::vector<ErrorDetail> BucketKind::problemsIn(const NewBucket& bucket) const {
  return problemsOf(bucket);
}

void BucketKind::complete(NewBucket& bucket, const Incoming& incoming) const {
  if (!bucket.access) bucket.access = incoming.current ? incoming.current->access : "private";
  if (!bucket.rules.given() && incoming.current) bucket.rules = incoming.current->rules;
  const std::optional<doc::Document> rules = rulesIn(bucket.rules);
  if (!rules) return;
  std::vector<std::string> sets = incoming.source.project->get(collections_).setNames();
  std::ranges::move(configuration::policySetNames(incoming.source.document), std::back_inserter(sets));
  const policy::ClaimNames claims(configuration::claimChange(incoming.source).after);
  for (ErrorDetail& each : ruleProblems(*bucket.access, &*rules, {&sets, incoming.source.copied ? nullptr : &claims})) {
    incoming.problems.add(incoming.pointer + each.path, std::move(each.message));
  }
}

// Without rules the entry omits them.
NewBucket BucketKind::canonical(NewBucket bucket) const {
  const std::optional<doc::Document> rules = rulesIn(bucket.rules);
  bucket.rules = rules ? patchTo(configuration::canonicalPolicy(*rules)) : Rules();
  return bucket;
}

Task<> BucketKind::save(configuration::Target target, NewBucket bucket, bool exists) {
  const Access access{{target.caller, target.project, target.deadline}};
  if (exists) {
    BucketPatch patch{bucket.access.value_or("private"), patchTo(rulesIn(bucket.rules))};
    co_return co_await buckets_.change(access, bucket.name, std::move(patch));
  }
  const auto made = co_await buckets_.create(access, std::move(bucket));
  if (!made) co_return fail(made.error().clone());
  co_return Result<>();
}

}  // namespace mb::storage
