// What prevents an import, and what a user should know.
#pragma once

#include "introspection/facts.h"
#include "introspection/report.h"

namespace mb::introspection {

// What the sample shows besides its fields.
struct SampleFacts {
  IdCounts ids;  // of the sample
  bool hasDuplicateIds = false;
  bool hasLarge = false;  // a document over 1 MiB
  bool hasDotted = false;
  bool hasOthers = false;
  bool isDeep = false;
  bool wasCut = false;
};

inline constexpr std::string_view kNoPreImages = "no-pre-images";

// Why a collection cannot be imported whatever it holds, as in the list of all; nullopt if it can.
std::optional<std::string> reasonAgainst(const CollectionFacts& facts);

// Errors first, then warnings, then infos. `ids`: of all documents.
std::vector<Problem> problemsOf(const CollectionFacts& facts, const SampleFacts& sample, const IdCounts& ids);

// The problem of documents that share an id.
Problem duplicateIds();

bool hasErrors(const std::vector<Problem>& problems);

// A unique index on `id` alone, of all strings.
bool hasUniqueIds(const CollectionFacts& facts);

}  // namespace mb::introspection
