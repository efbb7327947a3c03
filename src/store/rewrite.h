// Changes records in place.
#pragma once

#include <functional>

#include "store/records.h"
#include "store/store.h"

namespace mb::store {

// In one commit: calls `change` with each existing record of `targets` and its position in the list, and replaces the
// record by the result; nullopt leaves it unchanged. A write may run `change` several times, so it must not have side
// effects.
template <doc::Shaped T>
Task<> rewrite(DocumentStore& store, std::vector<WriteTarget> targets, WriteOptions options,
               std::function<std::optional<T>(size_t, const T&)> change) {
  if (targets.empty()) co_return Result<>();
  Write write(std::move(options));
  const std::vector<Target> records = write.change(std::move(targets));
  CO_RETURN_IF_ERROR(co_await store.write(std::move(write),
                                          [&records = std::as_const(records), &change = std::as_const(change)](
                                              const PreImages& before, Changes& changes) -> Result<> {
                                            for (size_t i = 0; i < records.size(); ++i) {
                                              TRY(const std::optional<T> record, fromStore<T>(before[records[i]]));
                                              if (!record) continue;
                                              const std::optional<T> next = change(i, *record);
                                              if (next) changes.put(records[i], doc::encode(*next));
                                            }
                                            return {};
                                          }));
  co_return Result<>();
}

}  // namespace mb::store
