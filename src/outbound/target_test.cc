#include "outbound/target.h"

#include <gtest/gtest.h>

namespace mb::outbound {
namespace {

struct Origin {
  std::string_view url;
  std::string_view origin;
};
constexpr Origin kGood[] = {
    {"https://example.com", "https://example.com"},
    {"https://Example.COM:443/a?b=c#d", "https://example.com"},
    {"http://example.com:80/", "http://example.com"},
    {"http://example.com:8080", "http://example.com:8080"},
    {"https://example.com:80/", "https://example.com:80"},
    {"HTTPS://example.com/%20", "https://example.com"},
    {"http://[2001:db8::1]:81/x", "http://[2001:db8::1]:81"},
    {"http://0x7f.1/", "http://127.0.0.1"},
    {"http://2130706433", "http://127.0.0.1"},
    {"http://017700000001/", "http://127.0.0.1"},
    {"https://example.com/a@b:c", "https://example.com"},
};
constexpr std::string_view kBad[] = {
    "",
    "example.com",
    "//example.com/",
    "/path",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "dict://example.com:11111/",
    "unix:///run/x.sock",
    "http://",
    "http:///example.com",
    "http:/example.com",
    "http:example.com",
    "http:\\\\example.com",
    "http://example.com\\@other.example/",
    "http://user@example.com/",
    "http://user:secret@example.com/",
    "http://@example.com:x/",
    "http://example.com:99999/",
    "http://exa mple.com/",
    "http://example.com/a b",
    "http://example.com/\r\nx: y",
    "http://example.com/\t",
    " http://example.com/",
    "http://[::1/",
    "http://[fe80::1%25]x/",
    "http://exam\x7Fple.com/",
};

TEST(Target, OriginsOfWhatMayBeCalled) {
  for (const auto& [url, origin] : kGood) {
    const auto got = originOf(url);
    ASSERT_TRUE(got) << url << ": " << got.error().message();
    EXPECT_EQ(*got, origin) << url;
  }
}

TEST(Target, RefusesTheRest) {
  for (const std::string_view url : kBad) EXPECT_FALSE(originOf(url)) << url;
  EXPECT_FALSE(originOf("https://example.com/" + std::string(9000, 'a')));
  EXPECT_FALSE(originOf(std::string_view("http://example.com/\0x", 21)));
}

TEST(Target, RedirectsResolve) {
  const Target base = *parseTarget("https://example.com/a/b?c");
  EXPECT_EQ(resolveTarget(base, "d")->url, "https://example.com/a/d");
  EXPECT_EQ(resolveTarget(base, "/x?y#z")->url, "https://example.com/x?y");
  EXPECT_EQ(resolveTarget(base, "//other.example/p")->origin, "https://other.example");
  EXPECT_EQ(resolveTarget(base, "http://other.example/p")->scheme, "http");
  for (const std::string_view bad :
       {"", "file:///etc/passwd", "https://u:p@example.com/", "\\\\x", "https://", "a b"}) {
    EXPECT_FALSE(resolveTarget(base, bad)) << bad;
  }
}

struct Smtp {
  std::string_view url;
  std::string_view host;
  int port;
  SmtpServer::Tls tls;
  std::string_view user;
  std::string_view password;
};
constexpr Smtp kServers[] = {
    {"smtp://mail.example.com", "mail.example.com", 587, SmtpServer::Tls::ifOffered, "", ""},
    {"smtp://mail.example.com:25/", "mail.example.com", 25, SmtpServer::Tls::ifOffered, "", ""},
    {"smtp://u:p@mail.example.com", "mail.example.com", 587, SmtpServer::Tls::required, "u", "p"},
    {"smtps://a%40b.example:p%3A%40%2F@h:2465", "h", 2465, SmtpServer::Tls::implicit, "a@b.example", "p:@/"},
    {"smtps://h", "h", 465, SmtpServer::Tls::implicit, "", ""},
    {"smtp://[::1]:2525", "[::1]", 2525, SmtpServer::Tls::ifOffered, "", ""},
};

TEST(Target, MailServers) {
  for (const Smtp& wanted : kServers) {
    const auto server = parseSmtpUrl(wanted.url);
    ASSERT_TRUE(server) << wanted.url << ": " << server.error().message();
    EXPECT_EQ(server->host, wanted.host);
    EXPECT_EQ(server->port, wanted.port);
    EXPECT_EQ(server->tls, wanted.tls);
    EXPECT_EQ(server->user, wanted.user);
    EXPECT_EQ(server->password.reveal(), wanted.password);
    EXPECT_TRUE(smtpUrl(*server)) << wanted.url;
  }
}

TEST(Target, WrongMailServersAreRefusedWithoutTheirPassword) {
  for (const std::string_view url :
       {"", "mail.example.com", "mail.example.com:25", "http://mail.example.com", "smtp://", "smtp:///x",
        "smtp://h/hidden", "smtp://h?hidden", "smtp://h#hidden", "smtp://u@h", "smtp://:hidden@h", "smtp://u:hidden@",
        "smtp://h:0x", "smtp://h:70000", "smtp://u:hidden@h:1/x", "smtp://u%0d:hidden@h", "smtp://u;AUTH=NTLM:hidden@h",
        "smtp://a b"}) {
    const auto server = parseSmtpUrl(url);
    ASSERT_FALSE(server) << url;
    EXPECT_EQ(server.error().message().find("hidden"), std::string::npos) << url;
  }
}

}  // namespace
}  // namespace mb::outbound
