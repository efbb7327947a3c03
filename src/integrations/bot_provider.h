// Messages through a bot of a messaging platform: Telegram (Bot API), Slack (Web API), Discord (API v10), by their
// public documentation.
#pragma once

#include "base/settings.h"
#include "integrations/provider.h"

namespace mb::integrations {

// Addresses of the platforms' APIs. An address set by the operator may be any, internal ones included.
struct BotSettings {
  explicit BotSettings(Settings& settings);
  BotSettings() = default;
  std::string telegramUrl;  // "": the public service
  std::string slackUrl;
  std::string discordUrl;
};

class BotProvider final : public Provider {
 public:
  // `baseUrl`: this server's.
  BotProvider(outbound::Outbound& outbound, BotSettings settings, std::string baseUrl);

  void checkConfig(doc::DocumentView config, Problems& problems) const override;
  void checkSecrets(const SecretEdit& given, Problems& problems) const override;
  void checkArguments(const IntegrationRecord& integration, std::string_view op, doc::DocumentView args,
                      Problems& problems) const override;
  std::string destination(doc::DocumentView config) const override;
  Task<doc::Value> call(Call call) override;

 private:
  outbound::Outbound& outbound_;
  const BotSettings settings_;
  const std::string baseUrl_;
};

}  // namespace mb::integrations
