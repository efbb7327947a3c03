#include "storage/bucket_kind.h"

#include <algorithm>

#include "storage/storage_rules.h"
#include "store/configuration_limits.h"

namespace mb::storage {

namespace {

using configuration::Change;
using configuration::Entry;
using configuration::Problems;

Entry entryOf(NewBucket shown) {
  return configuration::entryShowing(shown.name, shown);
}

}  // namespace

Task<std::vector<Entry>> BucketKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (const BucketView& view : buckets_.list(*project)) entries.push_back(entryOf({view.name, view.access}));
  std::ranges::sort(entries, {}, &Entry::name);
  co_return entries;
}

Task<std::vector<Entry>> BucketKind::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  configuration::UniqueNameSet names(current, bucketKey);
  std::vector<Entry> merged;
  configuration::CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    auto shown = configuration::entryAt<NewBucket>(value, pointer, problems, problemsOf);
    if (!shown) continue;
    const Entry* existing = names.take(shown->name, pointer, problems);
    if (!shown->access) shown->access = existing ? existing->value.view().asDocument().stringOr("access") : "private";
    merged.push_back(entryOf(*std::move(shown)));
  }
  names.checkCount(section(), store::kMaxBuckets, "buckets", problems);
  co_return merged;
}

Task<> BucketKind::applyOne(configuration::Target target, Change change) {
  const Access access{target.caller, target.project, target.deadline};
  std::string shown(change.after.view().asDocument().stringOr("access"));
  if (change.before) co_return co_await buckets_.change(access, change.name, BucketPatch{std::move(shown)});
  const auto made = co_await buckets_.create(access, NewBucket{change.name, std::move(shown)});
  if (!made) co_return fail(made.error().clone());
  co_return Result<>();
}

}  // namespace mb::storage
