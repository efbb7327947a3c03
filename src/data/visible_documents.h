// Documents that were asked for by their ids, as far as a caller may see them.
#pragma once

#include <span>

#include "base/task.h"
#include "store/store.h"

namespace mb::data {

// What the matching of one call may cost in all (base/work_budget.h): some tenth of a second.
inline constexpr int64_t kMatchWork = 100'000'000;
inline constexpr size_t kMaxAnswerBytes = 16 << 20;

// What a caller may see of a collection.
struct Visibility {
  store::CollectionRef collection;
  doc::Filter filter;                           // sees the whole document
  std::shared_ptr<const doc::FieldSet> hidden;  // null for none
};

// What reading may still cost.
struct ReadBudget {
  int64_t work = kMatchWork;       // matching, and leaving out fields
  size_t bytes = kMaxAnswerBytes;  // of documents as they are returned
};

// The documents of `ids` that the filter shows, without their hidden fields; the others are nullopt. In the order of
// `ids`. Gives others a turn on the core between documents, and takes what it costs from `budget`; fails with
// queryTooCostly or payloadTooLarge once that is used up, queryTooCostly where one document takes longer than a turn,
// and unavailable past the deadline.
Task<std::vector<std::optional<doc::Document>>> readVisible(store::DocumentStore& store, const Visibility& visibility,
                                                            std::span<const std::string> ids, ReadBudget& budget,
                                                            store::Deadline deadline);

}  // namespace mb::data
