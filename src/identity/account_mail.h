// Mails to users of a realm, made so that they go into the commit that causes them. Private to identity/.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "identity/attempt_guard.h"
#include "identity/one_time_tokens.h"
#include "identity/prepared_documents.h"

namespace mb::identity {

// Mails to one address in 15 minutes, whoever asks for them.
inline constexpr size_t kMailsPerAddress = 5;

// A mail to go with a write: the job that sends it, and the record of the token in its link. Empty where no mail can be
// sent.
struct MailPart {
  std::optional<store::Insert> job;
  std::optional<std::pair<store::WriteTarget, doc::Document>> token;

  // Both as documents of the write, for its callback to put where the mail is wanted.
  PreparedDocuments addTo(store::Write& write) const;
};

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
  MailPart partOf(const mail::TemplatedMail& templatedMail, const Realm& realm);

  const IdentityDeps& deps_;
  AttemptGuard guard_;
};

}  // namespace mb::identity
