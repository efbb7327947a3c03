// Sign-in with other providers: their client ids, and the allowed redirects. Client secrets are not part of it.
#pragma once

#include "configuration/listed_kind.h"
#include "identity/oauth_config.h"
#include "identity/tables.h"

namespace mb::configuration {

// Its entries are the providers, and the list of origins under the name kRedirectsEntry. Origins are merged too:
// origins that only the project has stay.
class OauthKind final : public ListedKind {
 public:
  static constexpr std::string_view kRedirectsEntry = "allowedRedirects";

  // References outlive it.
  OauthKind(identity::OauthConfigs& configs, snapshot::SlotKey<identity::OauthConfig> slot,
            const variables::Variables& variables)
      : configs_(configs), slot_(slot), variables_(variables) {}

  std::string_view section() const override { return "oauth"; }
  Task<std::vector<Entry>> entries(snapshot::SnapshotPtr project) override;
  void append(doc::BsonWriter& out, const std::vector<Entry>& entries) const override;
  Task<std::vector<Entry>> merged(Source source, const std::vector<Entry>& current, Problems& problems) override;
  // The plan shows the current values, so reading them is needed as well.
  std::vector<std::string> permissionsFor(const Change& change) const override;

 private:
  policy::RequiredPermission permission() const override { return "auth:config:write"; }
  Task<> applyOne(Target target, Change change) override;
  identity::OauthConfigs& configs_;
  const snapshot::SlotKey<identity::OauthConfig> slot_;
  const variables::Variables& variables_;
};

}  // namespace mb::configuration
