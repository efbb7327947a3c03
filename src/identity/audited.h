// Audit entries as part of a write of our own: their targets at its end, their puts at the end of its changes. Private
// to identity/.
#pragma once

#include "audit/audit.h"
#include "store/store.h"

namespace mb::identity {

inline void addTargets(std::vector<store::WriteTarget>& targets, const std::vector<store::Insert>& entries) {
  for (const store::Insert& entry : entries) {
    targets.push_back({entry.collection, std::string(entry.document.view().stringOr("id")), true});
  }
}

inline void addPuts(std::vector<store::Change>& changes, std::vector<store::Insert>& entries) {
  for (store::Insert& entry : entries) changes.push_back(store::Change::put(std::move(entry.document)));
}

inline void addKeeps(std::vector<store::Change>& changes, size_t count) {
  for (size_t i = 0; i < count; ++i) changes.push_back(store::Change::keep());
}

}  // namespace mb::identity
