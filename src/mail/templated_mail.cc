#include "mail/templated_mail.h"

#include "mail/message.h"

namespace mb::mail {

namespace {

constexpr size_t kMaxNameBytes = 400;
constexpr size_t kMaxLinkBytes = 4096;

struct TemplateName {
  MailTemplate kind;
  std::string_view name;
};
constexpr TemplateName kNames[] = {
    {MailTemplate::verifyAddress, "verifyAddress"},
    {MailTemplate::resetPassword, "resetPassword"},
    {MailTemplate::projectInvite, "projectInvite"},
    {MailTemplate::membershipGranted, "membershipGranted"},
    {MailTemplate::addressTried, "addressTried"},
    {MailTemplate::operatorInvite, "operatorInvite"},
    {MailTemplate::mfaReset, "mfaReset"},
    {MailTemplate::passwordChanged, "passwordChanged"},
    {MailTemplate::limitNear, "limitNear"},
    {MailTemplate::limitReached, "limitReached"},
    {MailTemplate::paymentFailed, "paymentFailed"},
    {MailTemplate::planEnded, "planEnded"},
    {MailTemplate::projectOffered, "projectOffered"},
};

struct FactName {
  std::string PlanFacts::* member;
  std::string_view name;
};
constexpr FactName kFacts[] = {
    {&PlanFacts::plan, "plan"}, {&PlanFacts::project, "project"}, {&PlanFacts::limit, "limit"},
    {&PlanFacts::use, "use"},   {&PlanFacts::max, "max"},         {&PlanFacts::next, "next"},
    {&PlanFacts::ends, "ends"},
};

bool isName(std::string_view text) {
  return text.size() <= kMaxNameBytes &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool isLink(std::string_view link) {
  if (link.empty()) return true;
  if (!link.starts_with("http://") && !link.starts_with("https://")) return false;
  return link.size() <= kMaxLinkBytes && std::ranges::all_of(link, [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace

std::string_view nameOf(MailTemplate kind) {
  for (const TemplateName& entry : kNames) {
    if (entry.kind == kind) return entry.name;
  }
  return {};
}

Result<> checkTemplatedMail(const TemplatedMail& mail) {
  if (!isAddress(mail.to)) return fail(ErrorCode::validation, "is not a valid email address");
  const bool factsAreNames =
      std::ranges::all_of(kFacts, [&](const FactName& fact) { return isName(mail.facts.*fact.member); });
  if (!isName(mail.brand.name) || !isName(mail.inviter) || !isName(mail.role) || !factsAreNames) {
    return fail(ErrorCode::validation, "a name in a mail is longer than 400 bytes or contains control characters");
  }
  if (!isLink(mail.link)) return fail(ErrorCode::validation, "a link in a mail is not a valid http or https URL");
  return {};
}

doc::Document toDocument(const TemplatedMail& mail) {
  doc::BsonWriter out(512);
  out.appendString("letter", nameOf(mail.kind));
  out.appendString("to", mail.to);
  out.appendString("brand", mail.brand.name);
  out.appendString("colour", mail.brand.colour);
  out.appendString("link", mail.link);
  out.appendString("inviter", mail.inviter);
  out.appendString("role", mail.role);
  if (mail.validUntil) out.appendDate("validUntil", *mail.validUntil);
  if (!mail.facts.plan.empty()) {
    out.beginDocument("facts");
    for (const FactName& fact : kFacts) out.appendString(fact.name, mail.facts.*fact.member);
    out.end();
  }
  return out.finish();
}

Result<TemplatedMail> templatedMailOf(doc::DocumentView stored) {
  TemplatedMail mail;
  const std::string_view name = stored.stringOr("letter");
  const auto* const found = std::ranges::find(kNames, name, &TemplateName::name);
  mail.to = stored.stringOr("to");
  if (found == std::end(kNames) || mail.to.empty()) {
    return fail(ErrorCode::internal, "a stored mail could not be read");
  }
  mail.kind = found->kind;
  mail.brand = {std::string(stored.stringOr("brand")), std::string(stored.stringOr("colour"))};
  mail.link = stored.stringOr("link");
  mail.inviter = stored.stringOr("inviter");
  mail.role = stored.stringOr("role");
  const auto until = stored.find("validUntil");
  if (until && until->type() == doc::BsonType::date) mail.validUntil = until->asDate();
  const auto facts = stored.find("facts");
  if (facts && facts->type() == doc::BsonType::document) {
    for (const FactName& fact : kFacts) mail.facts.*fact.member = facts->asDocument().stringOr(fact.name);
  }
  return mail;
}

}  // namespace mb::mail
