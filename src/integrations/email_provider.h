// Sends mails of a project through the project's own mail server.
#pragma once

#include "base/id.h"
#include "integrations/provider.h"

namespace mb::integrations {

class EmailProvider final : public Provider {
 public:
  EmailProvider(outbound::Outbound& outbound, IdGenerator& ids, const Clock& clock);

  void checkConfig(doc::DocumentView config, Problems& problems) const override;
  void checkSecrets(const SecretEdit& given, Problems& problems) const override;
  std::string secretsProblem(const std::vector<std::string>& held) const override;
  void checkArguments(const IntegrationRecord& integration, std::string_view op, doc::DocumentView args,
                      Problems& problems) const override;
  std::string destination(doc::DocumentView config) const override;
  bool followsVariable(doc::DocumentView config) const override;
  Task<doc::Value> call(Call call) override;

 private:
  outbound::Outbound& outbound_;
  IdGenerator& ids_;
  const Clock& clock_;
};

}  // namespace mb::integrations
