// MailedLinks handles the links in mails, which verify an address or set a new password.
//
// A request for a link gets its response before the address is looked up, so neither the response nor its time shows
// whether the address is known. A token counts once, by the commit that uses it.
#pragma once

#include <atomic>
#include <string>

#include "base/task_group.h"
#include "identity/account_mail.h"
#include "identity/passwords.h"
#include "identity/sessions.h"
#include "identity/users.h"

namespace mb::identity {

struct EmailBody {
  std::string email;
  static constexpr auto shape() { return doc::shape<EmailBody>("EmailBody", doc::field("email", &EmailBody::email)); }
};

struct TokenBody {
  std::string token;
  static constexpr auto shape() { return doc::shape<TokenBody>("TokenBody", doc::field("token", &TokenBody::token)); }
};

struct PasswordReset {
  std::string token;
  std::string password;
  static constexpr auto shape() {
    return doc::shape<PasswordReset>("PasswordReset", doc::field("token", &PasswordReset::token),
                                     doc::field("password", &PasswordReset::password));
  }
};

struct InviteAcceptance {
  std::string token;
  std::string password;
  std::optional<std::string> name;
  static constexpr auto shape() {
    return doc::shape<InviteAcceptance>("InviteAcceptance", doc::field("token", &InviteAcceptance::token),
                                        doc::field("password", &InviteAcceptance::password),
                                        doc::field("name", &InviteAcceptance::name));
  }
};

class MailedLinks {
 public:
  MailedLinks(const IdentityDeps& deps, Users& users, Sessions& sessions, Passwords& passwords, AccountMail& mail,
              TaskGroup& background)
      : deps_(deps), users_(users), sessions_(sessions), passwords_(passwords), mail_(mail), background_(background) {}

  // Mails the link later if the address is that of an active user who needs it. From a core. Fails with unavailable
  // when too many requests of all realms wait.
  Result<> request(Realm realm, LinkPurpose purpose, std::string email);
  // The work of request(), which runs after the response.
  Task<> mailLink(Realm realm, LinkPurpose purpose, std::string email);

  // Each call uses up the token. Fails with validation: at /token with one message for every reason (an inactive user
  // included), at /password. `by` has the client's address. An account with an unverified address and a pending
  // invitation is taken over, since another person may have created it: it loses its password, second factor, providers
  // and sessions, and a link for a new password is mailed.
  Task<> verify(Realm realm, std::string token, policy::Caller by, store::Deadline deadline);
  // Setting the password verifies the address too, since only its mailbox got the link; all sessions of the user end.
  Task<> reset(Realm realm, PasswordReset input, policy::Caller by, store::Deadline deadline);
  // The link of an invitation to the control plane: registers its address, or takes over the account that has it
  // unverified, with this password. Fails with validation: at /token as above, also where the account's address is
  // verified; at /password, at /name.
  Task<UserRecord> acceptInvite(InviteAcceptance input, policy::Caller by, store::Deadline deadline);

 private:
  struct LinkUse;
  struct LinkWrite;
  Async<void> mailLater(Realm realm, LinkPurpose purpose, std::string email);
  Task<UserRecord> tokenOwner(Realm realm, LinkPurpose purpose, std::string token);
  Task<UserRecord> takeOver(LinkUse use, std::string password, store::Deadline deadline);
  // The user as stored.
  Task<UserRecord> commitUse(LinkUse use, store::Deadline deadline);
  // One attempt, which re-reads the account where `again`; fails with retry where the account, or the pending
  // invitations of its address, changed since they were read.
  Task<UserRecord> commitUseOnce(LinkUse use, bool again, store::Deadline deadline);
  Task<std::vector<std::string>> identitiesOf(Realm realm, UserId user, store::Deadline deadline);

  const IdentityDeps& deps_;
  Users& users_;
  Sessions& sessions_;
  Passwords& passwords_;
  AccountMail& mail_;
  TaskGroup& background_;
  std::atomic<int> waiting_ = 0;
};

}  // namespace mb::identity
