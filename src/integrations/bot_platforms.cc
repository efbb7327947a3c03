#include "integrations/bot_platforms.h"

#include <algorithm>

#include "document/json.h"

namespace mb::integrations {

namespace {

using PlatformResult = std::expected<doc::Document, std::string>;
using Message = std::optional<BotMessage>;

bool isDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// A number or a text, as text.
std::string textAt(doc::DocumentView response, std::string_view path) {
  const auto value = response.findPath(path);
  if (!value) return {};
  if (value->type() == doc::BsonType::string) return std::string(value->asString());
  const auto number = value->isNumber() ? value->toInteger() : std::nullopt;
  return number ? std::to_string(*number) : std::string();
}

bool isTrue(doc::DocumentView response, std::string_view key) {
  const auto value = response.find(key);
  return value && value->type() == doc::BsonType::boolean && value->asBool();
}

doc::Document pairOf(std::string_view a, std::string_view aValue, std::string_view b, std::string_view bValue) {
  doc::BsonWriter out;
  out.appendString(a, aValue);
  out.appendString(b, bValue);
  return out.finish();
}

void setJson(outbound::Request& request, const doc::Document& body) {
  request.method = "POST";
  request.headers.push_back({"content-type", "application/json; charset=utf-8"});
  request.body = doc::toJson(body);
}

// core.telegram.org/bots/api: the token is in the path; {ok, result} or {ok: false, description}.
class Telegram final : public BotPlatform {
 public:
  std::string_view name() const override { return "telegram"; }
  std::string_view publicUrl() const override { return "https://api.telegram.org"; }
  const std::string& ownUrl(const BotSettings& settings) const override { return settings.telegramUrl; }
  size_t maxCharacters() const override { return 4096; }
  std::string_view channelProblem(std::string_view channel) const override {
    const bool number = isDigits(channel.substr(channel.starts_with('-') ? 1 : 0));
    const bool named = channel.size() > 1 && channel.starts_with('@');
    return number || named ? "" : "must be a chat's number, or @ and the name of a channel";
  }

  outbound::Request request(std::string_view token, const Message& message, std::string_view) const override {
    outbound::Request request;
    request.url = fmt::format("/bot{}/{}", token, message ? "sendMessage" : "getMe");
    if (message) setJson(request, pairOf("chat_id", message->channel, "text", message->text));
    return request;
  }

  PlatformResult result(int, doc::DocumentView response, const Message& message) const override {
    if (!isTrue(response, "ok")) return std::unexpected(textAt(response, "description"));
    if (!message) return pairOf("id", textAt(response, "result.id"), "name", textAt(response, "result.username"));
    return pairOf("id", textAt(response, "result.message_id"), "channel", textAt(response, "result.chat.id"));
  }
};

// docs.slack.dev/apis/web-api: a bearer token; {ok, …} or {ok: false, error}, both with status 200.
class Slack final : public BotPlatform {
 public:
  std::string_view name() const override { return "slack"; }
  std::string_view publicUrl() const override { return "https://slack.com"; }
  const std::string& ownUrl(const BotSettings& settings) const override { return settings.slackUrl; }
  size_t maxCharacters() const override { return 40'000; }
  std::string_view channelProblem(std::string_view) const override { return ""; }

  outbound::Request request(std::string_view token, const Message& message, std::string_view) const override {
    outbound::Request request;
    request.method = "POST";
    request.url = message ? "/api/chat.postMessage" : "/api/auth.test";
    request.headers.push_back({"authorization", fmt::format("Bearer {}", token)});
    if (message) setJson(request, pairOf("channel", message->channel, "text", message->text));
    return request;
  }

  PlatformResult result(int, doc::DocumentView response, const Message& message) const override {
    if (!isTrue(response, "ok")) return std::unexpected(textAt(response, "error"));
    if (!message) return pairOf("id", textAt(response, "user_id"), "name", textAt(response, "user"));
    return pairOf("id", textAt(response, "ts"), "channel", textAt(response, "channel"));
  }
};

// discord.com/developers/docs: a token of type Bot, a User-Agent in the documented form; the object itself with status
// 200, or {code, message}.
class Discord final : public BotPlatform {
 public:
  std::string_view name() const override { return "discord"; }
  std::string_view publicUrl() const override { return "https://discord.com"; }
  const std::string& ownUrl(const BotSettings& settings) const override { return settings.discordUrl; }
  size_t maxCharacters() const override { return 2000; }
  // The channel is part of the path.
  std::string_view channelProblem(std::string_view channel) const override {
    return isDigits(channel) && channel.size() <= 20 ? "" : "must be the number of a channel";
  }

  outbound::Request request(std::string_view token, const Message& message, std::string_view baseUrl) const override {
    outbound::Request request;
    request.url = message ? fmt::format("/api/v10/channels/{}/messages", message->channel) : "/api/v10/users/@me";
    request.headers.push_back({"authorization", fmt::format("Bot {}", token)});
    request.headers.push_back({"user-agent", fmt::format("DiscordBot ({}, 1)", baseUrl)});
    if (!message) return request;
    doc::BsonWriter body;
    body.appendString("content", message->text);
    setJson(request, body.finish());
    return request;
  }

  PlatformResult result(int status, doc::DocumentView response, const Message& message) const override {
    if (status < 200 || status >= 300) return std::unexpected(textAt(response, "message"));
    if (!message) return pairOf("id", textAt(response, "id"), "name", textAt(response, "username"));
    return pairOf("id", textAt(response, "id"), "channel", textAt(response, "channel_id"));
  }
};

const Telegram kTelegram;
const Slack kSlack;
const Discord kDiscord;
constexpr const BotPlatform* kPlatforms[] = {&kTelegram, &kSlack, &kDiscord};

}  // namespace

const BotPlatform* findPlatform(std::string_view name) {
  for (const BotPlatform* platform : kPlatforms) {
    if (platform->name() == name) return platform;
  }
  return nullptr;
}

}  // namespace mb::integrations
