#include "identity/id_token.h"

#include "base/crypto.h"
#include "document/json.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxIdToken = 32 << 10;
constexpr size_t kMaxDepth = 20;
constexpr size_t kMaxSubject = 255;
constexpr int64_t kSkewSeconds = 60;

std::unexpected<Error> refused(std::string why) {
  return fail(Error(ErrorCode::unauthenticated, "the provider's response is not valid")
                  .withCause("id_token: " + std::move(why)));
}

Result<doc::Document> jsonPart(std::string_view encoded) {
  TRY(const std::string text, fromBase64Url(encoded));
  return doc::parseJson(text, {.maxDepth = kMaxDepth, .extended = doc::ExtendedJson::refuse});
}

std::optional<int64_t> seconds(doc::DocumentView claims, std::string_view name) {
  const auto value = claims.find(name);
  if (!value || !value->isNumber()) return std::nullopt;
  return value->toInteger();
}

// `aud` is one audience or a list of them; with several, `azp` names the client that the token was issued to.
bool isFor(doc::DocumentView claims, std::string_view clientId) {
  const auto party = claims.find("azp");
  if (party && (party->type() != doc::BsonType::string || party->asString() != clientId)) return false;
  const auto audience = claims.find("aud");
  if (!audience) return false;
  if (audience->type() == doc::BsonType::string) return audience->asString() == clientId;
  if (audience->type() != doc::BsonType::array) return false;
  bool named = false;
  for (const doc::Element& element : audience->asDocument()) {
    if (element.value.type() != doc::BsonType::string) return false;
    named = named || element.value.asString() == clientId;
  }
  return named && (party || audience->asDocument().count() == 1);
}

}  // namespace

Result<IdToken> IdToken::parse(std::string_view text) {
  if (text.size() > kMaxIdToken) return refused("too long");
  const size_t first = text.find('.');
  const size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || text.find('.', second + 1) != std::string_view::npos) {
    return refused("not three parts");
  }
  const auto header = jsonPart(text.substr(0, first));
  auto claims = jsonPart(text.substr(first + 1, second - first - 1));
  auto signature = fromBase64Url(text.substr(second + 1));
  if (!header || !claims || !signature) return refused("its parts do not decode");
  // No critical extension is supported, and an unsupported one invalidates the token (RFC 7515, 4.1.11).
  if (header->view().find("crit")) return refused("has critical extensions");
  IdToken token;
  token.algorithm = header->view().stringOr("alg");
  token.keyId = header->view().stringOr("kid");
  token.signedText = text.substr(0, second);
  token.signature = *std::move(signature);
  token.claims = *std::move(claims);
  return token;
}

Result<> checkIdToken(const IdToken& token, const PublicKey& key, const ExpectedToken& expected) {
  if (token.algorithm != key.algorithm() || !key.verify(token.signedText, token.signature)) {
    return refused("the signature does not match the issuer's key");
  }
  const doc::DocumentView claims = token.claims.view();
  if (claims.stringOr("iss") != expected.issuer) return refused("another issuer");
  if (!isFor(claims, expected.clientId)) return refused("another audience");
  const int64_t now = expected.now.ms / 1000;
  const auto expires = seconds(claims, "exp");
  const auto issued = seconds(claims, "iat");
  if (!expires || !issued) return refused("exp or iat is missing");
  if (*expires <= now - kSkewSeconds || *expires <= *issued) return refused("expired");
  if (*issued > now + kSkewSeconds) return refused("from the future");
  if (claims.find("nbf") && seconds(claims, "nbf").value_or(INT64_MAX) > now + kSkewSeconds) return refused("not yet");
  if (!equalConstantTime(claims.stringOr("nonce"), expected.nonce)) return refused("another nonce");
  const std::string_view subject = claims.stringOr("sub");
  if (subject.empty() || subject.size() > kMaxSubject) return refused("no subject");
  return {};
}

}  // namespace mb::identity
