#include "projects/membership_mail.h"

#include "base/log.h"
#include "projects/members.h"

namespace mb::projects {

namespace {

constexpr size_t kTokenBytes = 32;

}  // namespace

mail::TemplatedMail MembershipMail::templatedMail(mail::MailTemplate kind, const std::string& email,
                                                  const std::string& role) const {
  const snapshot::ProjectInfo& info = context_.project->info();
  mail::TemplatedMail out;
  out.kind = kind;
  out.to = email;
  out.brand = {info.name, std::string(info.record.view().stringOr("color"))};
  out.link = deps_.baseUrl;
  while (out.link.ends_with('/')) out.link.pop_back();
  out.link += "/auth/login?plane=control";
  out.inviter = caller_.email;
  out.role = role;
  return out;
}

bool MembershipMail::add(const mail::TemplatedMail& templatedMail, std::vector<store::Insert>& inserts) {
  auto job = deps_.mailer.insertOf(templatedMail, context_.number());
  if (!job) {
    logInfo("membership mail not sent", {{"message", job.error().message()}});
    return false;
  }
  job_ = job->id();
  inserts.push_back(*std::move(job));
  return true;
}

void MembershipMail::invited(InviteRecord& invite, std::vector<store::Insert>& inserts) {
  const std::string token = invite.id.str() + "." + randomToken(kTokenBytes);
  const Timestamp end{deps_.clock.now().ms + kInviteLinkMs};
  mail::TemplatedMail out = templatedMail(mail::MailTemplate::projectInvite, invite.given(), invite.role);
  out.link += "&invite=" + token;
  out.validUntil = end;
  if (!add(out, inserts)) return;
  invite.tokenHash = toHex(sha256(token));
  invite.tokenExpiresAt = end;
}

void MembershipMail::granted(const std::string& email, const std::string& role, std::vector<store::Insert>& inserts) {
  add(templatedMail(mail::MailTemplate::membershipGranted, email, role), inserts);
}

void MembershipMail::offered(const std::string& email, Timestamp end, std::vector<store::Insert>& inserts) {
  mail::TemplatedMail out = templatedMail(mail::MailTemplate::projectOffered, email, "");
  out.validUntil = end;
  add(out, inserts);
}

void MembershipMail::wake() {
  if (!job_.empty()) deps_.mailer.wake(job_);
}

}  // namespace mb::projects
