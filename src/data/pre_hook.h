// A PreHook checks or changes a write before it is committed. Implemented by a module above.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "data/collection_table.h"
#include "policy/caller.h"

namespace mb::data {

enum class WriteEvent { insert, update, replace, remove };

// A write as it would be committed without hooks. References are valid until run() has returned.
struct HookedWrite {
  const snapshot::SnapshotPtr& project;
  const Collection& collection;
  WriteEvent event;
  const std::string& id;
  const policy::Caller& caller;
  std::optional<doc::DocumentView> previous;  // absent on insert
  std::optional<doc::DocumentView> document;  // absent on remove
};

class PreHook {
 public:
  virtual ~PreHook() = default;
  // Whether run() must be called for such a write. Never waits.
  virtual bool wants(const snapshot::ProjectSnapshot& project, const Collection& collection,
                     WriteEvent event) const = 0;
  // Runs the chain of hooks. Returns the document that replaces the one to be written (ignored on remove), or nullopt
  // for no change. Fails with validation (abort, error, timeout) or unavailable; the write is then refused. Called
  // without a lock, and again if the document has changed since. Finishes by `deadline`.
  virtual Task<std::optional<doc::Document>> run(const HookedWrite& write,
                                                 std::chrono::steady_clock::time_point deadline) = 0;
};

}  // namespace mb::data
