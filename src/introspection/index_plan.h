// Finds what keeps indexes from being made in an owner's database, before any is made. Nothing is written. Blocks.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "data/collections.h"
#include "introspection/source.h"

namespace mb::introspection {

// Indexes that are about to be made in a collection that exists.
struct PlannedIndexes {
  std::string collection;               // its name here
  std::vector<data::NewIndex> indexes;  // each with its name
  std::set<std::string> replaced = {};  // names of indexes that are dropped before
};

// What keeps an index of PlannedIndexes from being made.
struct IndexProblem {
  std::string collection;  // its name here
  std::string message;     // names the index
};

// For the documents of one collection.
inline constexpr std::chrono::seconds kIndexPlanTime{3};

// `source`: the collection's name there. What takes longer than kIndexPlanTime, or what the server refuses to compute,
// is not found: the index may still fail. Fails where the database does not respond.
Outcome<std::vector<IndexProblem>> findIndexProblems(Source& from, const std::string& source,
                                                     const PlannedIndexes& planned);

// Whether the server takes the filter for a partial index.
bool isPartialFilter(doc::DocumentView filter);

}  // namespace mb::introspection
