// What concerns the whole deployment: the first run, operators, and what a registration brings with it. Source:
// contract 4.8 ("First-run"); decisions 3, 7 and 8.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/settings.h"
#include "identity/registration.h"
#include "projects/project_deps.h"

namespace mb::projects {

struct InstanceSettings {
  explicit InstanceSettings(Settings& settings);
  InstanceSettings() = default;
  bool operatorsEnabled = false;
  std::vector<std::string> operatorEmails;  // lower case: who becomes super-admin at registration
};

class Instance {
 public:
  Instance(const ProjectDeps& deps, InstanceSettings settings) : deps_(deps), settings_(std::move(settings)) {}
  Task<SetupStatus> setupStatus();
  // The platform user as the wire has them. Fails with unauthenticated when they are gone.
  Task<doc::Document> user(std::string id);

 private:
  const ProjectDeps& deps_;
  const InstanceSettings settings_;
  std::atomic<bool> setUp_ = false;  // never goes back
};

// Part of each platform registration's commit: the personal organization, super-admin for the first user (exactly one
// of parallel ones) and for operators, pending invites become memberships.
class Registration final : public identity::RegistrationHook {
 public:
  Registration(store::DocumentStore& store, IdGenerator& ids, const Clock& clock, audit::Auditor& auditor,
               InstanceSettings settings)
      : store_(store), ids_(ids), clock_(clock), auditor_(auditor), settings_(std::move(settings)) {}
  Task<identity::RegistrationPlan> plan(identity::UserRecord user) override;

 private:
  store::DocumentStore& store_;
  IdGenerator& ids_;
  const Clock& clock_;
  audit::Auditor& auditor_;
  const InstanceSettings settings_;
};

}  // namespace mb::projects
