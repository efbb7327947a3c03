// The whole deployment: the first run, operators, and the effects of a registration.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/settings.h"
#include "identity/registration.h"
#include "projects/projects.h"
#include "projects/setup_code.h"

namespace mb::projects {

struct OperatorInvite;

struct InstanceSettings {
  explicit InstanceSettings(Settings& settings);
  InstanceSettings() = default;
  bool operatorsEnabled = false;
  std::vector<std::string> operatorEmails;  // normalised addresses that become super-admin at registration
  bool invitedOnly = false;                 // after the first user only invited addresses register
};

class Instance {
 public:
  // `oauthProviders`: those that the platform's users may sign in with.
  Instance(const ProjectDeps& deps, InstanceSettings settings, std::vector<std::string> oauthProviders = {},
           bool connectionsEnabled = false, bool storageEnabled = false, bool billingEnabled = false,
           bool byoEnabled = false)
      : deps_(deps),
        settings_(std::move(settings)),
        oauthProviders_(std::move(oauthProviders)),
        connectionsEnabled_(connectionsEnabled),
        storageEnabled_(storageEnabled),
        billingEnabled_(billingEnabled),
        byoEnabled_(byoEnabled) {}
  // `local`: identity::RegistrationClaims.
  Task<SetupStatus> setupStatus(bool local);
  Task<bool> hasFirstUser();
  // The platform user. Fails with unauthenticated when the account was deleted.
  Task<identity::UserRecord> user(std::string id);
  // Changes the caller's own account. Fails with unauthenticated.
  Task<> changeUser(By by, AccountPatch patch);

 private:
  const ProjectDeps& deps_;
  const InstanceSettings settings_;
  const std::vector<std::string> oauthProviders_;
  const bool connectionsEnabled_;
  const bool storageEnabled_;
  const bool billingEnabled_;
  const bool byoEnabled_;
  std::atomic<bool> setUp_ = false;  // set once, never cleared
};

// Part of each platform registration's commit: the personal organization, super-admin for the first user (exactly one
// of parallel ones) and for operators, and the conversion of pending invites to memberships. With a mail service the
// latter two wait until the address is verified: by the link of an invite's mail, or by verification. Where only
// invited addresses may register, the plan or its write callback fails with forbidden for others; likewise the plan for
// a first user without the set-up code, where it is required.
class Registration final : public identity::RegistrationHook {
 public:
  Registration(store::DocumentStore& store, IdGenerator& ids, const Clock& clock, audit::Auditor& auditor,
               const mail::Mailer& mailer, SetupCode& setupCode, InstanceSettings settings)
      : store_(store),
        ids_(ids),
        clock_(clock),
        auditor_(auditor),
        mailer_(mailer),
        setupCode_(setupCode),
        settings_(std::move(settings)) {}
  Task<identity::RegistrationPlan> plan(identity::UserRecord user, identity::RegistrationClaims claims) override;
  Task<identity::RegistrationPlan> planProven(identity::UserRecord user, std::string invite) override;
  Task<std::optional<std::string>> invitedAddress(std::string token) override;

 private:
  struct Plan;
  struct PlannedChange;
  static identity::UserChangeSource sourceOf(Plan plan);
  Task<std::vector<InviteRecord>> invitesOf(std::string email);
  // Whether one of the invites is to a project that is not deleted.
  Task<bool> mayJoinAny(std::vector<InviteRecord> invites);
  // The projects of the invites of which the user is a member.
  Task<std::set<std::string>> joinedOf(UserId user, const std::vector<InviteRecord>& invites);
  // Adds the memberships that become active with this commit; in the projects of `memberOf` the user has one.
  void planJoining(Plan& plan, const identity::UserRecord& user, const std::vector<InviteRecord>& invites,
                   const std::set<std::string>& memberOf);
  // Records in the plan whether the token is that of an invite's link.
  void follow(Plan& plan, const std::vector<InviteRecord>& invites, const std::optional<OperatorInvite>& operating,
              std::string_view token) const;
  Task<std::optional<OperatorInvite>> operatorInviteOf(std::string email);
  bool isNamedOperator(std::string_view emailKey) const;  // in SERVICE_OPERATORS
  void planOperator(Plan& plan, const identity::UserRecord& user, const std::optional<OperatorInvite>& invite);

  store::DocumentStore& store_;
  IdGenerator& ids_;
  const Clock& clock_;
  audit::Auditor& auditor_;
  const mail::Mailer& mailer_;
  SetupCode& setupCode_;
  const InstanceSettings settings_;
};

}  // namespace mb::projects
