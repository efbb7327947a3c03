// Moves of root projects, with their environments, between the organizations of their Owners: the user whose
// organization holds a project pays for it. A project moves only to the organization of a user who accepts it.
#pragma once

#include <string>

#include "identity/attempt_guard.h"
#include "projects/projects.h"

namespace mb::projects {

struct MembershipContext;

// An offer is open so long.
inline constexpr int64_t kTransferOfferMs = 7LL * 24 * 3600 * 1000;
// Limit of the mails about offers to one address in 15 minutes; past it offers are made without a mail.
inline constexpr size_t kTransferMails = 10;

// Calls fail with notFound for callers that are not members, and with validation for an environment. A move is one
// commit for the root and its environments; it fails with planLimit past maxProjects of the user who gets it, and with
// conflict where other changes come first in each attempt. References outlive it. Any core.
class Transfers {
 public:
  explicit Transfers(const ProjectDeps& deps) : deps_(deps), mails_(deps.clock, kTransferMails, "mails") {}

  // Offers the project to another Owner, in place of an earlier offer, and mails them. With the caller's own id the
  // project moves at once. True if an offer was made. Owner, else forbidden. Fails with validation (the user is not an
  // Owner), conflict (they pay for it already).
  Task<bool> offer(By by, std::string project, NewTransfer input);
  // Moves the project to the caller. Fails with notFound without an open offer to them.
  Task<> accept(By by, std::string project);
  // Owner, else forbidden. Fails with notFound without an open offer.
  Task<> withdraw(By by, std::string project);

 private:
  Task<MembershipContext> ownedRoot(By by, std::string project);
  // With `offered` the project must be offered to the caller.
  Task<> moveToCaller(By by, const MembershipContext& context, bool offered);
  // Fails with retry where the project, its environments or the quota changed since they were read.
  Task<> tryMove(By by, const MembershipContext& context, bool offered);
  Task<> commitMove(By by, const MembershipContext& context, ProjectRecord known, const ProjectQuota& quota,
                    bool offered);

  const ProjectDeps& deps_;
  identity::AttemptGuard mails_;
};

}  // namespace mb::projects
