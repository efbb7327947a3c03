// Sorting in memory, for orders that no index gives: keeps the first `keep` documents of all it is shown.
#pragma once

#include "store/store.h"

namespace mb::store::embedded {

inline constexpr size_t kSortBytes = 32 << 20;

// The places of documents in an order: bytes that sort as it has them.
class SortPlaces {
 public:
  // Fails with validation for a path that is none.
  static Result<SortPlaces> make(const std::vector<SortKey>& keys);

  size_t fields() const { return fields_.size(); }
  // Appends the encoding of what decides of a field.
  void append(std::string& place, size_t field, doc::DocumentView document) const;
  // The whole place: of all fields, and the id.
  std::string of(std::string_view id, doc::DocumentView document) const;

 private:
  struct Field {
    doc::FieldPath path;
    bool descending;
  };
  std::vector<Field> fields_;
};

class Sorter {
 public:
  struct Settings {
    uint64_t keep = 0;
    size_t ordered = 0;    // by so many of the first keys the documents come in order already
    std::string after;     // documents at or before this place are left out; "" for none
    bool shrinks = false;  // keeps fewer documents where `keep` of them pass kSortBytes
  };
  Sorter(SortPlaces places, Settings settings) : places_(std::move(places)), settings_(std::move(settings)) {}

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

  // In order: by the keys, missing and null first among ascending ones, ties by id; arrays stand where their smallest
  // element does (their largest, descending), as in MongoDB.
  struct Entry {
    std::string key;  // its place, which ends with its id
    size_t idSize;
    std::string document;
    std::string_view id() const { return std::string_view(key).substr(key.size() - idSize); }
    bool operator<(const Entry& other) const { return key < other.key; }
  };
  std::vector<Entry> take(uint64_t skip);

 private:
  void truncateToLimit();
  void shrink();

  SortPlaces places_;
  Settings settings_;
  bool shrunk_ = false;
  std::string key_;  // of the last document
  size_t idSize_ = 0;
  std::string leading_;  // the encoding of its first `settings_.ordered` fields
  size_t bytes_ = 0;
  std::vector<Entry> entries_;
  std::string worst_;  // once entries_ was cut: what sorts above it is not kept
};

}  // namespace mb::store::embedded
