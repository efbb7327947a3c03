// The rows of one group of commits, written and synced together.
#pragma once

#include "store/embedded/database.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

// An incomplete batch must never be written: a row that cannot be added ends the process.
class GroupBatch {
 public:
  explicit GroupBatch(const Database& database) : database_(database) {}

  void clear() {
    if (batch_.GetDataSize() > kRetainedBytes) batch_ = rocksdb::WriteBatch();
    batch_.Clear();
  }
  void put(Family family, std::string_view key, std::string_view value) {
    check(batch_.Put(database_.family(family), slice(key), slice(value)));
  }
  // The value is the concatenation of `parts`.
  void put(Family family, std::string_view key, std::span<const rocksdb::Slice> parts) {
    const rocksdb::Slice whole = slice(key);
    check(batch_.Put(database_.family(family), rocksdb::SliceParts(&whole, 1),
                     rocksdb::SliceParts(parts.data(), static_cast<int>(parts.size()))));
  }
  // The value is a document's BSON and its version (stored_document.h).
  void putVersioned(Family family, std::string_view key, std::string_view bson, DocumentVersion version) {
    value_.clear();
    appendU64(value_, version);
    const std::array<rocksdb::Slice, 2> parts = {slice(bson), slice(value_)};
    put(family, key, parts);
  }
  // A row of the system family: the numbers as u64.
  void putNumbers(std::string_view key, std::initializer_list<uint64_t> numbers) {
    value_.clear();
    for (const uint64_t number : numbers) appendU64(value_, number);
    put(Family::system, key, value_);
  }
  void remove(Family family, std::string_view key) { check(batch_.Delete(database_.family(family), slice(key))); }
  rocksdb::WriteBatch& rows() { return batch_; }

 private:
  // A batch that grew past this is freed after use.
  static constexpr size_t kRetainedBytes = 4 << 20;
  static void check(const rocksdb::Status& status) {
    if (!status.ok()) stopProcess("building a write", status);
  }

  const Database& database_;
  rocksdb::WriteBatch batch_;
  std::string value_;
};

}  // namespace mb::store::embedded
