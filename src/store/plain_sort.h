// A plain sort, by comparing values, without the encodings of the embedded engine: for engines that do not sort by keys
// of their own, and as the expectation of tests.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "document/path.h"
#include "document/value_order.h"
#include "store/store.h"

namespace mb::store {

struct SortedDocument {
  doc::Document position;
  doc::Document document;
};

namespace sorting {

// The value by which a document sorts; nullopt for an array without elements.
inline std::optional<doc::Value> sortValue(doc::DocumentView document, const SortKey& key) {
  std::optional<doc::Value> best;
  const auto consider = [&](doc::ValueView value) {
    if (!best || doc::compareValues(value, best->view()) * key.direction < 0) best = doc::Value(value);
  };
  const auto whole = document.findPath(key.path);
  if (whole && whole->type() == doc::BsonType::array) {
    for (const doc::Element& element : whole->asDocument()) consider(element.value);
    return best;
  }
  const auto path = doc::FieldPath::parse(key.path);
  doc::walkPath(document, *path, doc::Leaf::elementsToo, [&](std::optional<doc::ValueView> value) {
    if (!value || value->type() != doc::BsonType::array) consider(value.value_or(doc::ValueView()));
    return false;
  });
  return best;
}

// {v: [{is: <value>}, …], id}; `{}` for an array without elements.
inline doc::Document sortPosition(const std::vector<SortKey>& sort, doc::DocumentView document) {
  doc::BsonWriter out;
  out.beginArray("v");
  size_t at = 0;
  for (const SortKey& key : sort) {
    const auto value = sortValue(document, key);
    out.beginDocument(doc::arrayKey(at++));
    if (value) out.append("is", value->view());
    out.end();
  }
  out.end();
  out.appendString("id", document.stringOr("id"));
  return out.finish();
}

inline int compareSorted(const std::optional<doc::ValueView>& a, const std::optional<doc::ValueView>& b) {
  if (a && b) return doc::compareValues(*a, *b);
  if (!a && !b) return 0;
  // An array without elements is between minKey and null.
  const doc::ValueView value = a ? *a : *b;
  const int order = value.type() == doc::BsonType::minKey ? -1 : 1;
  return a ? order : -order;
}

// `idsAreUnique`: keys after "id" do not matter.
inline int comparePositions(const std::vector<SortKey>& sort, doc::DocumentView a, doc::DocumentView b,
                            bool idsAreUnique = true) {
  auto left = a.find("v")->asDocument().begin();
  auto right = b.find("v")->asDocument().begin();
  for (const SortKey& key : sort) {
    const int order =
        compareSorted((*left).value.asDocument().find("is"), (*right).value.asDocument().find("is")) * key.direction;
    if (order != 0 || (idsAreUnique && key.path == "id")) return order;
    ++left;
    ++right;
  }
  return a.stringOr("id").compare(b.stringOr("id"));
}

// The first array that the path runs through; null if none.
inline const char* firstArray(doc::DocumentView document, std::string_view dotted) {
  const auto path = doc::FieldPath::parse(dotted);
  for (size_t i = 0; i < path->steps().size(); ++i) {
    const auto value = document.find(path->steps()[i]);
    if (!value || (value->type() != doc::BsonType::array && value->type() != doc::BsonType::document)) return nullptr;
    document = value->asDocument();
    const bool last = i + 1 == path->steps().size();
    if (value->type() == doc::BsonType::array && (last || !document.find(path->steps()[i + 1]))) {
      return document.bytes().data();
    }
  }
  return nullptr;
}

inline bool hasTwoArrays(const std::vector<SortKey>& sort, doc::DocumentView document) {
  std::set<const char*> arrays;
  for (const SortKey& key : sort) {
    if (key.path == "id") break;  // keys after it do not matter
    if (const char* array = firstArray(document, key.path)) arrays.insert(array);
  }
  return arrays.size() > 1;
}

// The order is that of ids, whose positions are ids.
inline bool isOfIds(const std::vector<SortKey>& sort) {
  return sort.empty() || sort.front().path == "id";
}

}  // namespace sorting

// Fails with validation as DocumentStore::find does for a sort.
inline Result<std::vector<SortedDocument>> sortDocuments(const std::vector<SortKey>& sort,
                                                         std::vector<doc::Document> documents) {
  for (const SortKey& key : sort) RETURN_IF_ERROR(doc::FieldPath::parse(key.path));
  std::vector<SortedDocument> rows;
  for (doc::Document& each : documents) {
    if (sorting::hasTwoArrays(sort, each))
      return fail(ErrorCode::validation, "the sort names two arrays of a document");
    doc::Document position = sorting::sortPosition(sort, each);
    rows.push_back({std::move(position), std::move(each)});
  }
  std::ranges::sort(rows, [&](const SortedDocument& a, const SortedDocument& b) {
    return sorting::comparePositions(sort, a.position, b.position) < 0;
  });
  return rows;
}

// QueryResult::next of a page that ends with the document.
inline std::string pageEnd(const std::vector<SortKey>& sort, const SortedDocument& last) {
  return std::string(sorting::isOfIds(sort) ? last.position.view().stringOr("id") : last.position.bytes());
}

// Removes the documents up to a pageEnd().
inline void dropUpTo(const std::vector<SortKey>& sort, const std::string& end, std::vector<SortedDocument>& documents) {
  const doc::Document last =
      sorting::isOfIds(sort) ? sorting::sortPosition(sort, idDocument(end)) : doc::Document::fromTrusted(end);
  std::erase_if(documents,
                [&](const SortedDocument& each) { return sorting::comparePositions(sort, each.position, last) <= 0; });
}

}  // namespace mb::store
