// Who operates the deployment: platform users with the role super-admin, and invites to become one. For callers that
// the gates found to be operators; each commit looks again. Source: contract 4.8; decisions 7 and 8.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identity/attempt_guard.h"
#include "identity/email.h"
#include "projects/instance.h"
#include "projects/projects.h"

namespace mb::projects {

// Operators that are listed, and invites that may be pending.
inline constexpr uint64_t kMaxOperators = 1000;
// Mails of invites to one address in 15 minutes; past that an invite is kept without a mail.
inline constexpr size_t kOperatorMails = 10;

// An address that becomes super-admin when it registers and, with a mail service, is proven. Its id is the address as
// it is compared.
struct OperatorInvite {
  std::string id;
  UserId invitedBy;
  Timestamp createdAt;
  // Of the token in the link that was mailed: who has it has proven the address.
  std::optional<std::string> tokenHash = {};  // sha256, hex
  std::optional<Timestamp> tokenExpiresAt = {};
  std::optional<std::string> address = {};  // as it was given, ASCII in lower case; mails go there. Absent: `id`
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
  // Active at once where the address has an account (with a mail service: and has proven it), else an invite; inviting
  // again mails again. Fails with validation (the address), forbidden (the caller is no operator any more), conflict
  // (an operator already, an account that is not active, too many invites).
  Task<OperatorView> add(By by, NewOperator input);
  // Takes a pending invite back. Fails with notFound, conflict (an address of SERVICE_OPERATORS), forbidden.
  Task<> revoke(By by, std::string email);

 private:
  Task<OperatorView> promote(By by, identity::UserRecord user);
  // Both fail with retry where the invite that was to be renewed was used or taken back since.
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
