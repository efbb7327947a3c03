// The root fields that read: lists, pages, single documents, counts and searches.
#include <algorithm>

#include "graphql/executor.h"
#include "graphql/language/words.h"

namespace mb::graphql {

namespace {

constexpr size_t kMaxIdSize = 64;  // of a document's id

Error skipBesideAfter() {
  return Error(ErrorCode::invalidParam, "skip must not be given with after");
}

// Whether the order is that of descending ids. Fails with invalidParam unless it is an order of ids.
Result<bool> descendsById(const std::vector<store::SortKey>& sort) {
  if (sort.empty()) return false;
  if (sort.size() > 1 || sort.front().path != "id") {
    return fail(ErrorCode::invalidParam,
                "after an id, documents follow in the order of ids: remove sort, or give the "
                "`next` of a page");
  }
  return sort.front().direction < 0;
}

doc::Document idCondition(std::string_view op, std::string_view id) {
  doc::BsonWriter out;
  out.beginDocument("id");
  out.appendString(op, id);
  out.end();
  return out.finish();
}

doc::Document both(const doc::Document& a, const doc::Document& b) {
  doc::BsonWriter out;
  out.beginArray("$and");
  out.appendDocument("0", a);
  out.appendDocument("1", b);
  out.end();
  return out.finish();
}

}  // namespace

std::optional<doc::ValueView> Executor::argumentOf(const Planned& field, std::string_view name) const {
  const auto value = arguments_.of(field).find(name);
  return value && value->type() != doc::BsonType::null ? value : std::nullopt;
}

std::string Executor::textOf(const Planned& field, std::string_view name) const {
  const auto value = argumentOf(field, name);
  return value ? std::string(value->asString()) : "";
}

Result<uint64_t> Executor::countOf(const Planned& field, std::string_view name, uint64_t fallback) const {
  const auto value = argumentOf(field, name);
  if (!value) return fallback;
  if (value->asInteger() >= 0) return static_cast<uint64_t>(value->asInteger());
  return fail(ErrorCode::invalidParam, std::string(name) + " must be a non-negative integer");
}

const Type& Executor::argumentType(const Planned& field, std::string_view name) const {
  return field.field->argument(name)->type->named();
}

Result<data::DocumentQuery> Executor::queryOf(const Planned& field) const {
  const Type& shape = *schema_.typeOf(field.field->collection);
  data::DocumentQuery query;
  TRY(query.read.limit, countOf(field, "limit", data::kDefaultLimit));
  TRY(query.read.skip, countOf(field, "skip", 0));
  if (const auto filter = argumentOf(field, "filter")) {
    TRY(query.read.filter, filterOf(shape, argumentType(field, "filter"), filter->asDocument()));
  }
  if (const auto sort = argumentOf(field, "sort")) {
    TRY(query.read.sort, orderOf(shape, *sort));
  }
  if (!argumentOf(field, "after")) return query;
  // A cursor is longer than the longest id.
  std::string after = textOf(field, "after");
  std::optional<std::string>& start = after.size() > kMaxIdSize ? query.after : query.afterId;
  start = std::move(after);
  return query;
}

Result<Executor::Root> Executor::visible(data::VisibleDocuments found) {
  Root root;
  root.found = true;
  for (doc::Document& each : found.documents) {
    RETURN_IF_ERROR(hold(each.size()));
    root.documents.push_back(std::move(each));
  }
  return root;
}

Task<Executor::Root> Executor::read(const Planned& field) {
  CO_TRY(data::DocumentQuery query, queryOf(field));
  if (query.after) {
    if (query.read.skip > 0) co_return fail(skipBesideAfter());
    const uint64_t limit = std::min(query.read.limit, data::kMaxLimit);
    CO_TRY(data::DocumentPage page, co_await documents_.query(access_, field.field->collection, query));
    if (page.next && page.documents.size() < limit) co_return fail(responseTooLarge());
    co_return visible({std::move(page.documents), {}});
  }
  if (query.afterId) {
    CO_TRY(const bool descending, descendsById(query.read.sort));
    const doc::Document after = idCondition(descending ? "$lt" : "$gt", *query.afterId);
    std::optional<doc::Document>& filter = query.read.filter;
    filter = filter && !filter->empty() ? both(*filter, after) : after;
  }
  CO_TRY(data::VisibleDocuments found, co_await documents_.list(access_, field.field->collection, query.read));
  co_return visible(std::move(found));
}

// A page is written like a document with the fields of its type.
Task<Executor::Root> Executor::readPage(const Planned& field) {
  CO_TRY(data::DocumentQuery query, queryOf(field));
  if ((query.after || query.afterId) && query.read.skip > 0) co_return fail(skipBesideAfter());
  if (query.afterId) CO_RETURN_IF_ERROR(descendsById(query.read.sort));
  const auto selects = [&](std::string_view name) {
    return std::ranges::any_of(field.children, [&](const Planned& child) { return child.field->name == name; });
  };
  query.total = selects("total");
  if (!selects("documents") && !selects("next")) query.read.limit = 0;
  CO_TRY(const data::DocumentPage page, co_await documents_.query(access_, field.field->collection, query));
  Root root;
  root.found = true;
  doc::BsonWriter out;
  out.beginArray("documents");
  for (size_t i = 0; i < page.documents.size(); ++i) {
    CO_RETURN_IF_ERROR(hold(page.documents[i].size()));
    out.appendDocument(doc::arrayKey(i), page.documents[i]);
  }
  out.end();
  if (page.next) out.appendString("next", *page.next);
  if (page.total) out.appendInteger("total", static_cast<int64_t>(*page.total));
  root.documents.push_back(out.finish());
  co_return root;
}

// By the `list` rule, as all queries here: a single document is a list of one.
Task<Executor::Root> Executor::readOne(const Planned& field) {
  data::ReadQuery query;
  query.filter = idCondition("$eq", textOf(field, "id"));
  query.limit = 1;
  CO_TRY(data::VisibleDocuments found, co_await documents_.list(access_, field.field->collection, query));
  CO_TRY(Root root, visible(std::move(found)));
  root.found = !root.documents.empty();
  co_return root;
}

Task<Executor::Root> Executor::countAll(const Planned& field) {
  CO_TRY(const data::DocumentQuery query, queryOf(field));
  CO_TRY(const uint64_t count, co_await documents_.count(access_, field.field->collection, query.read));
  Root root;
  root.plain = std::to_string(count);
  co_return root;
}

Task<Executor::Root> Executor::searchFor(const Planned& field) {
  SearchQuery query;
  if (argumentOf(field, "limit")) {
    CO_TRY(query.limit, countOf(field, "limit", data::kDefaultLimit));
  }
  if (argumentOf(field, "field")) query.field = textOf(field, "field");
  if (argumentOf(field, "text")) query.text = textOf(field, "text");
  if (const auto vector = argumentOf(field, "vector")) {
    query.vector.emplace();
    for (const doc::Element& each : vector->asDocument()) query.vector->push_back(each.value.toReal());
  }
  if (const auto filter = argumentOf(field, "filter")) {
    CO_TRY(query.filter,
           filterOf(*schema_.typeOf(field.field->collection), argumentType(field, "filter"), filter->asDocument()));
  }
  CO_TRY(data::VisibleDocuments found, co_await search_->search(access_, field.field->collection, query));
  co_return visible(std::move(found));
}

}  // namespace mb::graphql
