// Operators of the deployment: platform users with the role super-admin, and invites to become one. REQUIRES: the
// gatekeeper found the caller to be an operator; each commit checks again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identity/attempt_guard.h"
#include "identity/email.h"
#include "projects/instance.h"
#include "projects/projects.h"

namespace mb::projects {

// Limit of the operators that are listed, and of the pending invites.
inline constexpr uint64_t kMaxOperators = 1000;
// Limit of the invite mails to one address in 15 minutes; past it an invite is stored without a mail.
inline constexpr size_t kOperatorMails = 10;

// An address that becomes super-admin when it registers and, with a mail service, is verified. Its id is the normalised
// address.
struct OperatorInvite {
  std::string id;
  UserId invitedBy;
  Timestamp createdAt;
  // Hash of the token in the mailed link; a registration with that token has verified the address.
  std::optional<std::string> tokenHash = {};  // sha256, hex
  std::optional<Timestamp> tokenExpiresAt = {};
  std::optional<std::string> address = {};  // as entered, ASCII in lower case; mails go there. Absent: `id`
  static constexpr auto shape() {
    return doc::shape<OperatorInvite>(
        "OperatorInvite", doc::field("id", &OperatorInvite::id), doc::field("invitedBy", &OperatorInvite::invitedBy),
        doc::field("createdAt", &OperatorInvite::createdAt), doc::field("tokenHash", &OperatorInvite::tokenHash),
        doc::field("tokenExpiresAt", &OperatorInvite::tokenExpiresAt), doc::field("address", &OperatorInvite::address));
  }
};

struct NewOperator {
  std::string email;
  static constexpr auto shape() {
    return doc::shape<NewOperator>("NewOperator", doc::field("email", &NewOperator::email));
  }
};

struct OperatorView {
  std::string email;
  doc::Nullable<UserId> userId;  // null while pending
  std::string status;            // active, pending
  static constexpr auto shape() {
    return doc::shape<OperatorView>("Operator", doc::field("email", &OperatorView::email),
                                    doc::field("userId", &OperatorView::userId),
                                    doc::field("status", &OperatorView::status));
  }
};

// References outlive it. Any core.
class Operators {
 public:
  Operators(const ProjectDeps& deps, InstanceSettings settings)
      : deps_(deps), settings_(std::move(settings)), mails_(deps.clock, kOperatorMails, "mails") {}

  // Platform users in ascending id.
  Task<std::vector<identity::UserView>> users(By by, uint64_t skip, uint64_t limit);
  // Active ones first, then invites, then addresses of SERVICE_OPERATORS that are neither.
  Task<std::vector<OperatorView>> list(By by);
  // Adds an operator where the address has an account (with a mail service: a verified one), else an invite; inviting
  // again sends another mail. Fails with validation (the address), forbidden (the caller is no longer an operator),
  // conflict (an operator already, an account that is not active, too many invites).
  Task<OperatorView> add(By by, NewOperator input);
  // Revokes a pending invite. Fails with notFound, conflict (an address of SERVICE_OPERATORS), forbidden.
  Task<> revoke(By by, std::string email);

 private:
  Task<OperatorView> promote(By by, identity::UserRecord user);
  // Both fail with retry where the invite to be renewed was used or revoked since.
  Task<OperatorView> tryAdd(By by, identity::Email email);
  Task<> invite(By by, identity::Email address);
  Task<> withdraw(By by, std::string key);
  Task<std::vector<OperatorInvite>> invites();
  bool named(std::string_view emailKey) const;

  const ProjectDeps& deps_;
  const InstanceSettings settings_;
  identity::AttemptGuard mails_;
};

}  // namespace mb::projects
