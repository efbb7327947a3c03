// What collections hold and take, for lists of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"

namespace mb::data {

struct IndexStats {
  std::string name;
  std::optional<int64_t> entries;
  std::optional<int64_t> bytes;
  std::optional<bool> approximate;  // true: the numbers are estimates
  static constexpr auto shape() {
    return doc::shape<IndexStats>("IndexStats", doc::field("name", &IndexStats::name),
                                  doc::field("entries", &IndexStats::entries), doc::field("bytes", &IndexStats::bytes),
                                  doc::field("approximate", &IndexStats::approximate));
  }
};

// Numbers are absent, and lastWriteAt is null, for a caller who may not list the documents; `policy` is absent for one
// who may not read policies.
struct CollectionStats {
  std::string name;
  std::optional<int64_t> documents;
  std::optional<int64_t> bytes;
  std::vector<IndexStats> indexes;
  bool schema = false;                // whether it has one
  std::optional<std::string> policy;  // policySourceName()
  // Up to a second early; null if the store knows of no write.
  doc::Nullable<Timestamp> lastWriteAt;
  static constexpr auto shape() {
    return doc::shape<CollectionStats>(
        "CollectionStats", doc::field("name", &CollectionStats::name),
        doc::field("documents", &CollectionStats::documents), doc::field("bytes", &CollectionStats::bytes),
        doc::field("indexes", &CollectionStats::indexes), doc::field("schema", &CollectionStats::schema),
        doc::field("policy", &CollectionStats::policy), doc::field("lastWriteAt", &CollectionStats::lastWriteAt));
  }
};

}  // namespace mb::data
