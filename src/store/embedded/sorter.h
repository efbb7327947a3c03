// Sorting in memory, for orders that no index gives: keeps the first `keep` documents of all it is shown.
#pragma once

#include "store/store.h"

namespace mb::store::embedded {

inline constexpr size_t kSortBytes = 32 << 20;

class Sorter {
 public:
  struct Settings {
    uint64_t keep = 0;
    size_t ordered = 0;    // by so many of the first keys the documents come in order already
    std::string after;     // documents at or before this place are left out; "" for none
    bool shrinks = false;  // keeps fewer documents where `keep` of them pass kSortBytes
  };
  // `keys` are valid paths.
  static Result<Sorter> make(const std::vector<SortKey>& keys, Settings settings);

  enum class Position {
    kept,    // keep() follows, with what the result holds of the document
    passed,  // it comes after all that are kept
    behind,  // and so does every document that can follow
  };
  // Where a document belongs, by all of its fields.
  Position place(std::string_view id, doc::DocumentView document);
  // REQUIRES: place() answered `kept`, with no other call since. Fails with payloadTooLarge when what is kept passes
  // kSortBytes, unless it shrinks.
  Result<> keep(std::string document);
  // Whether there are documents that were left out for their size.
  bool shrunk() const { return shrunk_; }
  // The place of a document in the order: the encodings of what decides, and its id.
  static std::string placeOf(const std::vector<SortKey>& keys, std::string_view id, doc::DocumentView document);

  // In order: by the keys, missing and null first among ascending ones, ties by id; arrays stand where their smallest
  // element does (their largest, descending), as in MongoDB.
  struct Entry {
    std::string key;  // its place
    std::string document;
    bool operator<(const Entry& other) const { return key < other.key; }
  };
  std::vector<Entry> take(uint64_t skip);

 private:
  struct Field {
    doc::FieldPath path;
    bool descending;
  };
  void cutToKeep();
  void shrink();

  std::vector<Field> fields_;
  Settings settings_;
  bool shrunk_ = false;
  std::string key_;      // of the last document
  std::string leading_;  // the encoding of its first `ordered_` fields
  size_t bytes_ = 0;
  std::vector<Entry> entries_;
  std::string worst_;  // once entries_ was cut: what sorts above it is not kept
};

}  // namespace mb::store::embedded
