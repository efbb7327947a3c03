// A deployment that a command opens itself, without a server.
#pragma once

#include <memory>

#include "app/command.h"
#include "app/store_choice.h"
#include "billing/accounts.h"

namespace mb::app {

class OpenDeployment {
 public:
  // Opens the store that the context names, on a core of its own, and finds the secret. Blocks. Fails with a message to
  // print.
  static Result<std::unique_ptr<OpenDeployment>> open(const CommandContext& context);
  OpenDeployment(const OpenDeployment&) = delete;
  OpenDeployment& operator=(const OpenDeployment&) = delete;
  // Closes the store. Blocks.
  ~OpenDeployment();

  // Lives as long as this.
  Deployment& get() { return *deployment_; }

 private:
  explicit OpenDeployment(bool audit) : auditor_(audit, ids_, clock_) {}
  Result<> fill(const CommandContext& context);

  const SystemClock clock_;
  Cores cores_{1};
  OpenedStore opened_;
  IdGenerator ids_{clock_};
  audit::Auditor auditor_;
  std::optional<billing::Accounts> accounts_;
  std::optional<billing::AccountPlans> plans_;
  std::optional<Deployment> deployment_;
};

}  // namespace mb::app
