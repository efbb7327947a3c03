#include "mail/letter.h"

#include "mail/message.h"

namespace mb::mail {

namespace {

constexpr size_t kMaxNameBytes = 400;
constexpr size_t kMaxLinkBytes = 4096;

struct Named {
  LetterKind kind;
  std::string_view name;
};
constexpr Named kNames[] = {
    {LetterKind::verifyAddress, "verifyAddress"}, {LetterKind::resetPassword, "resetPassword"},
    {LetterKind::projectInvite, "projectInvite"}, {LetterKind::membershipGranted, "membershipGranted"},
    {LetterKind::addressTried, "addressTried"},   {LetterKind::operatorInvite, "operatorInvite"},
    {LetterKind::mfaReset, "mfaReset"},           {LetterKind::passwordChanged, "passwordChanged"},
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

std::string_view nameOf(LetterKind kind) {
  for (const Named& named : kNames) {
    if (named.kind == kind) return named.name;
  }
  return {};
}

Result<> checkLetter(const Letter& letter) {
  if (!isAddress(letter.to)) return fail(ErrorCode::validation, "is no address that can get mail");
  if (!isName(letter.brand.name) || !isName(letter.inviter) || !isName(letter.role)) {
    return fail(ErrorCode::validation, "a name in a mail is too long or holds control characters");
  }
  if (!isLink(letter.link)) return fail(ErrorCode::validation, "a link in a mail is no address of the web");
  return {};
}

doc::Document toDocument(const Letter& letter) {
  doc::BsonWriter out(512);
  out.appendString("letter", nameOf(letter.kind));
  out.appendString("to", letter.to);
  out.appendString("brand", letter.brand.name);
  out.appendString("colour", letter.brand.colour);
  out.appendString("link", letter.link);
  out.appendString("inviter", letter.inviter);
  out.appendString("role", letter.role);
  if (letter.validUntil) out.appendDate("validUntil", *letter.validUntil);
  return out.finish();
}

Result<Letter> letterOf(doc::DocumentView stored) {
  Letter letter;
  const std::string_view name = stored.stringOr("letter");
  const auto* const found = std::ranges::find(kNames, name, &Named::name);
  letter.to = stored.stringOr("to");
  if (found == std::end(kNames) || letter.to.empty()) {
    return fail(ErrorCode::internal, "a stored mail could not be read");
  }
  letter.kind = found->kind;
  letter.brand = {std::string(stored.stringOr("brand")), std::string(stored.stringOr("colour"))};
  letter.link = stored.stringOr("link");
  letter.inviter = stored.stringOr("inviter");
  letter.role = stored.stringOr("role");
  const auto until = stored.find("validUntil");
  if (until && until->type() == doc::BsonType::date) letter.validUntil = until->asDate();
  return letter;
}

}  // namespace mb::mail
