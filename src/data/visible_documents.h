// Reads documents by id, as far as a caller may see them.
#pragma once

#include <span>

#include "base/task.h"
#include "store/store.h"

namespace mb::data {

// The total cost of matching of one call (base/work_budget.h): about a tenth of a second.
inline constexpr int64_t kMatchWork = 100'000'000;
// The documents and fields of a collection that a caller may see.
struct Visibility {
  store::CollectionRef collection;
  doc::Filter filter;                           // evaluated on the whole document
  std::shared_ptr<const doc::FieldSet> hidden;  // null for none
};

// The remaining cost of a read.
struct ReadBudget {
  int64_t work = kMatchWork;              // of matching and of removing fields
  size_t bytes = store::kMaxResultBytes;  // of documents as they are returned
};

// The documents of `ids` that match the filter, without their hidden fields; the others are nullopt. In the order of
// `ids`. Yields the core between documents and subtracts the cost from `budget`. Fails with queryTooCostly or
// payloadTooLarge once that is used up, with queryTooCostly if one document costs more than kCoreWork, and with
// unavailable past the deadline.
Task<std::vector<std::optional<doc::Document>>> readVisible(store::DocumentStore& store, const Visibility& visibility,
                                                            std::span<const std::string> ids, ReadBudget& budget,
                                                            store::Deadline deadline);

}  // namespace mb::data
