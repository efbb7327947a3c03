// What the save of a schema demands of its references (x-ref).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/schema.h"
#include "store/store.h"

namespace mb::data {

// The relations of a collection; null if it has none, or does not exist.
using RelationsOf = std::function<const std::vector<doc::Relation>*(const std::string& collection)>;

// The problems of references to end users, who are never deleted and have no read rule.
std::vector<ErrorDetail> endUserProblems(const std::vector<doc::Relation>& relations);
// The problems of an onDelete without an index that begins with its field; `indexed`: whether there is one.
std::vector<ErrorDetail> indexProblems(const std::vector<doc::Relation>& relations,
                                       const std::function<bool(const std::string& path)>& indexed);
// The problems of cascades that lead back to their collection: the deletion of one document could delete any other.
std::vector<ErrorDetail> cascadeProblems(const std::string& collection, const std::vector<doc::Relation>& relations,
                                         const RelationsOf& relationsOf);
// Fails with validation and all of the problems.
Result<> refuseProblems(std::vector<ErrorDetail> problems);

}  // namespace mb::data
