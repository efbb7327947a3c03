// The providers and redirect origins of projects, as their admins set them. Client secrets are write-only.
#pragma once

#include "identity/identity_deps.h"
#include "identity/tables.h"
#include "policy/caller.h"

namespace mb::identity {

inline constexpr size_t kMaxRedirects = 100;

class OauthConfigs final : public variables::VariableUser {
 public:
  // Both outlive it; the slots are complete before the first use.
  OauthConfigs(const IdentityDeps& deps, const IdentitySlots& slots) : deps_(deps), slots_(slots) {}

  // The checks of setProvider() that need no store. Fails with validation; notFound for an invalid provider name.
  static Result<> check(std::string_view provider, const OauthProviderBody& input, const variables::Values& values);

  Task<std::shared_ptr<const void>> load(store::ProjectNo project);
  OauthView view(const OauthConfig& config) const;
  // Both are audited. Fail with validation; notFound for an invalid provider name; conflict past
  // store::kMaxOauthProviders.
  Task<> setProvider(snapshot::SnapshotPtr project, std::string provider, OauthProviderBody input, policy::Caller by,
                     store::Deadline deadline);
  Task<> setRedirects(snapshot::ProjectInfo project, OauthRedirectsBody input, policy::Caller by,
                      store::Deadline deadline);
  // The client secret of a record; empty if not set. Fails with internal.
  Result<Secret> secretOf(const ProjectId& project, const OauthProviderRecord& provider) const;
  // The client id of a record with the values of its variables. Fails with conflict, naming the variable.
  Result<std::string> clientIdOf(const snapshot::ProjectSnapshot& project, const OauthProviderRecord& provider) const;

  std::vector<variables::VariableUse> uses(const snapshot::ProjectSnapshot& project) const override;
  variables::Problems problemsWith(const snapshot::ProjectSnapshot& project, const variables::Values& values,
                                   std::string_view name) const override;

 private:
  const IdentityDeps& deps_;
  const IdentitySlots& slots_;
};

}  // namespace mb::identity
