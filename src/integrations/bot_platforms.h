// What each platform is sent, and what its answers mean. Private to the module.
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
  // "" or what is wrong with it.
  virtual std::string_view channelProblem(std::string_view channel) const = 0;
  // Method, path below the API's address, headers and body; nothing else. Without a message: who the bot is. `baseUrl`
  // is this server's, for those who want to know whose bot it is.
  virtual outbound::Request request(std::string_view token, const std::optional<BotMessage>& message,
                                    std::string_view baseUrl) const = 0;
  // An answer that is JSON: {id, channel}, or {id, name} of the bot, each a text. A failure is the platform's own word
  // for what was wrong, or "".
  virtual std::expected<doc::Document, std::string> result(int status, doc::DocumentView answer,
                                                           const std::optional<BotMessage>& message) const = 0;
};

// Null where there is none.
const BotPlatform* findPlatform(std::string_view name);

}  // namespace mb::integrations
