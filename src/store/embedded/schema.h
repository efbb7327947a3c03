// The engine's view of a collection and its indexes: immutable objects that an alteration replaces as a whole.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "store/document_limits.h"
#include "store/store.h"

namespace mb::store::embedded {

// What the entries of an index contain. Bits are fields of the index, the first is bit 0; bits are only ever set.
// `multikey` and `truncated` are set before the entries can be read, the durable ones once the row::kIndexTraits row is
// durable.
struct IndexTraits {
  std::atomic<uint32_t> multikey{0};   // some document has several values in the field
  std::atomic<uint32_t> truncated{0};  // some value was truncated: its order is exact up to the cap only
  std::atomic<uint32_t> durableMultikey{0};
  std::atomic<uint32_t> durableTruncated{0};
};

// IndexProgress of a fill that runs. Any thread.
struct FillProgress {
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> expected{0};
};

struct Index {
  IndexNo number = 0;
  IndexSpec spec;
  bool ready = false;
  std::vector<doc::FieldPath> paths;  // of spec.keys, in order
  std::optional<doc::Filter> partial;
  std::shared_ptr<IndexTraits> traits;
  std::shared_ptr<FillProgress> progress;  // null when ready
  // The fields that its entries hold in addition to their keys (held_fields.h), sorted, none below another.
  std::vector<doc::FieldPath> held;
  // The version of `held`, which entries store. Increases with each change of `held` and is never reused.
  uint32_t layout = 0;
  // Entries of earlier layouts are being rewritten; writes rewrite those of the documents that they touch.
  bool refilling = false;

  bool descending(size_t field) const { return spec.keys[field].direction < 0; }
};

struct Schema {
  CollectionNo number = 0;
  std::string name;
  uint64_t version = 0;
  doc::Document config;
  std::vector<std::shared_ptr<const Index>> indexes;
  // Paths that the entries of all its indexes hold, in addition to each one's `include`.
  std::vector<std::string> held;
  // Of a system collection, as declared.
  bool chained = false;  // not stored
  std::string countedBy;
  std::vector<CounterSource> counters;  // not stored
  std::vector<doc::FieldPath> marked;   // not stored
  std::optional<LogFloor> logFloor;     // not stored

  bool system() const { return number < kFirstUserCollection; }
  const Index* index(IndexNo wanted) const;
};
using SchemaPtr = std::shared_ptr<const Schema>;

// Checks the keys and options (validation, invalidFilter) and sets the default name of an index without one. `held`:
// Schema::held.
Result<std::shared_ptr<Index>> compileIndex(IndexNo number, IndexSpec spec, bool ready,
                                            const std::vector<std::string>& held = {});
CollectionInfo infoOf(const Schema& schema);
// Its bytes in the project's configuration.
int64_t configuredBytes(const Schema& schema);

// The BSON of row::kCollection and row::kSystemCollection: {name, version, config, `tallied`?, held?, indexes:
// [{number, ready, name, keys: [{path, direction}], unique, sparse, partialFilter?, expireAfterSeconds?, covering?,
// include?, layout?, refilling?}]}.
std::string encodeSchema(const Schema& schema);
// Fails with internal if encodeSchema() did not write the row.
Result<Schema> decodeSchema(CollectionNo number, std::string_view row);
bool sameSpec(const IndexSpec& a, const IndexSpec& b);

}  // namespace mb::store::embedded
