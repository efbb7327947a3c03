#include <algorithm>
#include <cmath>

#include "data/coerced_filter.h"
#include "data/collections.h"
#include "data/data_deps.h"
#include "data/deletion.h"
#include "data/missing_collections.h"
#include "data/reserved.h"
#include "document/path.h"

namespace mb::data {
namespace {

constexpr size_t kMaxIndexKeys = 16;
constexpr size_t kMaxDefaultName = 200;
constexpr int64_t kMaxExpireSeconds = std::numeric_limits<int32_t>::max();

std::vector<store::IndexKey> readKeys(doc::DocumentView keys, std::vector<ErrorDetail>& problems) {
  std::vector<store::IndexKey> read;
  for (const auto& [path, direction] : keys) {
    const std::string pointer = "/keys/" + std::string(path);
    if (auto parsed = doc::FieldPath::parse(path); !parsed) problems.push_back({pointer, parsed.error().message()});
    const auto number = direction.isNumber() ? direction.toInteger() : std::nullopt;
    if (number != 1 && number != -1) {
      problems.push_back({pointer, "must be 1 or -1"});
      continue;
    }
    read.push_back({std::string(path), static_cast<int>(*number)});
  }
  const size_t count = keys.count();
  if (count == 0 || count > kMaxIndexKeys) {
    problems.push_back({"/keys", "must name 1 to " + std::to_string(kMaxIndexKeys) + " fields"});
  }
  return read;
}

std::string readName(const NewIndex& index, const std::vector<store::IndexKey>& keys,
                     std::vector<ErrorDetail>& problems) {
  // The default name may be set too, as lists return it.
  if (index.name && *index.name != store::defaultIndexName(keys)) {
    if (!isCollectionName(*index.name)) problems.push_back({"/name", "must match ^[A-Za-z][A-Za-z0-9_-]{0,63}$"});
    return *index.name;
  }
  std::string name = store::defaultIndexName(keys);
  if (name.size() > kMaxDefaultName) problems.push_back({"/name", "is required for keys this long"});
  return name;
}

std::vector<std::string> readInclude(const NewIndex& index, std::vector<ErrorDetail>& problems) {
  std::vector<std::string> include = index.include.value_or(std::vector<std::string>());
  if (include.size() > store::kMaxIncluded) {
    problems.push_back({"/include", fmt::format("must name at most {} fields", store::kMaxIncluded)});
  }
  for (size_t i = 0; i < include.size(); ++i) {
    const std::string pointer = fmt::format("/include/{}", i);
    if (auto path = doc::FieldPath::parse(include[i]); !path) problems.push_back({pointer, path.error().message()});
    const auto first = std::ranges::find(include, include[i]);
    if (first != include.begin() + static_cast<ptrdiff_t>(i)) {
      problems.push_back({pointer, fmt::format("is a duplicate of \"{}\": remove it", include[i])});
    }
  }
  if (!include.empty() && index.covering.value_or(false)) {
    problems.push_back({"/include", "cannot be combined with covering, which holds every field: remove one of them"});
  }
  return include;
}

bool holdsPattern(const doc::FilterNode& node) {
  return !node.patterns.empty() ||
         std::ranges::any_of(node.children, [](const auto& child) { return holdsPattern(*child); });
}

Result<store::IndexSpec> readIndex(const NewIndex& index, const doc::FilterCoercion& coercion) {
  std::vector<ErrorDetail> problems;
  store::IndexSpec spec;
  spec.keys = readKeys(index.keys, problems);
  spec.name = readName(index, spec.keys, problems);
  spec.unique = index.unique.value_or(false);
  spec.sparse = index.sparse.value_or(false);
  spec.covering = index.covering.value_or(false);
  spec.include = readInclude(index, problems);
  if (spec.covering && spec.unique) {
    problems.push_back({"/covering", "cannot be combined with unique: remove one of them"});
  }
  if (index.partialFilter && spec.sparse) {
    problems.push_back({"/sparse", "cannot be combined with partialFilter: express it in the filter"});
  }
  if (index.partialFilter) {
    const auto parsed = doc::Filter::parse(*index.partialFilter, &coercion);
    if (!parsed) problems.push_back({"/partialFilter", parsed.error().message()});
    // Every write of any caller would pay for it, and so would every build of the index.
    if (parsed && holdsPattern(parsed->root())) {
      problems.push_back({"/partialFilter", "must not hold a regular expression: use a field with the result instead"});
    }
    // The store has no schema: a date as JSON text would never equal a stored date.
    if (parsed) spec.partialFilter = coercedFilter(*index.partialFilter, coercion);
  }
  if (index.expireAfterSeconds) {
    if (*index.expireAfterSeconds < 0 || *index.expireAfterSeconds > kMaxExpireSeconds) {
      problems.push_back({"/expireAfterSeconds", "must be 0 to " + std::to_string(kMaxExpireSeconds)});
    }
    if (index.keys.view().count() != 1) problems.push_back({"/expireAfterSeconds", "requires exactly one key"});
    spec.expireAfterSeconds = index.expireAfterSeconds;
  }
  if (problems.empty()) return spec;
  std::string message = problems.front().path + " " + problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

IndexView viewOf(const store::IndexSpec& spec) {
  IndexView view;
  view.name = spec.name;
  doc::BsonWriter keys;
  for (const store::IndexKey& key : spec.keys) keys.appendInt32(key.path, key.direction);
  view.keys = keys.finish();
  view.unique = spec.unique;
  if (spec.sparse) view.sparse = true;
  view.partialFilter = spec.partialFilter;
  view.expireAfterSeconds = spec.expireAfterSeconds;
  if (spec.covering) view.covering = true;
  if (!spec.include.empty()) view.include = spec.include;
  return view;
}

double partOf(const store::IndexProgress& progress) {
  const auto expected = static_cast<double>(std::max<uint64_t>(progress.expected, 1));
  // Rounded down to thousandths; concurrent inserts may raise the count above the expected one.
  return std::floor(std::min(1.0, static_cast<double>(progress.done) / expected) * 1000) / 1000;
}

// Fails with conflict if a set reads the collection along the index and no other one would do.
Result<> checkSetsWithout(const CollectionTable& table, const Collection& collection, std::string_view index) {
  store::CollectionInfo rest;
  for (const store::IndexInfo& each : collection.info.indexes) {
    if (each.spec.name != index) rest.indexes.push_back(each);
  }
  for (const BoundSet& bound : table.sets) {
    if (!bound.collection || bound.collection->info.number != collection.info.number) continue;
    if (hasIndexFor(bound.compiled->set, rest)) continue;
    return fail(
        ErrorCode::conflict,
        fmt::format("the set \"{}\" is read along this index: delete the set first, or create another index that "
                    "begins with \"{}\"",
                    bound.name(), bound.compiled->set.callerPath()));
  }
  return {};
}

// Fails with conflict if the index is the last one that an onDelete of the collection needs.
Result<> checkUnneeded(const Collection& collection, const std::string& index) {
  if (!collection.schema) return {};
  for (const doc::Relation& relation : collection.schema->relations()) {
    if (relation.onDelete == doc::OnDelete::none) continue;
    const auto finds = [&](const store::IndexInfo& each) { return findsReferences(each.spec, relation.path); };
    const auto isDropped = [&](const store::IndexInfo& each) { return each.spec.name == index; };
    const auto& indexes = collection.info.indexes;
    const bool needed = std::ranges::any_of(indexes, [&](const auto& each) { return isDropped(each) && finds(each); });
    const bool others =
        std::ranges::any_of(indexes, [&](const auto& each) { return !isDropped(each) && each.ready && finds(each); });
    if (!needed || others) continue;
    return fail(
        ErrorCode::conflict,
        fmt::format("the references of \"{}\" need this index for their onDelete: remove that from the schema, or "
                    "create another index that begins with the field",
                    relation.path));
  }
  return {};
}

doc::Document named(std::string_view index) {
  doc::BsonWriter out;
  out.appendString("index", index);
  return out.finish();
}

}  // namespace

Result<IndexView> Collections::checkIndex(const NewIndex& index, const doc::FilterCoercion& coercion) {
  TRY(const store::IndexSpec spec, readIndex(index, coercion));
  return viewOf(spec);
}

Task<std::vector<IndexView>> Collections::indexes(snapshot::SnapshotPtr project, std::string name) {
  CO_TRY(const CollectionPtr collection, require(*project, name));
  std::vector<IndexView> views;
  for (const store::IndexInfo& index : collection->info.indexes) {
    views.push_back(viewOf(index.spec));
    if (index.ready) continue;
    views.back().building = true;
    CO_TRY(const auto progress, co_await deps_.store.indexProgress(collection->ref, index.number));
    if (progress) views.back().progress = partOf(*progress);
  }
  std::ranges::sort(views, {}, &IndexView::name);
  co_return views;
}

Task<std::string> Collections::createIndex(AdminAccess access, std::string collection, NewIndex index) {
  CO_TRY(const CollectionPtr found, require(*access.project, collection));
  CO_TRY(const store::IndexSpec spec, readIndex(index, found->coercion()));
  CO_RETURN_IF_ERROR(co_await whileStale(access, [&] { return createIndexOnce(access, collection, spec); }));
  co_return spec.name;
}

Task<> Collections::createIndexOnce(const AdminAccess& access, const std::string& collection,
                                    const store::IndexSpec& spec) {
  // The database would make a collection that is missing there.
  CO_TRY(const CollectionPtr found, findForDocuments(table(*access.project), collection));
  // A collection that was created with its policy, or inherits it, has not declared its fields yet.
  if (found->policy) holdPolicyFields(*found, found->policy->source());
  CO_RETURN_IF_ERROR(co_await deps_.store.createIndex(
      found->ref, spec, auditEntry(access, "index.create", collection, named(spec.name))));
  co_return Result<>();
}

Task<> Collections::dropIndex(AdminAccess access, std::string collection, std::string index, bool replaced) {
  co_return co_await whileStale(access, [&] { return dropIndexOnce(access, collection, index, replaced); });
}

Task<> Collections::dropIndexOnce(const AdminAccess& access, const std::string& collection, const std::string& index,
                                  bool replaced) {
  CO_TRY(const CollectionPtr found, require(*access.project, collection));
  const auto& indexes = found->info.indexes;
  const bool exists = std::ranges::any_of(indexes, [&](const auto& each) { return each.spec.name == index; });
  if (!exists) co_return fail(ErrorCode::notFound, "no such index");
  if (!replaced) {
    CO_RETURN_IF_ERROR(checkUnneeded(*found, index));
    CO_RETURN_IF_ERROR(checkSetsWithout(table(*access.project), *found, index));
  }
  co_return co_await deps_.store.dropIndex(found->ref, index,
                                           auditEntry(access, "index.delete", collection, named(index)));
}

}  // namespace mb::data
