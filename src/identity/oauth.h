// Sign-in with other providers, in both realms: the redirect to the provider and the callback.
//
// The state is signed, bound to the browser by a cookie and used once; the code is exchanged with PKCE; the provider
// asserts the identity under its own key (OpenID Connect) or through its API (GitHub). All calls use the outbound
// client with the trust of the issuer (ProviderClient::trust).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/settings.h"
#include "identity/identity.h"
#include "outbound/outbound.h"

namespace mb::identity {

struct ProviderClient;

struct OauthSettings {
  explicit OauthSettings(Settings& settings);
  OauthSettings() = default;
  struct Client {
    std::string id;  // empty: not offered
    Secret secret;
  };
  std::string googleIssuer = "https://accounts.google.com";
  bool ownGoogle = false;  // the issuer is set by the operator
  std::string githubUrl;   // empty: the public service
  Client google;           // of the control plane
  Client github;
  // The providers of the control plane, by name.
  std::vector<std::string> controlProviders() const;
};

struct OauthDeps {
  Identity& identity;
  snapshot::Snapshots& snapshots;
  outbound::Outbound& outbound;
  const Clock& clock;
  const MasterSecret& master;
  std::string baseUrl;
  std::vector<std::string> controlOrigins;  // of redirects on the control plane, besides the deployment's own
};

class Oauth {
 public:
  Oauth(OauthDeps deps, OauthSettings settings);
  ~Oauth();

  struct Started {
    std::string location;
    std::string cookie;  // "": no cookie is set
  };
  // `project` is null on the control plane. A provider that is not offered or not reachable is reported at the
  // redirect. Fails with notFound (an invalid provider name), invalidParam (redirect).
  Task<Started> start(snapshot::SnapshotPtr project, std::string provider, std::string redirect);

  struct Callback {
    bool control = false;
    std::string provider;
    std::string state;
    std::string code;
    std::string error;
    std::string issuer;                // the parameter `iss`
    std::vector<std::string> cookies;  // one per tab
    ClientInfo client;
    policy::Caller by;   // for limits and the audit record
    bool local = false;  // RegistrationClaims
  };
  // The URL to send the browser to, on success and failure: the redirect with #mb_refresh=, #mb_mfa= or #mb_error=; the
  // hosted page with #mb_error=invalid_state where the state is not valid, so its redirect cannot be trusted.
  Async<std::string> finish(Callback callback, store::Deadline deadline);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::identity
