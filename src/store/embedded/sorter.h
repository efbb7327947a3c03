// Sorts in memory, for orders that no index yields: keeps the first `keep` of all documents that it gets.
#pragma once

#include "store/embedded/planner.h"

namespace mb::store::embedded {

inline constexpr size_t kSortBytes = 32 << 20;

// Encodes the positions of documents in a sort order as bytes that compare in that order.
class SortPositions {
 public:
  // Fails with validation for an invalid path.
  static Result<SortPositions> make(const SortOrder& order);

  size_t fields() const { return fields_.size(); }
  // Appends the encoding of the value by which a field sorts.
  void append(std::string& position, size_t field, doc::DocumentView document) const;
  // The whole position: all fields, and the id.
  std::string of(std::string_view id, doc::DocumentView document) const;
  // The encodings of the fields, and the id: views of `position`. nullopt for bytes that are not a position in this
  // order.
  std::optional<std::vector<std::string_view>> split(std::string_view position) const;
  // Fails with validation if two of the fields are in two arrays of the document, so that its place in the order would
  // follow from elements that do not belong together.
  Result<> check(doc::DocumentView document) const;

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
    size_t ordered = 0;    // the documents already come in the order of this many of the first keys
    std::string after;     // documents at or before this position are left out; "" for none
    bool shrinks = false;  // keeps fewer documents if `keep` of them exceed kSortBytes; else only their positions
  };
  Sorter(SortPositions positions, Settings settings)
      : positions_(std::move(positions)), settings_(std::move(settings)) {}

  enum class Position {
    kept,    // the caller must call keep() with the document as the result holds it
    passed,  // it is after all kept documents, or not after Settings::after
    behind,  // all following documents are after the kept ones
  };
  // The position of a document relative to the kept ones, from all of its fields.
  Position locate(std::string_view id, doc::DocumentView document);
  // REQUIRES: the last call was locate(), which returned `kept`. Fails with payloadTooLarge when the positions alone
  // exceed kSortBytes.
  Result<> keep(std::string document);
  // Whether documents were left out because of their size.
  bool shrunk() const { return shrunk_; }
  // False: the entries have no documents, which together were too large.
  bool holdsDocuments() const { return holdsDocuments_; }

  // In the order of the keys, missing and null first in ascending order, ties by id; an array sorts by its smallest
  // element (descending: its largest), as in MongoDB.
  struct Entry {
    std::string key;  // its position, which ends with its id
    size_t idSize;
    std::string document;
    std::string_view id() const { return std::string_view(key).substr(key.size() - idSize); }
    bool operator<(const Entry& other) const { return key < other.key; }
  };
  std::vector<Entry> take(uint64_t skip);

 private:
  static size_t bytesOf(const Entry& entry) { return sizeof(Entry) + entry.key.size() + entry.document.size(); }
  void measure();
  void truncateToLimit();
  void shrink();
  void dropDocuments();

  SortPositions positions_;
  Settings settings_;
  bool shrunk_ = false;
  bool holdsDocuments_ = true;
  std::string key_;  // of the last document
  size_t idSize_ = 0;
  std::string leading_;  // the encoding of its first `settings_.ordered` fields
  size_t bytes_ = 0;
  std::vector<Entry> entries_;
  std::string worst_;  // once entries_ was truncated: documents above it are not kept
};

}  // namespace mb::store::embedded
