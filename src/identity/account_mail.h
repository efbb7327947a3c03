// Mails to users of a realm, made so that they go into the commit that causes them. Private to identity/.
#pragma once

#include <string>
#include <vector>

#include "identity/attempt_guard.h"
#include "identity/one_time_tokens.h"

namespace mb::identity {

// Mails to one address in 15 minutes, whoever asks for them.
inline constexpr size_t kMailsPerAddress = 5;

// More targets of a write, a change for each, and the job to wake after the commit. Empty where no mail can be sent.
struct MailPart {
  std::vector<store::WriteTarget> targets;
  std::vector<store::Change> changes;
  std::string job;

  bool empty() const { return targets.empty(); }
};

// Appends copies of the part's changes to `changes`, or as many that keep what is there.
void addMail(std::vector<store::Change>& changes, const MailPart& part, bool wanted);

class AccountMail {
 public:
  explicit AccountMail(const IdentityDeps& deps) : deps_(deps), guard_(deps.clock, kMailsPerAddress, "mails") {}

  // A link with a new token, which takes the place of the user's earlier one.
  Task<MailPart> link(Realm realm, LinkPurpose purpose, UserRecord user);
  // Without a token: somebody tried to register the user's address; the password was changed.
  Task<MailPart> addressTried(Realm realm, UserRecord user);
  Task<MailPart> passwordChanged(Realm realm, UserRecord user);

  // Counts a mail that strangers can ask for; false when the address has had its share.
  bool mayMail(const Realm& realm, std::string_view emailKey);
  // A commit of its own for a part.
  Task<> commit(MailPart part, store::Deadline deadline);
  void wake(const MailPart& part);

 private:
  Task<mail::Brand> brandOf(Realm realm);
  std::string linkTo(std::string_view page, const Realm& realm, std::string_view token) const;
  MailPart partOf(const mail::Letter& letter, const Realm& realm);

  const IdentityDeps& deps_;
  AttemptGuard guard_;
};

}  // namespace mb::identity
