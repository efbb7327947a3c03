#include "mail/templates.h"

#include <cctype>

#include "base/html.h"

namespace mb::mail {

namespace {

struct Colour {
  std::string_view name;
  std::string_view hex;  // dark enough for white text on it
};
// The colour names that projects accept (projects/project_rules.cc).
constexpr Colour kColours[] = {
    {"slate", "#3f4d63"},  {"gray", "#4a5260"}, {"red", "#c42525"},   {"orange", "#c2500a"},  {"amber", "#a85c05"},
    {"yellow", "#8f6a04"}, {"lime", "#4f7d0f"}, {"green", "#197a3d"}, {"emerald", "#06775a"}, {"teal", "#0d746c"},
    {"cyan", "#0b7088"},   {"sky", "#0770ad"},  {"blue", "#2257d6"},  {"indigo", "#483fd0"},  {"violet", "#6d38d6"},
    {"purple", "#8a2fce"}, {"pink", "#c4226f"}, {"rose", "#cc1c46"},
};
constexpr std::string_view kDefaultColour = "#2257d6";

std::string_view hexOf(std::string_view name) {
  for (const Colour& colour : kColours) {
    if (colour.name == name) return colour.hex;
  }
  return kDefaultColour;
}

std::string counted(int64_t count, std::string_view unit) {
  return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
}

// "24 hours": rounded to the nearest minute or hour; from 72 hours on, down to days.
std::string spanText(int64_t ms) {
  const int64_t minutes = std::max<int64_t>((ms + 30'000) / 60'000, 1);
  if (minutes < 120 && minutes % 60 != 0) return counted(minutes, "minute");
  const int64_t hours = (minutes + 30) / 60;
  return hours < 72 ? counted(hours, "hour") : counted(hours / 24, "day");
}

// The content of a mail: a paragraph, the label of its link, and what to do when the reader did not request it.
struct Parts {
  std::string subject;
  std::string opening;
  std::string button;
  std::string closing;
};

std::string as(const TemplatedMail& mail) {
  return mail.role.empty() ? "" : " as " + mail.role;
}

std::string by(const TemplatedMail& mail, std::string_view withName, std::string_view without) {
  return mail.inviter.empty() ? std::string(without) : mail.inviter + " " + std::string(withName);
}

constexpr std::string_view kNothingDeleted = "Nothing is deleted.";
constexpr std::string_view kSwitch = "Mails about limits can be turned off in your account.";

// "Storage: the project Shop uses 820 MiB of the 1 GiB that the plan Free allows."
std::string limitOpening(const PlanFacts& facts) {
  std::string label = facts.limit;
  if (!label.empty()) label.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(label.front())));
  const std::string user = facts.project.empty() ? "your account" : "the project " + facts.project;
  return fmt::format("{}: {} uses {} of the {} that the plan {} allows.", label, user, facts.use, facts.max,
                     facts.plan);
}

std::string limitSubject(const TemplatedMail& mail, std::string_view state) {
  const std::string& project = mail.facts.project;
  return fmt::format("{} {} at {}: {}", project.empty() ? "Your account" : project, state, mail.brand.name,
                     mail.facts.limit);
}

Parts planParts(const TemplatedMail& mail) {
  const std::string& brand = mail.brand.name;
  const PlanFacts& facts = mail.facts;
  if (mail.kind == MailTemplate::limitNear) {
    return {limitSubject(mail, "is close to a limit"), limitOpening(facts), "See your plan",
            fmt::format("At the limit, new uses are refused. {} {}", kNothingDeleted, kSwitch)};
  }
  if (mail.kind == MailTemplate::limitReached) {
    return {limitSubject(mail, "has reached a limit"), limitOpening(facts), "See your plan",
            fmt::format("New uses are refused until less is in use or the plan allows more. {} {}", kNothingDeleted,
                        kSwitch)};
  }
  if (mail.kind == MailTemplate::paymentFailed) {
    return {"A payment for your plan at " + brand + " failed",
            fmt::format("The payment for the plan {} failed. Until it succeeds, your projects have the limits of the "
                        "plan {}.",
                        facts.plan, facts.next),
            "Check your payment", std::string(kNothingDeleted)};
  }
  if (facts.ends.empty()) {
    return {
        "Your plan at " + brand + " has ended",
        fmt::format("The plan {} has ended. Your projects have the limits of the plan {} now.", facts.plan, facts.next),
        "See your plan", std::string(kNothingDeleted)};
  }
  return {fmt::format("Your plan at {} ends on {}", brand, facts.ends),
          fmt::format("The plan {} ends on {}. From then on your projects have the limits of the plan {}.", facts.plan,
                      facts.ends, facts.next),
          "See your plan", std::string(kNothingDeleted)};
}

Parts partsOf(const TemplatedMail& mail) {
  const std::string& brand = mail.brand.name;
  switch (mail.kind) {
    case MailTemplate::verifyAddress:
      return {"Confirm your address for " + brand, "Please confirm that this address is yours.", "Confirm address",
              "If you did not request this, ignore this mail; nothing happens."};
    case MailTemplate::resetPassword:
      return {"Reset your password for " + brand, "A new password was requested for your account.",
              "Set a new password", "If you did not request this, ignore this mail; your password stays as it is."};
    case MailTemplate::projectInvite:
      return {"Invitation to " + brand,
              by(mail, "invites you to " + brand, "You are invited to " + brand) + as(mail) +
                  ". Choose a password to join.",
              "Accept the invitation", "If you do not want to join, ignore this mail."};
    case MailTemplate::membershipGranted:
      return {"You are a member of " + brand,
              by(mail, "made you a member of " + brand, "You were made a member of " + brand) + as(mail) + ".",
              "Open the project", ""};
    case MailTemplate::addressTried:
      return {"Your address at " + brand,
              "A registration was attempted with this address. You already have an account: just sign in.", "Sign in",
              "If it was not you, there is nothing to do; your account is unchanged."};
    case MailTemplate::operatorInvite:
      return {"Invitation to operate " + brand,
              by(mail, "invites you to operate " + brand, "You are invited to operate " + brand) +
                  ". Choose a password to join.",
              "Accept the invitation", "If you do not want to join, ignore this mail."};
    case MailTemplate::mfaReset:
      return {"Your second factor at " + brand + " was removed",
              "An administrator removed the second factor of your account. Signing in takes your password alone until "
              "you set up a new one.",
              "Sign in", "If you did not request this, change your password and inform your administrator."};
    case MailTemplate::passwordChanged:
      return {"Your password at " + brand + " was changed",
              "The password of your account was changed, and the other sessions were ended.", "Sign in",
              "If it was not you, reset your password now."};
    case MailTemplate::projectOffered:
      return {"Transfer of " + brand + " to you",
              by(mail, "offers you the project " + brand, "You are offered the project " + brand) +
                  ". If you accept, it moves to your organization with its environments.",
              "Open the project", "If you do not want it, ignore this mail; nothing changes."};
    case MailTemplate::limitNear:
    case MailTemplate::limitReached:
    case MailTemplate::paymentFailed:
    case MailTemplate::planEnded:
      return planParts(mail);
  }
  return {};
}

std::string htmlOf(const TemplatedMail& mail, const Parts& parts, std::string_view validity) {
  constexpr std::string_view kParagraph = "<p style=\"margin:0 0 16px\">{}</p>\n";
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{}</title></head>\n"
      "<body style=\"margin:0;padding:24px;background:#f4f5f7;color:#1c2330;"
      "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif\">\n"
      "<div style=\"max-width:480px;margin:0 auto;padding:24px;background:#ffffff;border-top:4px solid {};"
      "border-radius:6px\">\n<p style=\"margin:0 0 16px;font-weight:600\">{}</p>\n",
      escapeHtml(parts.subject), hexOf(mail.brand.colour), escapeHtml(mail.brand.name));
  out += fmt::format(kParagraph, escapeHtml(parts.opening));
  if (!mail.link.empty()) {
    const std::string link = escapeHtml(mail.link);
    out += fmt::format(
        "<p style=\"margin:0 0 16px\"><a href=\"{0}\" style=\"display:inline-block;padding:10px 18px;background:{1};"
        "color:#ffffff;text-decoration:none;border-radius:4px\">{2}</a></p>\n"
        "<p style=\"margin:0 0 16px;font-size:13px;color:#5b6472;word-break:break-all\">{0}</p>\n",
        link, hexOf(mail.brand.colour), escapeHtml(parts.button));
  }
  if (!validity.empty()) out += fmt::format(kParagraph, escapeHtml(validity));
  if (!parts.closing.empty()) out += fmt::format(kParagraph, escapeHtml(parts.closing));
  return out + "</div>\n</body>\n</html>\n";
}

}  // namespace

MailText mailTextOf(const TemplatedMail& mail, Timestamp now) {
  const Parts parts = partsOf(mail);
  std::string validity;
  if (!mail.link.empty() && mail.validUntil) {
    const std::string_view what = mail.kind == MailTemplate::projectOffered ? "offer" : "link";
    validity = fmt::format("The {} is valid for {}.", what, spanText(mail.validUntil->ms - now.ms));
  }
  std::string text = parts.opening + "\n";
  if (!mail.link.empty()) text += "\n" + mail.link + "\n";
  if (!validity.empty()) text += "\n" + validity + "\n";
  if (!parts.closing.empty()) text += "\n" + parts.closing + "\n";
  text += "\n" + mail.brand.name + "\n";
  return {parts.subject, std::move(text), htmlOf(mail, parts, validity)};
}

}  // namespace mb::mail
