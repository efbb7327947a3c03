// Sign-in with other providers, in both realms: where the browser goes, and what comes of its return. Source: contract
// 4.2; decisions 3 and 8.
//
// The state is signed, bound to the browser by a cookie and used once; the code is traded with PKCE; who came is what
// the provider says under its own key (OpenID Connect) or through its own interface (GitHub). All calls go through the
// guarded client.
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
  bool ownGoogle = false;  // the issuer is the operator's own
  std::string githubUrl;   // empty: the public service
  Client google;           // of the control plane
  Client github;
  // Those of the control plane, by name.
  std::vector<std::string> controlProviders() const;
};

struct OauthDeps {
  Identity& identity;
  snapshot::Snapshots& snapshots;
  outbound::Outbound& outbound;
  const Clock& clock;
  const MasterSecret& master;
  std::string baseUrl;
  std::vector<std::string> controlOrigins;  // of redirects on the control plane, beside the deployment's own
};

class Oauth {
 public:
  Oauth(OauthDeps deps, OauthSettings settings);
  ~Oauth();

  struct Started {
    std::string location;
    std::string cookie;  // "": none to set
  };
  // `project` is null on the control plane. A provider that is not offered, or not to be reached, is reported at the
  // redirect. Fails with notFound (no provider can have this name), invalidParam (redirect).
  Task<Started> start(snapshot::SnapshotPtr project, std::string provider, std::string redirect);

  struct Callback {
    bool control = false;
    std::string provider;
    std::string state;
    std::string code;
    std::string error;
    std::string issuer;                // the parameter `iss`
    std::vector<std::string> cookies;  // one for each tab
    ClientInfo client;
    policy::Caller by;   // for limits and the audit record
    bool local = false;  // RegistrationClaims
  };
  // Where the browser goes, whatever happened: the redirect with #mb_refresh=, #mb_mfa= or #mb_error=; the hosted page
  // with #mb_error=invalid_state where the state names no redirect that may be believed.
  Async<std::string> finish(Callback callback, store::Deadline deadline);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::identity
