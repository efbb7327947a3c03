// Records that are changed where they stand.
#pragma once

#include <functional>

#include "store/records.h"
#include "store/store.h"

namespace mb::store {

// In one commit: each record at `targets` that is there is handed to `change` with its place in the list, and is put
// back where that says so. `change` may be run again, like any write callback.
template <doc::Shaped T>
Task<> rewrite(DocumentStore& store, std::vector<WriteTarget> targets, WriteOptions options,
               std::function<bool(size_t, T&)> change) {
  if (targets.empty()) co_return Result<>();
  Write write(std::move(options));
  auto callback = [rows = write.change(std::move(targets)), change = std::move(change)](const Before& before,
                                                                                        Changes& changes) -> Result<> {
    for (size_t i = 0; i < rows.size(); ++i) {
      TRY(std::optional<T> record, fromStore<T>(before[rows[i]]));
      if (record && change(i, *record)) changes.put(rows[i], doc::encode(*record));
    }
    return {};
  };
  CO_CHECK(co_await store.write(std::move(write), std::move(callback)));
  co_return Result<>();
}

}  // namespace mb::store
