// Records that are changed where they stand.
#pragma once

#include <functional>

#include "store/records.h"
#include "store/store.h"

namespace mb::store {

// In one commit: each record at `targets` that is there is handed to `change` with its place in the list, and is put
// back where that says so.
template <doc::Shaped T>
Task<> rewrite(DocumentStore& store, std::vector<WriteTarget> targets, WriteOptions options,
               std::function<bool(size_t, T&)> change) {
  if (targets.empty()) co_return Result<>();
  Judge judge = [&change](std::span<const std::optional<doc::Document>> before) -> Result<std::vector<Change>> {
    std::vector<Change> changes;
    for (size_t i = 0; i < before.size(); ++i) {
      TRY(std::optional<T> record, fromStore<T>(before[i]));
      const bool other = record && change(i, *record);
      changes.push_back(other ? Change::put(doc::encode(*record)) : Change::keep());
    }
    return changes;
  };
  CO_CHECK(co_await store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return Result<>();
}

}  // namespace mb::store
