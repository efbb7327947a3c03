#include "identity/tokens.h"

#include <algorithm>
#include <limits>

#include "base/es256.h"
#include "document/json.h"
#include "document/shape.h"

namespace mb::identity {

namespace {

constexpr std::string_view kControlAudience = "control";
constexpr std::string_view kProjectAudience = "project";
constexpr size_t kMaxTokenBytes = 12 << 10;
constexpr size_t kSignatureBytes = 64;
constexpr int64_t kClockLeewaySeconds = 60;
constexpr Timestamp kWhileItSigns{std::numeric_limits<int64_t>::max()};

struct Claims {
  std::string iss;
  std::string aud;
  std::string kind;
  std::string sub;
  std::string sid;
  int64_t iat = 0;
  int64_t exp = 0;
  std::optional<std::string> pid;
  std::optional<std::string> role;
  std::optional<std::vector<std::string>> perms;
  static constexpr auto shape() {
    return doc::shape<Claims>("Claims", doc::field("iss", &Claims::iss), doc::field("aud", &Claims::aud),
                              doc::field("kind", &Claims::kind), doc::field("sub", &Claims::sub),
                              doc::field("sid", &Claims::sid), doc::field("iat", &Claims::iat),
                              doc::field("exp", &Claims::exp), doc::field("pid", &Claims::pid),
                              doc::field("role", &Claims::role), doc::field("perms", &Claims::perms));
  }
};

struct Jwk {
  std::string kty = "EC";
  std::string crv = "P-256";
  std::string x;
  std::string y;
  std::string kid;
  std::string use = "sig";
  std::string alg = "ES256";
  static constexpr auto shape() {
    return doc::shape<Jwk>("Jwk", doc::field("kty", &Jwk::kty), doc::field("crv", &Jwk::crv), doc::field("x", &Jwk::x),
                           doc::field("y", &Jwk::y), doc::field("kid", &Jwk::kid), doc::field("use", &Jwk::use),
                           doc::field("alg", &Jwk::alg));
  }
};

std::string_view kindName(TokenKind kind) {
  switch (kind) {
    case TokenKind::endUser:
      return "user";
    case TokenKind::member:
      return "member";
    case TokenKind::platform:
      return "platform";
  }
  return "";
}

std::optional<TokenKind> kindOf(std::string_view name) {
  for (const TokenKind kind : {TokenKind::endUser, TokenKind::member, TokenKind::platform}) {
    if (kindName(kind) == name) return kind;
  }
  return std::nullopt;
}

Error refused() {
  return Error(ErrorCode::unauthenticated, "this token is not valid here");
}

// Whether the token has exactly the claims of its kind.
bool isConsistent(const Claims& claims, TokenKind kind) {
  if (claims.sub.empty() || claims.sid.empty()) return false;
  if (kind == TokenKind::platform) {
    return claims.aud == kControlAudience && !claims.pid && !claims.role && !claims.perms;
  }
  return claims.aud == kProjectAudience && claims.pid && !claims.pid->empty() && claims.role && claims.perms;
}

}  // namespace

Result<Tokens::Key> Tokens::keyOf(RetiredKey given) {
  auto verifier = PublicKey::p256(given.x, given.y);
  if (!verifier) return fail(ErrorCode::internal, "a stored signing key is not valid");
  const std::string header = R"({"alg":"ES256","typ":"JWT","kid":")" + given.id + R"("})";
  return Key{std::move(given.id),  std::move(given.x),  std::move(given.y),
             *std::move(verifier), toBase64Url(header), given.until};
}

Result<> Tokens::setKeys(SigningKey signer, const std::vector<RetiredKey>& retired) {
  auto next = std::make_shared<KeyRing>();
  auto [x, y] = signer.publicPoint();
  TRY(Key own, keyOf({signer.keyId(), std::move(x), std::move(y), kWhileItSigns}));
  next->keys.push_back(std::move(own));
  next->signer = std::move(signer);
  for (const RetiredKey& each : retired) {
    TRY(Key key, keyOf(each));
    next->keys.push_back(std::move(key));
  }
  const auto isKept = [&](const Key& known) {
    return std::ranges::any_of(next->keys, [&](const Key& key) { return key.id == known.id; });
  };
  const Timestamp now = clock_.now();
  const std::lock_guard lock(mutex_);
  const bool dropped =
      std::ranges::any_of(ring_->keys, [&](const Key& known) { return known.until > now && !isKept(known); });
  ring_ = std::move(next);
  if (dropped) drops_.fetch_add(1, std::memory_order_release);
  return {};
}

std::shared_ptr<const Tokens::KeyRing> Tokens::ring() const {
  const std::lock_guard lock(mutex_);
  return ring_;
}

std::string Tokens::mint(TokenKind kind, const UserId& user, const SessionId& session, const ProjectId& project,
                         std::string_view role, const policy::PermissionSet& permissions) const {
  const int64_t now = clock_.now().ms / 1000;
  Claims claims{.iss = issuer_,
                .aud = std::string(kind == TokenKind::platform ? kControlAudience : kProjectAudience),
                .kind = std::string(kindName(kind)),
                .sub = user.str(),
                .sid = session.str(),
                .iat = now,
                .exp = now + kAccessTokenSeconds,
                .pid = std::nullopt,
                .role = std::nullopt,
                .perms = std::nullopt};
  if (kind != TokenKind::platform) {
    claims.pid = project.str();
    claims.role = role;
    claims.perms = permissions.list();
  }
  const std::shared_ptr<const KeyRing> keys = ring();
  std::string token = keys->keys.front().header;
  token += '.';
  token += toBase64Url(doc::toJson(doc::encode(claims)));
  const std::string signature = keys->signer->sign(token);
  token += '.';
  token += toBase64Url(signature);
  minted_.note(token);
  return token;
}

std::string Tokens::mintEndUser(const UserId& user, const SessionId& session, const ProjectId& project,
                                std::string_view role, const policy::PermissionSet& permissions) const {
  return mint(TokenKind::endUser, user, session, project, role, permissions);
}

std::string Tokens::mintMember(const UserId& user, const SessionId& session, const ProjectId& project,
                               std::string_view role, const policy::PermissionSet& permissions) const {
  return mint(TokenKind::member, user, session, project, role, permissions);
}

std::string Tokens::mintControl(const UserId& user, const SessionId& session) const {
  return mint(TokenKind::platform, user, session, {}, "", {});
}

Result<AccessToken> Tokens::verify(std::string_view token) const {
  if (token.size() > kMaxTokenBytes) return fail(refused());
  const size_t first = token.find('.');
  const size_t last = token.rfind('.');
  if (first == std::string_view::npos || first == last) return fail(refused());

  // The header is compared as a whole with those that the server's own keys write: so there is one algorithm and one
  // type, and the token cannot choose another key or algorithm.
  const std::shared_ptr<const KeyRing> held = ring();
  const auto key = std::ranges::find(held->keys, token.substr(0, first), &Key::header);
  if (key == held->keys.end() || key->until <= clock_.now()) return fail(refused());
  const auto signature = fromBase64Url(token.substr(last + 1));
  if (!signature || signature->size() != kSignatureBytes || !isLowS(*signature)) return fail(refused());
  if (!minted_.knows(token) && !key->verifier.verify(token.substr(0, last), *signature)) return fail(refused());

  const auto text = fromBase64Url(token.substr(first + 1, last - first - 1));
  if (!text) return fail(refused());
  const auto parsed = doc::parseJson(*text, {.maxDepth = 3, .extended = doc::ExtendedJson::refuse});
  if (!parsed) return fail(refused());
  auto claims = doc::decode<Claims>(parsed->view());
  if (!claims || claims->iss != issuer_) return fail(refused());
  const auto kind = kindOf(claims->kind);
  if (!kind || !isConsistent(*claims, *kind)) return fail(refused());
  const int64_t now = clock_.now().ms / 1000;
  if (claims->exp <= claims->iat || claims->iat > now + kClockLeewaySeconds) return fail(refused());
  if (claims->exp <= now) return fail(ErrorCode::unauthenticated, "this token has expired");

  AccessToken out;
  out.kind = *kind;
  out.user = UserId(std::move(claims->sub));
  out.session = SessionId(std::move(claims->sid));
  if (claims->pid) out.project = ProjectId(*std::move(claims->pid));
  if (claims->role) out.role = *std::move(claims->role);
  if (claims->perms) out.permissions = *std::move(claims->perms);
  out.issuedAt = {claims->iat * 1000};
  out.expiresAt = {claims->exp * 1000};
  return out;
}

doc::Document Tokens::jwks() const {
  std::vector<Jwk> keys;
  const Timestamp now = clock_.now();
  const std::shared_ptr<const KeyRing> held = ring();
  for (const Key& key : held->keys) {
    if (key.until <= now) continue;
    Jwk jwk;
    jwk.x = toBase64Url(key.x);
    jwk.y = toBase64Url(key.y);
    jwk.kid = key.id;
    keys.push_back(std::move(jwk));
  }
  doc::BsonWriter out;
  doc::encodeValue(out, "keys", keys);
  return out.finish();
}

}  // namespace mb::identity
