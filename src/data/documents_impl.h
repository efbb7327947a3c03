// The implementation of Documents, shared by its sources.
#pragma once

#include "data/data_deps.h"
#include "data/documents.h"
#include "data/read_plan.h"
#include "data/write.h"
#include "store/cursors.h"

namespace mb::data {

struct Hooked;

// What a write has left: the document with its version, nullopt if it was removed.
struct Written {
  std::optional<doc::Document> document;
  store::DocumentVersion version = 0;
};

struct Documents::Impl {
  const DataDeps& deps;
  FairPool& pool;
  const Grants& grants;
  store::Cursors cursors;
  PreHook* preHook = nullptr;

  // ---- reading
  // Replaces ids by the referenced documents that the caller may read. REQUIRES: denied fields of `documents` are
  // removed.
  Task<> expand(const Access& access, const Grant& grant, const std::vector<std::string>& fields,
                std::vector<doc::Document>& documents) const;

  // ---- writing
  Task<VisibleDocument> write(const Access& access, const std::string& collection, WriteRequest request);
  // One write on one snapshot; `hooked` is null if no hooks ran. The parameters must outlive it.
  Task<Written> commit(const Access& access, const Grant& grant, const WriteRequest& request, const Hooked* hooked);
  // The same for a write that checks references, and for the deletion of a document that others refer to.
  Task<Written> commitChecked(const Access& access, const Grant& grant, const WriteRequest& request,
                              const Hooked* hooked);
  Task<Written> commitDeletion(const Access& access, const Grant& grant, const WriteRequest& request,
                               const Hooked* hooked);
  // The remaining budget of a write's hooks, over all its attempts.
  struct HookBudget {
    std::chrono::steady_clock::time_point deadline;
    int rounds;
  };
  // commit() with the hooks, which run again if the document has changed since.
  Task<Written> writeHooked(const Access& access, const Grant& grant, const WriteRequest& request, HookBudget& budget);
  bool hooked(const Grant& grant, const WriteRequest& request) const {
    return preHook && preHook->wants(*grant.project, *grant.collection, request.event);
  }
};

}  // namespace mb::data
