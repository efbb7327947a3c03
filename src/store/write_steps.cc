#include "store/write_steps.h"

#include "base/work_budget.h"

namespace mb::store {

bool changesAnything(const std::vector<Change>& changes, std::span<const std::optional<doc::Document>> before) {
  for (size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].kind == Change::Kind::put || (changes[i].kind == Change::Kind::remove && before[i])) return true;
  }
  return false;
}

Result<std::vector<Change>> computeChanges(const WriteCallback& callback, const PreImages& before, int64_t budget,
                                           int runs) {
  for (int run = 1;; ++run) {
    Changes changes(before.all().size());
    const WorkBudget work(budget);
    auto done = callback(before, changes);
    RETURN_IF_ERROR(work.check());
    if (!done) return fail(std::move(done).error());
    if (run == runs) return std::move(changes.all());
  }
}

void addTargets(std::vector<WriteTarget>& targets, const std::vector<Insert>& inserts) {
  for (const Insert& insert : inserts) targets.push_back({insert.collection, insert.id(), insert.idIsNew});
}

Result<> addInserts(std::vector<Change>& changes, std::vector<Insert> inserts, bool anything,
                    std::span<const std::optional<doc::Document>> before) {
  for (Insert& insert : inserts) {
    const bool exists = before[changes.size()].has_value();
    if (exists && anything && insert.ifPresent == Insert::IfPresent::fail) {
      return fail(ErrorCode::conflict, "a document to be inserted exists already");
    }
    changes.push_back(anything && !exists ? Change::put(std::move(insert.document)) : Change::keep());
  }
  return {};
}

}  // namespace mb::store
