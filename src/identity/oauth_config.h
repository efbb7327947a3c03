// The providers and redirect origins of projects, as their admins set them. Client secrets are write-only.
#pragma once

#include "identity/identity_deps.h"
#include "identity/oauth_types.h"
#include "policy/caller.h"

namespace mb::identity {

inline constexpr size_t kMaxRedirects = 100;

class OauthConfigs {
 public:
  explicit OauthConfigs(const IdentityDeps& deps) : deps_(deps) {}

  // The checks of setProvider() that need no store. Fails with validation; notFound for an invalid provider name.
  static Result<> check(std::string_view provider, const OauthProviderBody& input);

  Task<std::shared_ptr<const void>> load(store::ProjectNo project);
  OauthView view(const OauthConfig& config) const;
  // Both are audited. Fail with validation; notFound for an invalid provider name; conflict past
  // store::kMaxOauthProviders.
  Task<> setProvider(snapshot::ProjectInfo project, std::string provider, OauthProviderBody input, policy::Caller by,
                     store::Deadline deadline);
  Task<> setRedirects(snapshot::ProjectInfo project, OauthRedirectsBody input, policy::Caller by,
                      store::Deadline deadline);
  // The client secret of a record; empty if not set. Fails with internal.
  Result<Secret> secretOf(const ProjectId& project, const OauthProviderRecord& provider) const;

 private:
  const IdentityDeps& deps_;
};

}  // namespace mb::identity
