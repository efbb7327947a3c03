// The requests and responses of each messaging platform. Private to the module.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "integrations/bot_provider.h"

namespace mb::integrations {

struct BotMessage {
  std::string channel;
  std::string text;
};

class BotPlatform {
 public:
  virtual ~BotPlatform() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view publicUrl() const = 0;
  virtual const std::string& ownUrl(const BotSettings& settings) const = 0;
  virtual size_t maxCharacters() const = 0;
  // "" for a valid channel, else the problem.
  virtual std::string_view channelProblem(std::string_view channel) const = 0;
  // Returns method, path below the API's address, headers and body; nothing else. Without a message: a request for the
  // bot's identity. `baseUrl` is this server's, for platforms that want to know the bot's owner.
  virtual outbound::Request request(std::string_view token, const std::optional<BotMessage>& message,
                                    std::string_view baseUrl) const = 0;
  // Converts a JSON response: {id, channel}, or {id, name} of the bot, each a text. An error is the platform's own
  // reason, or "".
  virtual std::expected<doc::Document, std::string> result(int status, doc::DocumentView response,
                                                           const std::optional<BotMessage>& message) const = 0;
};

// Null for an unknown name.
const BotPlatform* findPlatform(std::string_view name);

}  // namespace mb::integrations
