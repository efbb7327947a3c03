#include <gmock/gmock.h>

#include "base/text.h"
#include "identity/records.h"
#include "integrations/integrations_fixture.h"

namespace mb::integrations {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Providers : public IntegrationsFixture {
 protected:
  void bot(std::string_view platform, std::string_view more = "") {
    created(fmt::format(
        R"({{"name":"{0}","provider":"bot","config":{{"platform":"{0}"{1}}},"secrets":{{"token":"12:To-ken_3"}}}})",
        platform, more));
  }
};

TEST_F(Providers, TheCatalogueShowsWhatIsAsked) {
  std::vector<std::string> names;
  for (const doc::Document& each : integrations_.catalogues()) {
    names.emplace_back(each.view().stringOr("provider"));
    for (const char* key : {"label", "config", "secrets", "ops"}) EXPECT_TRUE(each.view().find(key)) << key;
    for (const auto& [index, op] : each.view().find("ops")->asDocument()) {
      names.push_back("  " + std::string(op.asDocument().stringOr("name")));
      EXPECT_TRUE(op.asDocument().find("args"));
    }
  }
  EXPECT_THAT(names, ElementsAre("email", "  send", "bot", "  sendMessage", "  getMe", "http", "  get", "  post",
                                 "  put", "  patch", "  delete"));
}

// ---- email

TEST_F(Providers, AMailGoesToItsOwnServer) {
  created(R"({"name":"mail","provider":"email","config":{"from":"Shop <shop@example.com>","host":"smtp.example.com"},
              "secrets":{"username":"u","password":"p"}})");
  const std::string result = called("mail", "send", R"({"to":"a@example.org","subject":"Hi","text":"One\nTwo",
      "html":"<p>One</p>","replyTo":"Help <help@example.com>"})");
  EXPECT_THAT(result, ::testing::MatchesRegex(R"(\{"messageId":"<[0-9A-Za-z]+@example.com>"\})"));
  const outbound::MailMessage mail = outside_.mail();
  EXPECT_EQ(mail.server.host, "smtp.example.com");
  EXPECT_EQ(mail.server.port, 587);
  EXPECT_EQ(mail.server.tls, outbound::SmtpServer::Tls::required);
  EXPECT_EQ(mail.server.user, "u");
  EXPECT_EQ(mail.server.password.reveal(), "p");
  EXPECT_EQ(mail.trust, outbound::Trust::guarded);
  EXPECT_EQ(mail.from, "shop@example.com");
  EXPECT_THAT(mail.to, ElementsAre("a@example.org"));
  EXPECT_EQ(mail.timeout, kMaxCallTime);
  EXPECT_THAT(mail.keys.target, StartsWith("integration/int_"));
  EXPECT_THAT(mail.data, HasSubstr("From: \"Shop\"\r\n <shop@example.com>\r\n"));
  EXPECT_THAT(mail.data, HasSubstr("Reply-To: \"Help\"\r\n <help@example.com>\r\n"));
  EXPECT_THAT(mail.data, HasSubstr("Subject: Hi\r\n"));
}

TEST_F(Providers, ServersAreReachedAsTheConfigSays) {
  using Tls = outbound::SmtpServer::Tls;
  struct Case {
    std::string_view config;
    int port;
    Tls tls;
  };
  int count = 0;
  for (const auto& [config, port, tls] : std::vector<Case>{
           {"", 587, Tls::ifOffered},
           {R"(,"secure":false)", 587, Tls::ifOffered},
           {R"(,"secure":true)", 465, Tls::implicit},
           {R"(,"port":2525,"secure":true)", 2525, Tls::implicit},
           {R"(,"port":25)", 25, Tls::ifOffered},
       }) {
    const std::string name = fmt::format("mail-{}", ++count);
    created(fmt::format(R"({{"name":"{}","provider":"email","config":{{"from":"a@b.example","host":"h.example"{}}}}})",
                        name, config));
    EXPECT_THAT(called(name, "send", R"({"to":"x@y.example","subject":"","text":"t"})"), HasSubstr("messageId"));
    EXPECT_EQ(outside_.mail().server.port, port) << config;
    EXPECT_EQ(outside_.mail().server.tls, tls) << config;
    EXPECT_EQ(outside_.mail().server.user, "");
  }
}

TEST_F(Providers, MailsToSeveral) {
  created(R"({"name":"mail","provider":"email","config":{"from":"a@b.example","host":"h.example"}})");
  called("mail", "send", R"({"to":["x@y.example","z@y.example"],"subject":"s","html":"<b>"})");
  EXPECT_THAT(outside_.mail().to, ElementsAre("x@y.example", "z@y.example"));
  EXPECT_THAT(outside_.mail().data, HasSubstr("To: x@y.example,\r\n z@y.example\r\n"));
}

TEST_F(Providers, MailsThatAreNone) {
  created(R"({"name":"mail","provider":"email","config":{"from":"a@b.example","host":"h.example"}})");
  struct Case {
    std::string_view args, path;
  };
  for (const auto& [args, path] : std::vector<Case>{
           {R"({"subject":"s","text":"t"})", "/args/to"},
           {R"({"to":"x@y.example","text":"t"})", "/args/subject"},
           {R"({"to":"x@y.example","subject":"s"})", "/args/text"},
           {R"({"to":"x@y.example","subject":"s","text":"","html":""})", "/args/text"},
           {R"({"to":"x","subject":"s","text":"t"})", "/args/to"},
           {R"({"to":"x@y.example\r\nBcc: z@y.example","subject":"s","text":"t"})", "/args/to"},
           {R"({"to":"x@y.example, z@y.example","subject":"s","text":"t"})", "/args/to"},
           {R"({"to":["x@y.example","<z@y.example>"],"subject":"s","text":"t"})", "/args/to/1"},
           {R"({"to":[],"subject":"s","text":"t"})", "/args/to"},
           {R"({"to":7,"subject":"s","text":"t"})", "/args/to"},
           {R"({"to":"x@y.example","subject":"s\r\nBcc: z@y.example","text":"t"})", "/args/subject"},
           {R"({"to":"x@y.example","subject":"s\n","text":"t"})", "/args/subject"},
           {R"({"to":"x@y.example","subject":"s","text":"t","replyTo":"a\r\nBcc: z@y.example"})", "/args/replyTo"},
           {R"({"to":"x@y.example","subject":"s","text":"t","from":"x@y.example"})", "/args/from"},
           {R"({"to":"x@y.example","subject":"s","text":"t","bcc":"x@y.example"})", "/args/bcc"},
       }) {
    EXPECT_THAT(called("mail", "send", args), StartsWith(fmt::format("VALIDATION: {} ", path))) << args;
  }
  EXPECT_EQ(outside_.count(), 0u);
}

// ---- bots

TEST_F(Providers, Telegram) {
  bot("telegram", R"(,"defaultChannel":"-1001")");
  outside_.answerJson(200, R"({"ok":true,"result":{"message_id":7,"chat":{"id":-1001},"text":"Hi"}})");
  EXPECT_EQ(called("telegram", "sendMessage", R"({"text":"Hi"})"), R"({"id":"7","channel":"-1001"})");
  const outbound::Request sent = outside_.request();
  EXPECT_EQ(sent.method + " " + sent.url, "POST https://api.telegram.org/bot12:To-ken_3/sendMessage");
  EXPECT_EQ(sent.body, R"({"chat_id":"-1001","text":"Hi"})");
  EXPECT_EQ(sent.trust, outbound::Trust::guarded);
  EXPECT_EQ(sent.maxRedirects, 0);
  called("telegram", "sendMessage", R"({"text":"Hi","channel":42})");
  EXPECT_EQ(outside_.request().body, R"({"chat_id":"42","text":"Hi"})");
  outside_.answerJson(200, R"({"ok":true,"result":{"id":12,"is_bot":true,"username":"shop_bot"}})");
  EXPECT_EQ(called("telegram", "getMe"), R"({"id":"12","name":"shop_bot"})");
  EXPECT_EQ(outside_.request().method, "GET");
}

TEST_F(Providers, Slack) {
  bot("slack");
  outside_.answerJson(200, R"({"ok":true,"channel":"C1","ts":"1503435956.000247","message":{}})");
  EXPECT_EQ(called("slack", "sendMessage", R"({"text":"Hi","channel":"C1"})"),
            R"({"id":"1503435956.000247","channel":"C1"})");
  const outbound::Request sent = outside_.request();
  EXPECT_EQ(sent.method + " " + sent.url, "POST https://slack.com/api/chat.postMessage");
  EXPECT_EQ(header(sent, "authorization"), "Bearer 12:To-ken_3");
  EXPECT_EQ(header(sent, "content-type"), "application/json; charset=utf-8");
  EXPECT_EQ(sent.body, R"({"channel":"C1","text":"Hi"})");
  outside_.answerJson(200, R"({"ok":true,"user":"shop","user_id":"U1","team":"t"})");
  EXPECT_EQ(called("slack", "getMe"), R"({"id":"U1","name":"shop"})");
  EXPECT_EQ(outside_.request().url, "https://slack.com/api/auth.test");
}

TEST_F(Providers, Discord) {
  bot("discord", R"(,"defaultChannel":"123")");
  outside_.answerJson(200, R"({"id":"9","channel_id":"123","content":"Hi"})");
  EXPECT_EQ(called("discord", "sendMessage", R"({"text":"Hi"})"), R"({"id":"9","channel":"123"})");
  const outbound::Request sent = outside_.request();
  EXPECT_EQ(sent.method + " " + sent.url, "POST https://discord.com/api/v10/channels/123/messages");
  EXPECT_EQ(header(sent, "authorization"), "Bot 12:To-ken_3");
  EXPECT_THAT(header(sent, "user-agent"), StartsWith("DiscordBot (https://api.example.com, "));
  EXPECT_EQ(sent.body, R"({"content":"Hi"})");
  outside_.answerJson(200, R"({"id":"1","username":"shop"})");
  EXPECT_EQ(called("discord", "getMe"), R"({"id":"1","name":"shop"})");
  EXPECT_EQ(outside_.request().method + " " + outside_.request().url, "GET https://discord.com/api/v10/users/@me");
}

TEST_F(Providers, WhatAPlatformDoesNotDo) {
  bot("telegram");
  bot("slack");
  bot("discord");
  struct Case {
    std::string name;
    int status;
    std::string body;
    std::string said;
  };
  constexpr std::string_view kNot = "UPSTREAM_FAILED: the platform rejected the call";
  for (const auto& [name, status, body, said] : std::vector<Case>{
           {"telegram", 400, R"({"ok":false,"error_code":400,"description":"Bad Request: chat not found"})",
            ": chat not found"},
           {"telegram", 401, R"({"ok":false,"description":"Unauthorized"})", ": Unauthorized"},
           {"telegram", 200, R"({"ok":false,"description":"see https://evil.example/?x"})", ""},
           {"telegram", 200, R"({"ok":false,"description":"12:To-ken_3"})", ""},
           {"telegram", 200, R"({"ok":"true"})", ""},
           {"slack", 200, R"({"ok":false,"error":"channel_not_found"})", ": channel_not_found"},
           {"slack", 200, R"({"error":{}})", ""},
           {"discord", 403, R"({"message":"Missing Access","code":50001})", ": Missing Access"},
           {"discord", 302, R"({"message":"x/y"})", ""},
           {"discord", 500, "{}", ""},
       }) {
    outside_.answerJson(status, body);
    EXPECT_EQ(called(name, "sendMessage", R"({"text":"Hi","channel":"123"})"), std::string(kNot) + said) << body;
  }
  for (const std::string_view body : {"", "<html>", "[]", "{\"ok\":true"}) {
    outside_.answer(200, {}, std::string(body));
    EXPECT_EQ(called("slack", "getMe"), "UPSTREAM_FAILED: the platform sent an invalid response") << body;
  }
}

TEST_F(Providers, MessagesThatAreNone) {
  bot("telegram");
  bot("discord");
  struct Case {
    std::string name;
    std::string args, path;
  };
  for (const auto& [name, args, path] : std::vector<Case>{
           {"telegram", R"({"text":"Hi"})", "/args/channel"},
           {"telegram", R"({"text":"Hi","channel":"general"})", "/args/channel"},
           {"discord", R"({"text":"Hi","channel":"1/../2"})", "/args/channel"},
           {"discord", R"({"text":"Hi","channel":"@me"})", "/args/channel"},
           {"discord", R"({"text":"Hi","channel":-5})", "/args/channel"},
           {"discord", fmt::format(R"({{"text":"{}","channel":"5"}})", std::string(2001, 'x')), "/args/text"},
           {"telegram", fmt::format(R"({{"text":"{}","channel":"5"}})", std::string(4097, 'x')), "/args/text"},
           {"telegram", R"({"text":"","channel":"5"})", "/args/text"},
           {"telegram", R"({"channel":"5"})", "/args/text"},
       }) {
    EXPECT_THAT(called(name, "sendMessage", args), StartsWith(fmt::format("VALIDATION: {} ", path))) << args;
  }
  EXPECT_EQ(outside_.count(), 0u);
  created(R"({"name":"empty","provider":"bot","config":{"platform":"slack"}})");
  EXPECT_EQ(called("empty", "getMe"), "CONFLICT: the integration has no token");
}

// ---- http

TEST_F(Providers, HttpSendsWhatIsAskedAndItsSecrets) {
  created(R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example/v1",
              "headers":{"Accept":"application/json","X-Team":"shop"}},
              "secrets":{"authorization":"Bearer t","headers":{"X-Key":"k"}}})");
  called("api", "post", R"({"path":"/orders","query":{"dry":true},"headers":{"x-team":"mine","X-More":"1"},
                            "body":{"n":1}})");
  const outbound::Request sent = outside_.request();
  EXPECT_EQ(sent.method + " " + sent.url, "POST https://a.example/v1/orders?dry=true");
  EXPECT_EQ(sent.body, R"({"n":1})");
  std::vector<std::string> headers;
  for (const outbound::Header& each : sent.headers) headers.push_back(each.name + ": " + each.value);
  EXPECT_THAT(headers, ElementsAre("accept: application/json", "authorization: Bearer t",
                                   "content-type: application/json", "x-key: k", "x-more: 1", "x-team: mine"));
  EXPECT_EQ(sent.trust, outbound::Trust::publicOnly);
  EXPECT_EQ(sent.maxRedirects, 0);
  EXPECT_EQ(sent.maxResponseBytes, 1u << 20);
  for (const std::string op : {"get", "put", "patch", "delete"}) {
    called("api", op, R"({"path":"/"})");
    EXPECT_EQ(lowerAscii(outside_.request().method), op);
    EXPECT_EQ(outside_.request().body, "");
  }
  called("api", "put", R"({"path":"/","body":"<x/>","headers":{"content-type":"application/xml"}})");
  EXPECT_EQ(header(outside_.request(), "content-type"), "application/xml");
}

TEST_F(Providers, HttpArgumentsNeverTakeTheirPlace) {
  created(R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example"},
              "secrets":{"authorization":"Bearer t","headers":{"X-Key":"k"}}})");
  for (const std::string_view name : {"Authorization", "AUTHORIZATION", "x-key", "X-KEY", "Host", "content-length",
                                      "Transfer-Encoding", "Connection", "a b", "x\\r\\ny"}) {
    EXPECT_THAT(called("api", "get", fmt::format(R"({{"path":"/","headers":{{"{}":"x"}}}})", name)),
                StartsWith("VALIDATION: /args/headers/"))
        << name;
  }
  EXPECT_THAT(called("api", "get", R"({"path":"/","headers":{"x-a":"b\r\nx-key: c"}})"), StartsWith("VALIDATION: "));
  EXPECT_EQ(outside_.count(), 0u);
  created(R"({"name":"open","provider":"http","config":{"baseUrl":"https://a.example","allowPrivate":true}})");
  called("open", "get", R"({"path":"/","headers":{"Authorization":"Bearer of-the-caller"}})");
  EXPECT_EQ(header(outside_.request(), "authorization"), "Bearer of-the-caller");
  EXPECT_EQ(outside_.request().trust, outbound::Trust::guarded);
}

TEST_F(Providers, TheOperatorsOwnPlatforms) {
  BotSettings settings;
  settings.slackUrl = "http://127.0.0.1:9999";
  Outside outside;
  BotProvider provider(outside, settings, "https://api.example.com");
  IntegrationRecord record;
  record.integrationId = "int_x";
  record.config = json(R"({"platform":"slack"})");
  Call call{ProjectId("proj_x"), std::make_shared<const IntegrationRecord>(record), "getMe", {}, {}, kMaxCallTime, {}};
  call.secrets.set("token", Secret("t"));
  EXPECT_FALSE(run(provider.call(call)));
  EXPECT_EQ(outside.request().url, "http://127.0.0.1:9999/api/auth.test");
  EXPECT_EQ(outside.request().trust, outbound::Trust::deployment);
  record.config = json(R"({"platform":"telegram"})");
  call.integration = std::make_shared<const IntegrationRecord>(record);
  EXPECT_FALSE(run(provider.call(call)));
  EXPECT_EQ(outside.request().trust, outbound::Trust::guarded);
}

}  // namespace
}  // namespace mb::integrations
