// Calls of any HTTP service.
#pragma once

#include "integrations/provider.h"

namespace mb::integrations {

class HttpProvider final : public Provider {
 public:
  explicit HttpProvider(outbound::Outbound& outbound);

  void checkConfig(doc::DocumentView config, Problems& problems) const override;
  void checkSecrets(const SecretEdit& given, Problems& problems) const override;
  void checkArguments(const IntegrationRecord& integration, std::string_view op, doc::DocumentView args,
                      Problems& problems) const override;
  std::string destination(doc::DocumentView config) const override;
  // {status, headers, body}, for every status.
  Task<doc::Value> call(Call call) override;

 private:
  outbound::Outbound& outbound_;
};

}  // namespace mb::integrations
