// The settings of a project that are about its end users: claims of their tokens, and fields of their profiles. They
// are part of the project's record, which projects/ writes.
#pragma once

#include <string>
#include <vector>

#include "document/bson.h"
#include "snapshot/snapshot.h"

namespace mb::identity {

inline constexpr size_t kMaxTokenClaims = 8;
inline constexpr size_t kMaxProfileFields = 20;

// tokenClaims: names under a user's metadata whose values become claims.
std::vector<std::string> tokenClaimsOf(const snapshot::ProjectInfo& project);
// profileFields: paths of a user's record that are shown in place of references to it.
std::vector<std::string> profileFieldsOf(const snapshot::ProjectInfo& project);

// The problems of a new value, with their pointers, which begin with `pointer`: that of the list.
std::vector<ErrorDetail> tokenClaimProblems(const std::vector<std::string>& names, const std::string& pointer);
std::vector<ErrorDetail> profileFieldProblems(const std::vector<std::string>& paths, const std::string& pointer);

// Appends the values that `metadata` has under `names`.
void appendClaims(doc::BsonWriter& out, const std::vector<std::string>& names, doc::DocumentView metadata);

}  // namespace mb::identity
