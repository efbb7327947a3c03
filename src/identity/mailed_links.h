// What links in mails do: prove an address, set a new password. Source: contract 4.2; decisions 3, 7 and 8.
//
// A request for a link is answered before anybody looks whether the address is known, so neither the answer nor its
// time tells. A token counts once, by the commit that takes it.
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

  // Has the link mailed later where the address is that of an active user who has use for it. From a core. Fails with
  // unavailable when too many wait, whoever's they are.
  Result<> request(Realm realm, LinkPurpose purpose, std::string email);
  // The work of request(), which it does behind the answer.
  Task<> mailLink(Realm realm, LinkPurpose purpose, std::string email);

  // Each uses up the token. Fails with validation: at /token in the same words whatever is wrong with it (a user who is
  // not active included), at /password. `by` says where from. An account that nobody had proven and that an invitation
  // waits for is taken over, since whoever made it may be another: it loses its password, second factor, providers and
  // sessions, and a link for a new password is mailed.
  Task<> verify(Realm realm, std::string token, policy::Caller by, store::Deadline deadline);
  // The new password proves the address too, since the link went nowhere else; all sessions of the user end.
  Task<> reset(Realm realm, PasswordReset input, policy::Caller by, store::Deadline deadline);
  // The link of an invitation to the control plane: registers its address, or takes over the account that has it and
  // never proved it, with this password. Fails with validation: at /token as above, also where the account is proven;
  // at /password, at /name.
  Task<UserRecord> acceptInvite(InviteAcceptance input, policy::Caller by, store::Deadline deadline);

 private:
  struct Use;
  struct Settlement;
  Async<void> mailLater(Realm realm, LinkPurpose purpose, std::string email);
  Task<UserRecord> holder(Realm realm, LinkPurpose purpose, std::string token);
  Task<UserRecord> takeOver(Use use, std::string password, store::Deadline deadline);
  // The user as stored.
  Task<UserRecord> settle(Use use, store::Deadline deadline);
  // One attempt, which reads the account anew where it is not the first; fails with retry where the account, or what
  // waits for its address, changed since it was read.
  Task<UserRecord> settleOnce(Use use, bool again, store::Deadline deadline);
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
