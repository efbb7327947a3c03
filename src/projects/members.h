// A project's members and pending invites. Rules: membership_rules.h.
#pragma once

#include <string>
#include <vector>

#include "identity/attempt_guard.h"
#include "identity/email.h"
#include "projects/projects.h"

namespace mb::projects {

struct Family;
struct MembershipContext;

// Pending invites that one address may have.
inline constexpr uint64_t kInvitesPerAddress = 100;
// Limit of the mails about memberships to one address in 15 minutes; past it invites are stored without a mail.
inline constexpr size_t kMembershipMails = 10;
inline constexpr int64_t kInviteLinkMs = 7LL * 24 * 3600 * 1000;

// Changes need the role Owner or Admin, else forbidden; notFound for callers that are not members. References outlive
// it. Any core.
class Members {
 public:
  explicit Members(const ProjectDeps& deps) : deps_(deps), mails_(deps.clock, kMembershipMails, "mails") {}

  // Active ones first, then pending, each oldest first.
  Task<std::vector<MemberView>> list(By by, std::string project);
  // Adds a member where the address has an account (with a mail service: a verified one), else a pending invite;
  // inviting again updates its role. Either sends a mail. Fails with validation (role, address), forbidden (Owner, more
  // than the caller holds), conflict (a member already, or too many invites).
  Task<MemberView> add(By by, std::string project, NewMember input);
  // Fails with validation, forbidden, conflict (the last Owner), notFound.
  Task<> changeRole(By by, std::string project, std::string userId, std::string role);
  Task<> remove(By by, std::string project, std::string userId);
  Task<> cancelInvite(By by, std::string project, std::string email);

 private:
  // Checks against the snapshot whether the caller may assign `role`; the write checks again.
  Result<> mayAssign(const MembershipContext& context, const std::string& role) const;
  // The permissions of the caller's role in the snapshot.
  const policy::PermissionSet& heldBy(const MembershipContext& context) const;
  // The environments whose plan depends on the role of this user; nullopt for none, and without billing.
  Task<std::optional<Family>> planChangesWith(const MembershipContext& context, std::string userId);
  // Both fail with retry where environments were created or deleted since they were read.
  Task<> tryChangeRole(By by, const MembershipContext& context, std::string membershipId, std::string userId,
                       std::string role);
  Task<> tryRemove(By by, const MembershipContext& context, std::string membershipId, std::string userId);
  // Fails with retry as they do.
  Task<MemberView> addActive(By by, const MembershipContext& context, std::string role, identity::UserRecord user);
  // Fails with retry where another caller invited the address at the same time, or where the invite to be renewed was
  // used or cancelled: a renewal never restores one.
  Task<MemberView> tryAdd(By by, const MembershipContext& context, std::string role, identity::Email email,
                          bool mailed);
  Task<MemberView> invite(By by, const MembershipContext& context, std::string role, identity::Email address,
                          bool mailed);
  Task<std::optional<InviteRecord>> findInvite(ProjectId project, std::string email);
  Task<> removeInvite(By by, const MembershipContext& context, InviteRecord invite, std::string action);

  const ProjectDeps& deps_;
  identity::AttemptGuard mails_;
};

}  // namespace mb::projects
