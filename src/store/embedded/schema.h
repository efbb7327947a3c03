// What the engine knows of a collection and its indexes: immutable pictures, replaced whole by an alteration.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "store/store.h"

namespace mb::store::embedded {

// What the entries of an index have turned out to hold. Bits are fields of the index, the first is bit 0; they are only
// ever set. `seen` is set before the entries can be read, `durable` once the 'M' row says so.
struct IndexTraits {
  std::atomic<uint32_t> multikey{0};   // some document has several values there
  std::atomic<uint32_t> truncated{0};  // some value was cut: order holds up to the cap only
  std::atomic<uint32_t> durableMultikey{0};
  std::atomic<uint32_t> durableTruncated{0};
};

struct Index {
  IndexNo number = 0;
  IndexSpec spec;
  bool ready = false;
  std::vector<doc::FieldPath> paths;  // of spec.keys, in order
  std::optional<doc::Filter> partial;
  std::shared_ptr<IndexTraits> traits;
  std::shared_ptr<IndexProgress> progress;  // null when ready
  // What its entries hold besides their keys (held_fields.h), in order, none below another.
  std::vector<doc::FieldPath> held;
  // The number under which entries hold these. Grows with each change of `held`, and is never used again.
  uint32_t layout = 0;
  // Entries of earlier layouts are being rewritten; writes rewrite those of each document that they touch.
  bool refilling = false;

  bool descending(size_t field) const { return spec.keys[field].direction < 0; }
};

struct Schema {
  CollectionNo number = 0;
  std::string name;
  uint64_t version = 0;
  doc::Document config;
  std::vector<std::shared_ptr<const Index>> indexes;
  // Paths that entries of all its indexes hold, in addition to each one's `include`.
  std::vector<std::string> held;
  // Of a system collection, as declared.
  bool chained = false;  // in no row
  std::string countedBy;
  std::vector<CounterSource> counters;  // in no row
  std::vector<doc::FieldPath> marked;   // in no row

  bool system() const { return number < kFirstUserCollection; }
  const Index* index(IndexNo wanted) const;
};
using SchemaPtr = std::shared_ptr<const Schema>;

inline constexpr size_t kMaxIndexes = 64;
inline constexpr size_t kMaxIndexFields = 32;

// Checks the keys and options (validation, invalidFilter) and gives the index its default name where it has none.
// `held`: Schema::held.
Result<std::shared_ptr<Index>> compileIndex(IndexNo number, IndexSpec spec, bool ready,
                                            const std::vector<std::string>& held = {});
CollectionInfo infoOf(const Schema& schema);
// What it counts for among a project's configuration.
int64_t configuredBytes(const Schema& schema);

// The BSON of 'C' and 'S' rows: {name, version, config, tallied?, held?, indexes: [{number, ready, name, keys: [{path,
// direction}], unique, sparse, partialFilter?, expireAfterSeconds?, covering?, include?, layout?, refilling?}]}.
std::string encodeSchema(const Schema& schema);
// Fails with internal when the row is not one that encodeSchema made.
Result<Schema> decodeSchema(CollectionNo number, std::string_view row);
bool sameSpec(const IndexSpec& a, const IndexSpec& b);
// The 'F' row of a directory that holds such a collection; nullopt where any will do.
std::optional<std::string> formatRow(const Schema& schema);

}  // namespace mb::store::embedded
