// What an owner's database says about one of its collections, besides its documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/bson.h"

namespace mb::introspection {

struct IndexFacts {
  std::string name;
  doc::Document keys;  // as shown
  bool unique = false;
  bool sparse = false;
  doc::Document partialFilter;
  std::optional<int64_t> expireAfterSeconds = {};  // of a TTL index
  bool hasCollation = false;                       // another one than by the bytes of text
};

// How many documents there are of each kind of `id`.
struct IdCounts {
  int64_t strings = 0;
  int64_t missing = 0;
  int64_t others = 0;     // of another type
  int64_t malformed = 0;  // of the strings: without the form of an id
  int64_t hidden = 0;     // those that have no id that could be shown
};

struct CollectionFacts {
  std::string name;
  bool view = false;
  bool timeSeries = false;
  bool capped = false;
  bool clustered = false;
  bool encrypted = false;
  bool hasCollation = false;
  bool hasValidator = false;
  bool keepsPreImages = false;
  int64_t documents = 0;
  int64_t bytes = 0;
  std::vector<IndexFacts> indexes;
  std::optional<IdCounts> ids;  // nullopt: counting took too long
};

}  // namespace mb::introspection
