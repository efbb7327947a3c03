// A project's members and pending invites. Rules: membership_rules.h. Source: contract 2.3, 3.2, 4.8; decisions 7.
#pragma once

#include <string>
#include <vector>

#include "identity/attempt_guard.h"
#include "identity/email.h"
#include "projects/projects.h"

namespace mb::projects {

struct MembershipContext;

// Pending invites that one address may have.
inline constexpr uint64_t kInvitesPerAddress = 100;
// Mails about memberships to one address in 15 minutes; past that invites are kept without a mail.
inline constexpr size_t kMembershipMails = 10;
inline constexpr int64_t kInviteLinkMs = 7LL * 24 * 3600 * 1000;

// Owner or Admin for every change, else forbidden; notFound for those who are not members. References outlive it. Any
// core.
class Members {
 public:
  explicit Members(const ProjectDeps& deps) : deps_(deps), mails_(deps.clock, kMembershipMails, "mails") {}

  // Active ones first, then pending, each oldest first.
  Task<std::vector<MemberView>> list(By by, std::string project);
  // A member where the address has an account (with a mail service: and has proven it), else a pending invite; inviting
  // again refreshes its role. Either is told by mail. Fails with
  // validation (role, address), forbidden (Owner, more than the caller holds), conflict (a member already, or too many
  // invites).
  Task<MemberView> add(By by, std::string project, NewMember input);
  // Fails with validation, forbidden, conflict (the last Owner), notFound.
  Task<> changeRole(By by, std::string project, std::string userId, std::string role);
  Task<> remove(By by, std::string project, std::string userId);
  Task<> cancelInvite(By by, std::string project, std::string email);

 private:
  // Whether the caller may hand out `role` as far as the snapshot tells; the write checks again.
  Result<> mayHandOut(const MembershipContext& context, const std::string& role) const;
  // What the caller's role holds, as far as the snapshot tells.
  const policy::PermissionSet& heldBy(const MembershipContext& context) const;
  Task<MemberView> addActive(By by, const MembershipContext& context, std::string role, identity::UserRecord user);
  // Fails with retry where another caller invited the address at the same time, or where the invite that was to be
  // renewed was used or cancelled: a renewal never brings one back.
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
