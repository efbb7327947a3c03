#include "identity/account_mail.h"

#include "base/log.h"
#include "base/url_text.h"
#include "identity/records.h"

namespace mb::identity {

PreparedDocuments MailPart::addTo(store::Write& write) const {
  PreparedDocuments documents;
  if (job) documents.add(write, *job);
  if (token) documents.add(write, token->first, token->second);
  return documents;
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

MailPart AccountMail::partOf(const mail::TemplatedMail& templatedMail, const Realm& realm) {
  auto job = deps_.mailer.insertOf(templatedMail, realm.project);
  if (!job) {
    // Registration accepts addresses that mail does not.
    logInfo("mail skipped: the address cannot receive mail", {{"message", job.error().message()}});
    return {};
  }
  return {*std::move(job), std::nullopt};
}

Task<MailPart> AccountMail::link(Realm realm, LinkPurpose purpose, UserRecord user) {
  const bool verification = purpose == LinkPurpose::verifyEmail;
  NewToken token = newToken(purpose, user, deps_.clock.now());
  mail::TemplatedMail templatedMail;
  templatedMail.kind = verification ? mail::MailTemplate::verifyAddress : mail::MailTemplate::resetPassword;
  templatedMail.to = user.email;
  CO_TRY(templatedMail.brand, co_await brandOf(realm));
  templatedMail.link = linkTo(verification ? "/verify-email" : "/reset-password", realm, token.text);
  templatedMail.validUntil = token.record.expiresAt;
  MailPart part = partOf(templatedMail, realm);
  if (part.job) part.token.emplace(tokenTarget(realm, purpose, user.id), doc::encode(token.record));
  co_return part;
}

Task<MailPart> AccountMail::addressTried(Realm realm, UserRecord user) {
  return notice(mail::MailTemplate::addressTried, std::move(realm), std::move(user));
}

Task<MailPart> AccountMail::passwordChanged(Realm realm, UserRecord user) {
  return notice(mail::MailTemplate::passwordChanged, std::move(realm), std::move(user));
}

Task<MailPart> AccountMail::notice(mail::MailTemplate kind, Realm realm, UserRecord user) {
  mail::TemplatedMail templatedMail;
  templatedMail.kind = kind;
  templatedMail.to = user.email;
  CO_TRY(templatedMail.brand, co_await brandOf(realm));
  templatedMail.link = linkTo("/auth/login", realm, "");
  co_return partOf(templatedMail, realm);
}

bool AccountMail::mayMail(const Realm& realm, std::string_view emailKey) {
  return guard_.begin(accountOf(realm, emailKey)).has_value();
}

Task<> AccountMail::commit(MailPart part, store::Deadline deadline) {
  if (!part.job) co_return Result<>();
  store::Write write({.deadline = deadline, .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const auto callback = [documents = part.addTo(write)](const store::PreImages&, store::Changes& changes) -> Result<> {
    documents.put(changes);
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  wake(part);
  co_return Result<>();
}

void AccountMail::wake(const MailPart& part) {
  if (part.job) deps_.mailer.wake(part.job->id());
}

}  // namespace mb::identity
