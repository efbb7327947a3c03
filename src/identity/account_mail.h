// Mails to users of a realm, queued in the commit that causes them. Private to identity/.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "identity/attempt_guard.h"
#include "identity/one_time_tokens.h"
#include "identity/prepared_documents.h"

namespace mb::identity {

// Mails to one address in 15 minutes, for requests of any client.
inline constexpr size_t kMailsPerAddress = 5;

// A mail as part of a write: the job that sends it, and the record of the token in its link. Empty where no mail can be
// sent to the address.
struct MailPart {
  std::optional<store::Insert> job;
  std::optional<std::pair<store::WriteTarget, doc::Document>> token;

  // Adds both as documents to the write; its callback puts them if the mail is needed.
  PreparedDocuments addTo(store::Write& write) const;
};

class AccountMail {
 public:
  explicit AccountMail(const IdentityDeps& deps) : deps_(deps), guard_(deps.clock, kMailsPerAddress, "mails") {}

  // A mail with a link and a new token, which replaces the user's earlier one.
  Task<MailPart> link(Realm realm, LinkPurpose purpose, UserRecord user);
  // Mails without a token: a registration used the user's address; the password was changed.
  Task<MailPart> addressTried(Realm realm, UserRecord user);
  Task<MailPart> passwordChanged(Realm realm, UserRecord user);

  // Counts a mail that unauthenticated clients can request; false when the address has had kMailsPerAddress.
  bool mayMail(const Realm& realm, std::string_view emailKey);
  // Writes `part` in a commit of its own.
  Task<> commit(MailPart part, store::Deadline deadline);
  void wake(const MailPart& part);

 private:
  // A mail without a token: its link leads to the sign-in.
  Task<MailPart> notice(mail::MailTemplate kind, Realm realm, UserRecord user);
  Task<mail::Brand> brandOf(Realm realm);
  std::string linkTo(std::string_view page, const Realm& realm, std::string_view token) const;
  MailPart partOf(const mail::TemplatedMail& templatedMail, const Realm& realm);

  const IdentityDeps& deps_;
  AttemptGuard guard_;
};

}  // namespace mb::identity
