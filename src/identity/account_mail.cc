#include "identity/account_mail.h"

#include "base/log.h"
#include "identity/records.h"
#include "identity/url_text.h"

namespace mb::identity {

void addMail(std::vector<store::Change>& changes, const MailPart& part, bool wanted) {
  for (const store::Change& change : part.changes) changes.push_back(wanted ? change : store::Change::keep());
}

Task<mail::Brand> AccountMail::brandOf(Realm realm) {
  if (realm.control) co_return mail::Brand{std::string(mail::kServiceName), ""};
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.byNumber(realm.project));
  if (!project) co_return fail(ErrorCode::notFound, "no such project");
  co_return mail::Brand{project->info().name, std::string(project->info().record.view().stringOr("color"))};
}

std::string AccountMail::linkTo(std::string_view page, const Realm& realm, std::string_view token) const {
  std::string url = deps_.baseUrl;
  while (url.ends_with('/')) url.pop_back();
  url += page;
  if (!token.empty()) addQuery(url, "token", token);
  if (realm.control) {
    addQuery(url, "plane", "control");
  } else {
    addQuery(url, "project", realm.id.str());
  }
  return url;
}

MailPart AccountMail::partOf(const mail::Letter& letter, const Realm& realm) {
  MailPart part;
  auto job = deps_.mailer.asChange(letter, realm.project);
  if (!job) {
    // Addresses here are held to less than mail servers ask.
    logInfo("no mail can be sent to an address", {{"message", job.error().message()}});
    return part;
  }
  part.job = job->first.id;
  part.targets.push_back(std::move(job->first));
  part.changes.push_back(std::move(job->second));
  return part;
}

Task<MailPart> AccountMail::link(Realm realm, LinkPurpose purpose, UserRecord user) {
  const bool verification = purpose == LinkPurpose::verifyEmail;
  NewToken token = newToken(purpose, user, deps_.clock.now());
  mail::Letter letter;
  letter.kind = verification ? mail::LetterKind::verifyAddress : mail::LetterKind::resetPassword;
  letter.to = user.email;
  CO_TRY(letter.brand, co_await brandOf(realm));
  letter.link = linkTo(verification ? "/verify-email" : "/reset-password", realm, token.text);
  letter.validUntil = token.record.expiresAt;
  MailPart part = partOf(letter, realm);
  if (part.empty()) co_return part;
  part.targets.push_back(tokenTarget(realm, purpose, user.id));
  part.changes.push_back(store::Change::put(doc::encode(token.record)));
  co_return part;
}

Task<MailPart> AccountMail::addressTried(Realm realm, UserRecord user) {
  mail::Letter letter;
  letter.kind = mail::LetterKind::addressTried;
  letter.to = user.email;
  CO_TRY(letter.brand, co_await brandOf(realm));
  letter.link = linkTo("/auth/login", realm, "");
  co_return partOf(letter, realm);
}

Task<MailPart> AccountMail::passwordChanged(Realm realm, UserRecord user) {
  mail::Letter letter;
  letter.kind = mail::LetterKind::passwordChanged;
  letter.to = user.email;
  CO_TRY(letter.brand, co_await brandOf(realm));
  letter.link = linkTo("/auth/login", realm, "");
  co_return partOf(letter, realm);
}

bool AccountMail::mayMail(const Realm& realm, std::string_view emailKey) {
  return guard_.begin(accountOf(realm, emailKey)).has_value();
}

Task<> AccountMail::commit(MailPart part, store::Deadline deadline) {
  if (part.empty()) co_return Result<>();
  store::Judge judge = [changes = std::move(part.changes)](auto) mutable -> Result<std::vector<store::Change>> {
    return std::move(changes);
  };
  store::WriteOptions options{.deadline = deadline, .actor = {"server", ""}, .bumpEpochs = {}};
  CO_CHECK(co_await deps_.store.write(std::move(part.targets), std::move(judge), std::move(options)));
  wake(part);
  co_return Result<>();
}

void AccountMail::wake(const MailPart& part) {
  if (!part.job.empty()) deps_.mailer.wake(part.job);
}

}  // namespace mb::identity
