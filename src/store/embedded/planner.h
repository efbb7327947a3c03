// Which way a query takes to its documents: by id, through one of the indexes, or over the whole collection. Pure: it
// reads filter and catalogue only; choosing among several usable indexes by counting their keys is query_run's.
#pragma once

#include "store/embedded/conditions.h"

namespace mb::store::embedded {

// Keys from `from` up to, not including, `to`.
struct KeyRange {
  std::string from;
  std::string to;
};

struct Plan {
  enum class Kind { ids, documents, index } kind = Kind::documents;
  std::shared_ptr<const Index> index;
  std::vector<std::string> ids;  // ids: ascending, distinct
  std::vector<KeyRange> ranges;  // documents, index: ascending, disjoint
  // Whatever stands in the ranges matches the filter.
  bool exact = false;
  // Of a plan over the documents: the filter bounds the ids.
  bool boundsIds = false;
  // The ranges give ids ascending, respectively in the order asked for.
  bool inIdOrder = false;
  bool inSortOrder = false;
  // A document may come up more than once.
  bool mayRepeat = false;
};

// Every usable plan. By id where the filter names ids, and nothing else then; else a plan for each index that the
// filter bounds or that gives the order asked for; where there is none, the one over the documents.
std::vector<Plan> usablePlans(const CollectionRef& collection, const Schema& schema, const doc::Filter& filter,
                              const std::vector<SortKey>& sort);
// The documents in order of id, bounded by what the filter says of `id`.
Plan documentsPlan(const CollectionRef& collection, const doc::Filter& filter);

}  // namespace mb::store::embedded
