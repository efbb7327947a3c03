// Sign-in with other providers: the configuration of a project.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"

namespace mb::identity {

inline constexpr std::string_view kGoogle = "google";
inline constexpr std::string_view kGithub = "github";
inline constexpr std::string_view kOidcPrefix = "oidc-";

// "google", "github" or "oidc-<name>", the name as ^[a-z][a-z0-9-]{0,31}$.
bool isProvider(std::string_view text);
inline bool isGeneric(std::string_view provider) {
  return provider.starts_with(kOidcPrefix);
}

// ---- stored

struct OauthProviderRecord {
  std::string id;  // the provider
  std::string clientId;
  bool enabled = false;
  std::string secret;                 // sealed under "<project id>/<provider>", base64; "" if not set
  std::optional<std::string> issuer;  // of generic ones
  Timestamp updatedAt;
  // Those that the client id names; absent without any: then it is used unchanged.
  std::optional<std::vector<std::string>> variables;
  static constexpr auto shape() {
    return doc::shape<OauthProviderRecord>(
        "OauthProviderRecord", doc::field("id", &OauthProviderRecord::id),
        doc::field("clientId", &OauthProviderRecord::clientId), doc::field("enabled", &OauthProviderRecord::enabled),
        doc::field("secret", &OauthProviderRecord::secret), doc::field("issuer", &OauthProviderRecord::issuer),
        doc::field("updatedAt", &OauthProviderRecord::updatedAt),
        doc::field("variables", &OauthProviderRecord::variables));
  }
};

struct OauthRedirectsRecord {
  std::string id;
  std::vector<std::string> allowedRedirects;  // origins, sorted
  static constexpr auto shape() {
    return doc::shape<OauthRedirectsRecord>("OauthRedirectsRecord", doc::field("id", &OauthRedirectsRecord::id),
                                            doc::field("allowedRedirects", &OauthRedirectsRecord::allowedRedirects));
  }
};

// The project's part of the snapshot; secrets stay sealed.
struct OauthConfig {
  std::map<std::string, OauthProviderRecord, std::less<>> providers;
  std::vector<std::string> allowedRedirects;
};

// ---- in

struct OauthProviderBody {
  std::string clientId;
  bool enabled = false;
  std::optional<std::string> clientSecret;  // absent or blank: unchanged
  std::optional<std::string> issuer;
  static constexpr auto shape() {
    return doc::shape<OauthProviderBody>("OauthProviderBody", doc::field("clientId", &OauthProviderBody::clientId),
                                         doc::field("enabled", &OauthProviderBody::enabled),
                                         doc::field("clientSecret", &OauthProviderBody::clientSecret),
                                         doc::field("issuer", &OauthProviderBody::issuer));
  }
};

struct OauthRedirectsBody {
  std::vector<std::string> allowedRedirects;
  static constexpr auto shape() {
    return doc::shape<OauthRedirectsBody>("OauthRedirectsBody",
                                          doc::field("allowedRedirects", &OauthRedirectsBody::allowedRedirects));
  }
};

// ---- out

struct SecretView {
  bool configured = false;
  static constexpr auto shape() {
    return doc::shape<SecretView>("SecretView", doc::field("configured", &SecretView::configured));
  }
};

struct OauthProviderView {
  std::string provider;
  std::string clientId;
  bool enabled = false;
  SecretView clientSecret;
  std::optional<std::string> issuer;
  static constexpr auto shape() {
    return doc::shape<OauthProviderView>(
        "OauthProvider", doc::field("provider", &OauthProviderView::provider),
        doc::field("clientId", &OauthProviderView::clientId), doc::field("enabled", &OauthProviderView::enabled),
        doc::field("clientSecret", &OauthProviderView::clientSecret), doc::field("issuer", &OauthProviderView::issuer));
  }
};

struct OauthView {
  std::vector<OauthProviderView> providers;  // by name
  std::vector<std::string> allowedRedirects;
  std::string baseUrl;
  static constexpr auto shape() {
    return doc::shape<OauthView>("OauthConfig", doc::field("providers", &OauthView::providers),
                                 doc::field("allowedRedirects", &OauthView::allowedRedirects),
                                 doc::field("baseUrl", &OauthView::baseUrl));
  }
};

}  // namespace mb::identity
