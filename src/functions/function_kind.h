// Functions as a section of the project configuration. An entry is {name, trigger, timing, code, enabled, timeoutMs,
// flow?, tests?, retry?}: `timeoutMs` null clears and absent keeps it, absent `enabled` keeps it (a new function is
// enabled), absent `flow` means code by hand, absent `tests` and `retry` mean none. The code of an entry with a flow is
// ignored, and compiled again from the flow.
#pragma once

#include "configuration/listed_kind.h"
#include "functions/functions.h"
#include "functions/tests_run.h"

namespace mb::functions {

class FunctionKind final : public configuration::ListedKind {
 public:
  // `tests`: null where stored tests never run.
  explicit FunctionKind(Functions& functions, TestRuns* tests = nullptr) : functions_(functions), tests_(tests) {}

  std::string_view section() const override { return "functions"; }
  Task<std::vector<configuration::Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<configuration::Entry>> merged(Source source, const std::vector<configuration::Entry>& current,
                                                 configuration::Problems& problems) override;
  // Of all functions that the project would have.
  Task<std::vector<ErrorDetail>> failingTests(snapshot::SnapshotPtr drafted, std::vector<configuration::Change> changes,
                                              store::Deadline deadline) override;
  // Includes the checked form of its code, which no export contains.
  uint64_t storedBytes(const snapshot::ProjectSnapshot& project, doc::ValueView entry) const override;

 private:
  policy::RequiredPermission permission() const override { return "functions:manage"; }
  Task<> prepare(configuration::Target target, std::vector<configuration::Change> changes) override;
  Task<> applyOne(configuration::Target target, configuration::Change change) override;
  struct Incoming;
  Task<> finalize(store::ProjectNo project, Incoming& incoming, const FunctionView* existing,
                  const std::string& pointer, configuration::Problems& problems);
  // Adds the problems of the variables that it reads: secret ones, and those without a value.
  void checkVariables(const Source& source, const Incoming& incoming, const std::string& pointer,
                      configuration::Problems& problems) const;

  Functions& functions_;
  TestRuns* tests_;
};

}  // namespace mb::functions
