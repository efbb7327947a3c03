// The marks of values (DocumentStore::mark()): counters in a table striped by the hash of (project, collection, path,
// value). In memory only. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "store/store.h"

namespace mb::store {

class Marks {
 public:
  Mark of(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const;
  // Adds the stripes of all values of the document at the path.
  static void addStripes(ProjectNo project, CollectionNo collection, const doc::FieldPath& path,
                         doc::DocumentView document, std::vector<uint32_t>& stripes);
  void move(const std::vector<uint32_t>& stripes);
  // For changes of documents that are not known.
  void moveAll();

 private:
  static constexpr size_t kStripes = 1 << 16;
  static uint32_t stripeOf(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value);

  std::array<std::atomic<uint32_t>, kStripes> counters_{};
};

}  // namespace mb::store
