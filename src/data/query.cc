// Queries in pages.
#include <algorithm>

#include "base/cancellation.h"
#include "data/documents_impl.h"
#include "document/keep_fields.h"

namespace mb::data {

namespace {

// Bytes of documents that are walked without yielding: a millisecond or two.
constexpr size_t kBytesBetweenYields = 512 << 10;

// The paths of a query that name what its documents show.
Result<> refuseDeniedPaths(const std::vector<std::string>& paths, std::string_view part, const doc::FieldSet& denied) {
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!denied.covers(paths[i])) continue;
    std::string message = "must not name a field that you may not read";
    return fail(Error(ErrorCode::forbidden, fmt::format("{} {}", part, message))
                    .withDetail(fmt::format("/{}/{}", part, i), std::move(message)));
  }
  return {};
}

bool isAtOrBelow(std::string_view path, std::string_view parent) {
  return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '.');
}

// The fields that documents keep: those of the query, `id`, and the references to expand. `expanded`: of the references
// of which the query names fields ("authorId.name"), the referenced documents keep these alone.
std::shared_ptr<const doc::FieldSet> keptFields(const DocumentQuery& query, bool expanded) {
  if (!query.fields) return nullptr;
  std::vector<std::string> paths = *query.fields;
  for (const std::string& path : query.read.expand) {
    const bool inner = std::ranges::any_of(*query.fields, [&](const std::string& field) {
      return field.size() > path.size() && isAtOrBelow(field, path);
    });
    if (!expanded || !inner) paths.push_back(path);
  }
  paths.emplace_back("id");
  return std::make_shared<const doc::FieldSet>(std::move(paths));
}

store::Query storeQuery(const Access& access, const ReadPlan& plan, const DocumentQuery& query) {
  store::Query asked;
  asked.collection = plan.grant.collection->ref;
  asked.filter = plan.filter;
  asked.skip = query.read.skip;
  asked.limit = std::min(query.read.limit, kMaxLimit);
  asked.sort = query.read.sort;
  asked.deadline = access.deadline;
  asked.hidden = plan.grant.hidden();
  asked.fields = keptFields(query, false);
  asked.paged = asked.seesMore = true;
  asked.explain = query.read.explain;
  return asked;
}

// Yields the core in between.
Task<> keepAll(std::vector<doc::Document>& documents, std::shared_ptr<const doc::FieldSet> kept) {
  size_t bytes = 0;
  for (doc::Document& document : documents) {
    bytes += document.size();
    document = doc::keepFields(document, *kept);
    if (bytes < kBytesBetweenYields) continue;
    bytes = 0;
    CO_RETURN_IF_ERROR(co_await yieldCore());
  }
  co_return Result<>();
}

}  // namespace

Task<DocumentPage> Documents::query(const Access& access, const std::string& collection, const DocumentQuery& query) {
  CO_TRY(Grant grant, impl_->grants.find(access, collection, policy::Operation::list));
  if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await impl_->grants.complete(grant, access.caller, access.deadline));
  CO_TRY(const ReadPlan plan, planRead(std::move(grant), query.read));
  const doc::FieldSet& denied = plan.grant.denied();
  CO_RETURN_IF_ERROR(refuseDeniedKeys(query.read.sort, denied));
  if (query.fields) CO_RETURN_IF_ERROR(refuseDeniedPaths(*query.fields, "fields", denied));
  CO_RETURN_IF_ERROR(refuseDeniedPaths(query.read.expand, "expand", denied));
  store::Query asked = storeQuery(access, plan, query);
  if (query.afterId) asked.after = *query.afterId;
  std::optional<store::CursorQuery> cursorQuery;
  const auto asCursorQuery = [&]() -> const store::CursorQuery& {
    if (!cursorQuery) cursorQuery.emplace(plan.grant.collection->ref, query.read.filter, query.read.sort);
    return *cursorQuery;
  };
  if (query.after) CO_TRY(asked.after, impl_->cursors.open(asCursorQuery(), *query.after, "/after"));

  DocumentPage page;
  if (asked.limit > 0) {
    CO_TRY(store::QueryResult found, co_await impl_->deps.store.find(std::move(asked)));
    if (found.more) CO_TRY(page.next, impl_->cursors.seal(asCursorQuery(), found.next));
    page.documents = std::move(found.documents);
    page.explain = std::move(found.explain);
  }
  if (!query.read.expand.empty()) {
    CO_RETURN_IF_ERROR(co_await impl_->expand(access, plan.grant, query.read.expand, page.documents));
    if (const auto kept = keptFields(query, true)) CO_RETURN_IF_ERROR(co_await keepAll(page.documents, kept));
  }
  if (query.total) {
    CO_TRY(page.total, co_await impl_->deps.store.count(plan.grant.collection->ref, plan.filter, access.deadline));
  }
  co_return page;
}

Result<std::vector<std::string>> Documents::expandedCollections(const snapshot::ProjectSnapshot& project,
                                                                std::string_view collection,
                                                                const std::vector<std::string>& expand) const {
  const CollectionPtr* found = impl_->grants.table(project).find(collection);
  if (!found) return fail(ErrorCode::notFound, "no such collection");
  std::vector<std::string> names;
  if (!(*found)->schema) return names;
  for (const doc::Relation& relation : (*found)->schema->relations()) {
    if (std::ranges::find(expand, relation.path) != expand.end()) names.push_back(relation.collection);
  }
  return names;
}

}  // namespace mb::data
