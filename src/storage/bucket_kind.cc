#include "storage/bucket_kind.h"

#include <algorithm>
#include <map>

#include "storage/storage_rules.h"

namespace mb::storage {

namespace {

using configuration::Change;
using configuration::Entry;
using configuration::Problems;

// In fixed order: name, access.
Entry entryOf(std::string name, std::string_view access) {
  doc::BsonWriter out;
  out.beginDocument("");
  out.appendString("name", name);
  out.appendString("access", access);
  out.end();
  const doc::Document whole = out.finish();
  return {std::move(name), doc::Value(whole.view().begin()->value)};
}

std::optional<NewBucket> shownAt(doc::ValueView value, const std::string& pointer, Problems& problems) {
  if (!configuration::isEntry(value, pointer, problems)) return std::nullopt;
  NewBucket shown;
  std::vector<ErrorDetail> details;
  doc::decodeValue(shown, value, pointer, doc::UnknownFields::refuse, details);
  if (details.empty()) {
    for (ErrorDetail& each : problemsOf(shown)) details.push_back({pointer + each.path, each.message});
  }
  for (ErrorDetail& each : details) problems.add(std::move(each.path), std::move(each.message));
  return details.empty() ? std::optional(std::move(shown)) : std::nullopt;
}

}  // namespace

Task<std::vector<Entry>> BucketKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (const BucketView& view : buckets_.list(*project)) entries.push_back(entryOf(view.name, view.access));
  std::ranges::sort(entries, {}, &Entry::name);
  co_return entries;
}

Task<std::vector<Entry>> BucketKind::merged(Source source, const std::vector<Entry>& standing, Problems& problems) {
  std::map<std::string, const Entry*> taken;
  for (const Entry& entry : standing) taken.emplace(bucketKey(entry.name), &entry);
  std::map<std::string, std::string> seen;
  std::vector<Entry> merged;
  size_t created = 0;
  configuration::Breather breather;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await breather.breathe();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    std::optional<NewBucket> shown = shownAt(value, pointer, problems);
    if (!shown) continue;
    const std::string key = bucketKey(shown->name);
    if (const auto [first, isNew] = seen.emplace(key, shown->name); !isNew) {
      problems.add(pointer + "/name", first->second == shown->name
                                          ? fmt::format("\"{}\" stands here twice", shown->name)
                                          : fmt::format("\"{}\" and \"{}\" are too alike", first->second, shown->name));
    }
    std::string access = shown->access.value_or("private");
    const auto other = taken.find(key);
    if (other == taken.end()) {
      ++created;
    } else if (other->second->name != shown->name) {
      problems.add(pointer + "/name", fmt::format("is too like \"{}\", which the project has", other->second->name));
    } else if (!shown->access) {
      access = other->second->value.view().asDocument().stringOr("access");
    }
    merged.push_back(entryOf(std::move(shown->name), access));
  }
  if (standing.size() + created > kMostBuckets) {
    problems.add("/buckets", fmt::format("would make more than {} buckets", kMostBuckets));
  }
  co_return merged;
}

std::vector<std::string> BucketKind::permissionsFor(const Change& change) const {
  if (change.action == configuration::Action::unchanged) return {};
  return {"storage:manage"};
}

Task<> BucketKind::apply(configuration::Target target, std::vector<Change> changes) {
  for (const Change& change : changes) {
    CO_CHECK(configuration::checkTime(target));
    const Access access{target.caller, target.project, target.deadline};
    std::string shown(change.after.view().asDocument().stringOr("access"));
    Result<> done;
    if (change.before) {
      done = co_await buckets_.change(access, change.name, BucketPatch{std::move(shown)});
    } else {
      const auto made = co_await buckets_.create(access, NewBucket{change.name, std::move(shown)});
      if (!made) done = fail(made.error().clone());
    }
    if (!done) co_return fail(configuration::about(fmt::format("{}/{}", section(), change.name), done.error()));
  }
  co_return Result<>();
}

}  // namespace mb::storage
