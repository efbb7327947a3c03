// The state of a sign-in in progress at a provider: signed, valid for ten minutes, bound to one browser by a cookie. It
// is not stored until it is used. Private to identity/.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"
#include "document/shape.h"

namespace mb::identity {

inline constexpr int64_t kStateMs = 10LL * 60 * 1000;

struct OauthState {
  std::string id;       // random; used once
  std::string project;  // id; "" on the control plane
  std::string provider;
  std::string redirect;
  std::string browser;  // digest of the cookie
  int64_t expiresMs = 0;
  static constexpr auto shape() {
    return doc::shape<OauthState>(
        "OauthState", doc::field("id", &OauthState::id), doc::field("project", &OauthState::project),
        doc::field("provider", &OauthState::provider), doc::field("redirect", &OauthState::redirect),
        doc::field("browser", &OauthState::browser), doc::field("expiresMs", &OauthState::expiresMs));
  }
};

// Immutable; any thread.
class OauthStates {
 public:
  OauthStates(const MasterSecret& master, const Clock& clock) : key_(master.subkey("oauthst")), clock_(clock) {}

  std::string sign(const OauthState& state) const;
  // Accepts a state signed by this server, not expired, and of a browser with one of these cookies. Fails with
  // unauthenticated.
  Result<OauthState> open(std::string_view text, std::span<const std::string> cookies) const;
  // The PKCE verifier and the nonce, derived from the state's id; secret without the key.
  std::string verifierOf(const OauthState& state) const;
  std::string nonceOf(const OauthState& state) const;

 private:
  std::string derived(std::string_view use, std::string_view text) const;
  const Secret key_;
  const Clock& clock_;
};

// A new cookie value. A value that the browser sends is never reused: an attacker may have set it.
std::string browserCookie();
std::string browserDigest(std::string_view cookie);

}  // namespace mb::identity
