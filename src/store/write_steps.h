// The steps of a write that engines share.
#pragma once

#include "store/write.h"

namespace mb::store {

// The inserts of a write, as targets after its own.
void addTargets(std::vector<WriteTarget>& targets, const std::vector<Insert>& inserts);
// Computes the changes by `runs` calls of the callback, of which the last counts. Each call may use `budget` of work.
Result<std::vector<Change>> computeChanges(const WriteCallback& callback, const PreImages& before, int64_t budget,
                                           int runs);
// Whether the changes have any effect; removing a missing document has none.
bool changesAnything(const std::vector<Change>& changes, std::span<const std::optional<doc::Document>> before);
// Adds the changes of the inserts, given all documents of the write. `anything`: whether the write changes another
// document; without that nothing is inserted. Fails with conflict.
Result<> addInserts(std::vector<Change>& changes, std::vector<Insert> inserts, bool anything,
                    std::span<const std::optional<doc::Document>> before);
// The work that index maintenance may use under locks: more than a callback gets, since the indexes are not part of a
// request.
inline constexpr int64_t kIndexWork = 50'000'000;

}  // namespace mb::store
