// AuthTrigger runs functions for new end users: {type: "auth", event: "userCreated", user}. Their runs are jobs in the
// commit that creates the user.
#pragma once

#include "functions/run_jobs.h"
#include "identity/user_follower.h"

namespace mb::functions {

// References outlive it.
struct AuthTriggerDeps {
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<FunctionTable> slot;
  jobs::Queue& queue;
};

class AuthTrigger final : public identity::UserFollower {
 public:
  explicit AuthTrigger(AuthTriggerDeps deps) : deps_(deps) {}

  Task<std::vector<store::Insert>> userCreated(store::ProjectNo project, identity::UserRecord user) override;
  void committed(std::vector<std::string> jobs) override { deps_.queue.wake(std::move(jobs)); }

 private:
  const AuthTriggerDeps deps_;
};

}  // namespace mb::functions
