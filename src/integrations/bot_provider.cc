#include "integrations/bot_provider.h"

#include "base/text.h"
#include "document/json.h"
#include "identity/records.h"
#include "integrations/bot_platforms.h"

namespace mb::integrations {

namespace {

constexpr size_t kMaxBotResponse = 256 << 10;
constexpr size_t kMaxReason = 100;

constexpr std::string_view kBotCatalogue = R"json({
  "provider": "bot",
  "label": "Messaging bot",
  "config": {
    "platform": {"type": "string", "enum": ["telegram", "slack", "discord"], "required": true},
    "defaultChannel": {"type": "string", "minLength": 1, "maxLength": 128,
                       "description": "default channel of messages"}
  },
  "secrets": ["token"],
  "ops": [{
    "name": "sendMessage",
    "args": {
      "channel": {"type": ["string", "integer"], "minLength": 1, "maxLength": 128,
                  "description": "a chat (Telegram), a channel or user (Slack), a channel's number (Discord)"},
      "text": {"type": "string", "minLength": 1, "maxLength": 40000, "required": true,
               "description": "at most 4096 characters (Telegram), 40000 (Slack), 2000 (Discord)"}
    }
  }, {
    "name": "getMe",
    "args": {}
  }]
})json";

const BotPlatform& platformOf(doc::DocumentView config) {
  return *findPlatform(config.stringOr("platform"));
}

// "" where neither the call nor the integration has one.
std::string channelOf(doc::DocumentView config, doc::DocumentView args) {
  const auto given = args.find("channel");
  if (!given) return textOr(config, "defaultChannel");
  if (given->type() == doc::BsonType::string) return std::string(given->asString());
  return std::to_string(given->toInteger().value_or(0));
}

// The platform's reason, if it can be passed on: short, harmless and without the token.
std::string reasonOf(const std::string& word, std::string_view token) {
  const bool plain = !word.empty() && word.size() <= kMaxReason && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == ' ' || c == '_' || c == '-' || c == '\'';
  });
  const bool colons = word.starts_with("Bad Request: ") || word.starts_with("Forbidden: ");
  if (colons) return reasonOf(word.substr(word.find(':') + 2), token);
  return plain && !word.contains(token) ? ": " + word : "";
}

Result<std::string> addressOf(std::string_view text) {
  if (text.empty()) return std::string();
  TRY(std::string origin, outbound::originOf(text));
  return origin;
}

std::string settingOf(Settings& settings, std::string_view name, std::string_view platform) {
  return settings.parsed<std::string>(
      name, "", fmt::format("origin of {}'s API where it is not the public service", platform), addressOf);
}

}  // namespace

BotSettings::BotSettings(Settings& settings)
    : telegramUrl(settingOf(settings, "SERVICE_BOT_TELEGRAM_URL", "Telegram")),
      slackUrl(settingOf(settings, "SERVICE_BOT_SLACK_URL", "Slack")),
      discordUrl(settingOf(settings, "SERVICE_BOT_DISCORD_URL", "Discord")) {}

BotProvider::BotProvider(outbound::Outbound& outbound, BotSettings settings, std::string baseUrl)
    : Provider(kBotCatalogue), outbound_(outbound), settings_(std::move(settings)), baseUrl_(std::move(baseUrl)) {}

void BotProvider::checkConfig(doc::DocumentView config, Problems& problems) const {
  // A variable without a value may name the platform.
  const BotPlatform* platform = findPlatform(config.stringOr("platform"));
  if (!platform || !config.find("defaultChannel")) return;
  const std::string_view problem = platform->channelProblem(config.stringOr("defaultChannel"));
  if (!problem.empty()) problems.push_back({"/config/defaultChannel", std::string(problem)});
}

// The token becomes part of a path or a header.
void BotProvider::checkSecrets(const SecretEdit& given, Problems& problems) const {
  const auto token = given.texts.find("token");
  if (token == given.texts.end() || !token->second) return;
  const bool plain = std::ranges::all_of(token->second->reveal(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == ':' || c == '_' || c == '-' || c == '.';
  });
  if (!plain) problems.push_back({"/secrets/token", "is not a valid bot token"});
}

void BotProvider::checkArguments(const IntegrationRecord& integration, std::string_view op, doc::DocumentView args,
                                 Problems& problems) const {
  if (op != "sendMessage") return;
  const BotPlatform& platform = platformOf(integration.config);
  const std::string channel = channelOf(integration.config, args);
  if (channel.empty()) {
    problems.push_back({"/args/channel", "is required, since the integration has no defaultChannel"});
  } else if (const std::string_view problem = platform.channelProblem(channel); !problem.empty()) {
    problems.push_back({"/args/channel", std::string(problem)});
  }
  if (codePoints(args.stringOr("text")) > platform.maxCharacters()) {
    problems.push_back({"/args/text", fmt::format("must have at most {} characters", platform.maxCharacters())});
  }
}

std::string BotProvider::destination(doc::DocumentView config) const {
  return textOr(config, "platform");
}

Task<doc::Value> BotProvider::call(Call call) {
  const doc::DocumentView config = call.integration->config;
  const BotPlatform& platform = platformOf(config);
  const std::string_view token = call.secrets.text("token");
  if (token.empty()) co_return fail(ErrorCode::conflict, "the integration has no token");
  std::optional<BotMessage> message;
  if (call.op == "sendMessage") message = {channelOf(config, call.arguments), textOr(call.arguments, "text")};
  outbound::Request request = platform.request(token, message, baseUrl_);
  const std::string& own = platform.ownUrl(settings_);
  request.url = (own.empty() ? std::string(platform.publicUrl()) : own) + request.url;
  request.trust = own.empty() ? outbound::Trust::guarded : outbound::Trust::deployment;
  request.timeout = call.timeout;
  request.connectTimeout = std::min(request.connectTimeout, call.timeout);
  request.maxResponseBytes = kMaxBotResponse;
  request.keys = call.keys();
  request.aborted = call.aborted;
  CO_TRY(const outbound::Response response, co_await outbound_.send(std::move(request)));
  const auto parsed = doc::parseJson(response.body, {.extended = doc::ExtendedJson::refuse});
  if (!parsed) co_return fail(ErrorCode::upstreamFailed, "the platform sent an invalid response");
  auto result = platform.result(response.status, *parsed, message);
  if (!result) {
    co_return fail(ErrorCode::upstreamFailed, "the platform rejected the call" + reasonOf(result.error(), token));
  }
  co_return valueOf(*result);
}

}  // namespace mb::integrations
