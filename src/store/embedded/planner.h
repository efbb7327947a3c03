// Which ways a query can take to its documents: by id, through one of the indexes or several, or over the whole
// collection. Pure: it reads filter and catalogue only; plan_choice.h chooses among them by counting their keys.
#pragma once

#include "store/embedded/conditions.h"

namespace mb::store::embedded {

// Keys from `from` up to, not including, `to`.
struct KeyRange {
  std::string from;
  std::string to;
  // Bytes that all its keys begin with: the prefix of collection or index, and the points of its first fields.
  uint32_t fixed = 0;
};

// Ranges of one index (or of the documents), or ids where `index` is null and there are no ranges.
struct AccessPath {
  std::shared_ptr<const Index> index;
  std::vector<KeyRange> ranges;  // ascending, disjoint
  std::vector<std::string> ids;  // ascending, distinct
  // Parts of the filter, of which each must hold, that what the entries hold decides; and whether an entry that meets
  // them matches the whole filter.
  std::vector<const doc::FilterNode*> parts = {};
  bool decides = false;
};

// How the entries of a plan's ways are to be read so that they come in the order it has.
enum class Reading {
  forward,         // way after way, range after range
  backward,        // from the end
  backwardGroups,  // from the end, but those with equal fields ascending by id
  merged,          // all ranges at once, the lowest first: by what follows the fixed bytes of their keys
};

struct Plan {
  enum class Kind { ids, documents, index } kind = Kind::documents;
  std::vector<AccessPath> accessPaths;  // one; several for the branches of an $or
  // Whatever stands in the ways matches the filter.
  bool exact = false;
  // Whatever stands in the ways and holds fields is known to match or not to.
  bool decides = false;
  // Of a plan over the documents: the filter bounds the ids.
  bool boundsIds = false;
  // A document may come up more than once; next to each other when the reading is merged.
  bool mayRepeat = false;
  // Read so, the documents come in the order asked for (ascending ids where none was) ...
  bool inOrder = false;
  Reading reading = Reading::forward;
  // ... or at least by this many of the first sort keys.
  size_t orderedKeys = 0;
  // Each of its ranges is in that order forwards, by what follows the fixed bytes of its keys and by nothing else.
  bool mergeable = false;

  size_t rangeCount() const;
  // No way of ids, of which there may be no document.
  bool entriesOnly() const;
  // What Explain says of it: the names of its indexes, each once.
  std::string name() const;
};

// The branches of an $or, each with every plan that it alone could take.
using Union = std::vector<std::vector<Plan>>;

struct Candidates {
  std::vector<Plan> plans;
  std::vector<Union> unions;
};

// The order asked for, without what changes nothing: a document's id is its own, so what follows it is left out.
struct SortOrder {
  std::vector<SortKey> keys;
  bool idDescending = false;
  explicit SortOrder(const std::vector<SortKey>& sort);
  bool isIdAscending() const { return keys.empty() && !idDescending; }
};

// Every usable plan. By id where the filter names ids, and nothing else then; else a plan for each index that the
// filter bounds or that gives the order asked for, the documents where the filter bounds their ids or their order is
// asked for, and unions for each $or; where there is none, the one over the documents.
Candidates usablePlans(const CollectionRef& collection, const Schema& schema, const doc::Filter& filter,
                       const SortOrder& order);
// One plan of a union's branches, in order of id where that can be had.
Plan unite(std::vector<Plan> branches);
// The documents in order of id, bounded by what the filter says of `id`.
Plan documentsPlan(const CollectionRef& collection, const doc::Filter& filter, const SortOrder& order);

}  // namespace mb::store::embedded
