// Sorting in memory, for orders that no index gives: keeps the first `keep` documents of all it is shown.
#pragma once

#include "store/store.h"

namespace mb::store::embedded {

inline constexpr size_t kSortBytes = 32 << 20;

class Sorter {
 public:
  // `keys` are valid paths. By the first `ordered` of them the documents come in order already.
  static Result<Sorter> make(const std::vector<SortKey>& keys, uint64_t keep, size_t ordered = 0);

  enum class Position {
    kept,    // keep() follows, with what the result holds of the document
    passed,  // it comes after all that are kept
    behind,  // and so does every document that can follow
  };
  // Where a document belongs, by all of its fields.
  Position place(std::string_view id, doc::DocumentView document);
  // REQUIRES: place() answered `kept`, with no other call since. Fails with payloadTooLarge when what is kept passes
  // kSortBytes.
  Result<> keep(std::string document);
  // In order: by the keys, missing and null first among ascending ones, ties by id; arrays stand where their smallest
  // element does (their largest, descending), as in MongoDB.
  std::vector<doc::Document> take(uint64_t skip);

 private:
  struct Field {
    doc::FieldPath path;
    bool descending;
  };
  struct Entry {
    std::string key;
    std::string document;
    bool operator<(const Entry& other) const { return key < other.key; }
  };
  void cutToKeep();

  std::vector<Field> fields_;
  uint64_t keep_ = 0;
  size_t ordered_ = 0;
  std::string key_;      // of the last document
  std::string leading_;  // the encoding of its first `ordered_` fields
  size_t bytes_ = 0;
  std::vector<Entry> entries_;
  std::string worst_;  // once entries_ was cut: what sorts above it is not kept
};

}  // namespace mb::store::embedded
