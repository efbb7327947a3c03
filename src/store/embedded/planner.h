// The planner finds the access paths of a query: by id, through one or several indexes, or over the whole collection.
// Pure: it reads only filter and catalogue; plan_choice.h chooses among the plans by counting their keys.
#pragma once

#include "store/embedded/conditions.h"

namespace mb::store::embedded {

// The keys in [from, to).
struct KeyRange {
  std::string from;
  std::string to;
  // The length of the common prefix of its keys: the prefix of collection or index, and the points of its first fields.
  uint32_t fixed = 0;
};

// Ranges of one index (or of the documents), or ids if `index` is null and there are no ranges.
struct AccessPath {
  std::shared_ptr<const Index> index;
  std::vector<KeyRange> ranges;  // ascending, disjoint
  std::vector<std::string> ids;  // ascending, distinct
  // Parts of the filter, which must all hold, that the entries' held fields decide; and whether an entry that satisfies
  // them matches the whole filter.
  std::vector<const doc::FilterNode*> parts = {};
  bool decides = false;
};

// The order in which a plan's entries are read.
enum class Reading {
  forward,         // path after path, range after range
  backward,        // from the end
  backwardGroups,  // from the end, but entries with equal fields ascending by id
  merged,          // all ranges at once, the lowest first, compared by the bytes of their keys after the fixed ones
};

// How the keys of a plan's entries follow from the requested order.
struct KeyOrder {
  // A field of the keys: the value of a sort key, or one that all entries have.
  struct Field {
    std::optional<size_t> sortKey;
    std::string value;  // encoded, without a sort key
  };
  // Behind the prefix of the index, or behind the fixed bytes of each range.
  bool fromStart = false;
  std::vector<Field> fields;
  // Sort keys by which all entries are equal, with the encoding of their value in the direction of the sort key.
  std::vector<std::pair<size_t, std::string>> fixed;
};

struct Plan {
  enum class Kind { ids, documents, index } kind = Kind::documents;
  std::vector<AccessPath> accessPaths;  // one, or several for the branches of an $or
  // All entries of the paths match the filter.
  bool exact = false;
  // For all entries of the paths that hold fields, it is known whether they match.
  bool decides = false;
  // For a plan over the documents: the filter bounds the ids.
  bool boundsIds = false;
  // A document may occur several times; consecutively if the reading is merged.
  bool mayRepeat = false;
  // With this reading, the documents come in the requested order (ascending ids by default) ...
  bool inOrder = false;
  Reading reading = Reading::forward;
  // ... or at least in that of this many of the first sort keys.
  size_t orderedKeys = 0;
  // Of a plan through one index. nullopt of one that merges several: all sort keys, behind the fixed bytes.
  std::optional<KeyOrder> keyOrder = {};
  // Each of its ranges is in that order forwards, by the bytes of its keys after the fixed ones alone.
  bool mergeable = false;

  size_t rangeCount() const;
  // True without a path of ids, for which there may be no document.
  bool entriesOnly() const;
  // The text for Explain: the distinct names of its indexes.
  std::string name() const;
};

// The branches of an $or, each with all plans that it could use on its own.
using Union = std::vector<std::vector<Plan>>;

struct Candidates {
  std::vector<Plan> plans;
  std::vector<Union> unions;
};

// The requested order without redundant keys: ids are unique, so keys after the id are omitted.
struct SortOrder {
  std::vector<SortKey> keys;
  bool idDescending = false;
  explicit SortOrder(const std::vector<SortKey>& sort);
  bool isIdAscending() const { return keys.empty() && !idDescending; }
};

// All usable plans. If the filter names ids, only the plan by id; else a plan for each index that the filter bounds or
// that yields the requested order, a plan over the documents if the filter bounds their ids or their order is
// requested, and unions for each $or; without any of these, the plan over the documents.
Candidates usablePlans(const CollectionRef& collection, const Schema& schema, const doc::Filter& filter,
                       const SortOrder& order);
// One plan of a union's branches, in the order of ids if possible.
Plan unite(std::vector<Plan> branches);
// The documents in the order of ids, bounded by the conditions on `id`.
Plan documentsPlan(const CollectionRef& collection, const doc::Filter& filter, const SortOrder& order);

}  // namespace mb::store::embedded
