// PreHooks runs functions before a write: one after another, by name, each with the document that the one before has
// returned. Any failure rejects the write.
#pragma once

#include "data/data.h"
#include "functions/runner.h"

namespace mb::functions {

inline constexpr std::chrono::milliseconds kMaxHookTime{2'000};

// References outlive it.
struct PreHooksDeps {
  snapshot::SlotKey<FunctionTable> slot;
  Runner& runner;
};

class PreHooks final : public data::PreHook {
 public:
  explicit PreHooks(PreHooksDeps deps) : deps_(deps) {}

  bool wants(const snapshot::ProjectSnapshot& project, const data::Collection& collection,
             data::WriteEvent event) const override;
  Task<std::optional<doc::Document>> run(const data::HookedWrite& write,
                                         std::chrono::steady_clock::time_point deadline) override;

 private:
  const std::vector<FunctionPtr>* hooksOf(const snapshot::ProjectSnapshot& project,
                                          const data::Collection& collection) const;
  const PreHooksDeps deps_;
};

// 503 FUNCTIONS_BUSY, for callers that wait for a run.
Error functionsBusy();

}  // namespace mb::functions
