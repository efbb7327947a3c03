#include "identity/one_time_tokens.h"

#include "identity/records.h"

namespace mb::identity {

namespace {

constexpr size_t kSecretBytes = 32;
constexpr size_t kMaxTokenText = 160;

std::string recordId(LinkPurpose purpose, const UserId& user) {
  return (purpose == LinkPurpose::verifyEmail ? "verify:" : "reset:") + user.str();
}

}  // namespace

Error badToken() {
  return invalid("/token", "is not valid: it was used, replaced by a newer one, or has expired");
}

store::WriteTarget tokenTarget(const Realm& realm, LinkPurpose purpose, const UserId& user) {
  return targetOf(realm.project, kOneTimeTokens, recordId(purpose, user));
}

NewToken newToken(LinkPurpose purpose, const UserRecord& user, Timestamp now) {
  NewToken token;
  token.text = user.id.str() + "." + randomToken(kSecretBytes);
  const int64_t life = purpose == LinkPurpose::verifyEmail ? kVerificationMs : kResetMs;
  token.record = {recordId(purpose, user.id), toHex(sha256(token.text)), user.emailKey, {now.ms + life}};
  return token;
}

std::optional<UserId> userOfToken(std::string_view text) {
  const size_t dot = text.find('.');
  if (text.size() > kMaxTokenText || dot == std::string_view::npos) return std::nullopt;
  const std::string_view id = text.substr(0, dot);
  if (!isId(UserTag::prefix, id)) return std::nullopt;
  return UserId(std::string(id));
}

Result<> checkToken(const std::optional<doc::Document>& stored, std::string_view text, const UserRecord& user,
                    Timestamp now) {
  if (!stored) return fail(badToken());
  TRY(const OneTimeTokenRecord record, fromStore<OneTimeTokenRecord>(stored->view()));
  const bool good = equalConstantTime(record.hash, toHex(sha256(text))) && record.expiresAt > now &&
                    record.emailKey == user.emailKey && user.active();
  if (!good) return fail(badToken());
  return {};
}

}  // namespace mb::identity
