// Entity tags of documents, and what a request demands of the version that it changes (RFC 9110, 8.8.3 and 13.1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "store/store_types.h"

namespace mb::data {

// The strong entity tag of a version, with its quotes; the same for all callers.
std::string etagOf(store::DocumentVersion version);

// A list of entity tags, with their quotes and without "W/", or "*".
struct EntityTags {
  bool any = false;
  std::vector<std::string> tags = {};
  bool names(store::DocumentVersion version) const;
};

struct WriteCondition {
  std::optional<EntityTags> match;      // the document exists, and the tags name its version
  std::optional<EntityTags> noneMatch;  // it does not exist, or the tags do not name its version

  // Whether the document must not exist: a replacement then creates it.
  bool demandsAbsence() const { return noneMatch && noneMatch->any; }
};

// `version`: nullopt for no document. Fails with preconditionFailed.
Result<> checkCondition(const WriteCondition& condition, std::optional<store::DocumentVersion> version);

}  // namespace mb::data
