#include "mail/message.h"

#include <gtest/gtest.h>

#include "base/crypto.h"

namespace mb::mail {
namespace {

Message plain() {
  Message message;
  message.from = {"Shop", "no-reply@shop.example"};
  message.to = {"", "ada@example.com"};
  message.subject = "Hello";
  message.text = "Hi\n";
  message.date = {1'767'225'600'000};
  message.id = "job_1";
  return message;
}

TEST(Message, OneTextIsOnePart) {
  EXPECT_EQ(*compose(plain()),
            "From: \"Shop\"\r\n <no-reply@shop.example>\r\n"
            "To: ada@example.com\r\n"
            "Subject: Hello\r\n"
            "Date: Thu, 1 Jan 2026 00:00:00 +0000\r\n"
            "Message-ID: <job_1@shop.example>\r\n"
            "Auto-Submitted: auto-generated\r\n"
            "MIME-Version: 1.0\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Content-Transfer-Encoding: quoted-printable\r\n"
            "\r\nHi\r\n");
}

TEST(Message, TwoTextsAreAlternatives) {
  Message message = plain();
  message.html = "<p>Hi</p>";
  message.replyTo = Address{"Ada \"the\" first", "ada@example.com"};
  message.automatic = false;
  const std::string data = *compose(message);
  EXPECT_NE(data.find("Reply-To: \"Ada \\\"the\\\" first\"\r\n <ada@example.com>\r\n"), std::string::npos);
  EXPECT_EQ(data.find("Auto-Submitted"), std::string::npos);
  EXPECT_NE(data.find("Content-Type: multipart/alternative; boundary=\"=_manybase\"\r\n\r\n--=_manybase\r\n"),
            std::string::npos);
  EXPECT_LT(data.find("text/plain"), data.find("text/html"));
  EXPECT_TRUE(data.ends_with("<p>Hi</p>\r\n\r\n--=_manybase--\r\n"));
}

TEST(Message, EveryLineIsShortAsciiThatEndsInCrlf) {
  Message message = plain();
  message.from.name = "Käsehändler Überall & Söhne 商店 with a rather long name that goes on";
  message.subject = std::string("Ünïcödé 😀 ") + std::string(200, 'x') + " ß";
  message.text = std::string(500, 'a') + " é\r\nsecond \nthird\t\n=?.\n.\n--=_manybase--\n";
  message.html = "<p>" + std::string(300, '=') + "</p>";
  const std::string data = *compose(message);
  size_t from = 0;
  while (from < data.size()) {
    const size_t end = data.find("\r\n", from);
    ASSERT_NE(end, std::string::npos);
    const std::string line = data.substr(from, end - from);
    EXPECT_LE(line.size(), 78u) << line;
    for (const char c : line) EXPECT_TRUE((c >= 0x20 && c < 0x7F) || c == '\t') << line;
    EXPECT_FALSE(line.ends_with(' ') || line.ends_with('\t')) << line;
    from = end + 2;
  }
  EXPECT_EQ(data.find("--=_manybase--\r\n"), data.size() - 16);
}

TEST(Message, NothingIsSmuggledIntoAHeader) {
  const auto refused = [](const std::function<void(Message&)>& change) {
    Message message = plain();
    change(message);
    return !compose(message);
  };
  EXPECT_TRUE(refused([](Message& m) { m.subject = "a\r\nBcc: all@example.com"; }));
  EXPECT_TRUE(refused([](Message& m) { m.subject = "a\nb"; }));
  EXPECT_TRUE(refused([](Message& m) { m.from.name = "a\rb"; }));
  EXPECT_TRUE(refused([](Message& m) { m.to.name = std::string("a\0b", 3); }));
  EXPECT_TRUE(refused([](Message& m) { m.to.email = "a@b.example\r\nBcc: c@d.example"; }));
  EXPECT_TRUE(refused([](Message& m) { m.replyTo = Address{"", "a@b, c@d"}; }));
  EXPECT_TRUE(refused([](Message& m) { m.id = "x>\r\ny"; }));
  EXPECT_TRUE(refused([](Message& m) { m.text.clear(); }));
}

TEST(Message, EncodedWords) {
  EXPECT_EQ(encodedText("plain text", 9), "plain text");
  EXPECT_EQ(encodedText("é", 9), "=?UTF-8?B?w6k=?=");
  EXPECT_EQ(encodedText("=?UTF-8?Q?x?=", 9), "=?UTF-8?B?PT9VVEYtOD9RP3g/PQ==?=");
  std::string long_;
  for (int i = 0; i < 60; ++i) long_ += "字";
  const std::string encoded = encodedText(long_, 9);
  std::string decoded;
  size_t lines = 0;
  for (size_t at = 0; at < encoded.size(); ++lines) {
    const size_t end = std::min(encoded.find("\r\n ", at), encoded.size());
    const std::string word = encoded.substr(at, end - at);
    EXPECT_LE(word.size() + (at == 0 ? 9 : 1), 76u);
    const std::string piece = *fromBase64(word.substr(10, word.size() - 12));
    EXPECT_EQ(piece.size() % 3, 0u) << "cut inside a character";
    decoded += piece;
    at = end + 3;
  }
  EXPECT_EQ(decoded, long_);
  EXPECT_GT(lines, 2u);
}

TEST(Message, QuotedPrintable) {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"a", "a\r\n"},
      {"a\nb\r\nc", "a\r\nb\r\nc\r\n"},
      {"a=b", "a=3Db\r\n"},
      {"end \n", "end=20\r\n"},
      {"end\t\r\n", "end=09\r\n"},
      {" a b", " a b\r\n"},
      {"é", "=C3=A9\r\n"},
      {"a\rb", "a=0Db\r\n"},
      {std::string("\0", 1), "=00\r\n"},
      {std::string(75, 'x'), std::string(75, 'x') + "\r\n"},
      {std::string(76, 'x'), std::string(75, 'x') + "=\r\nx\r\n"},
      {std::string(74, 'x') + "é", std::string(74, 'x') + "=\r\n=C3=A9\r\n"},
  };
  for (const auto& [text, encoded] : cases) EXPECT_EQ(quotedPrintable(text), encoded);
}

TEST(Message, Addresses) {
  for (const char* good : {"a@b", "ada.l+x@example.com", "ü@example.com", "a@[b"}) {
    EXPECT_EQ(isAddress(good), std::string_view(good) != "a@[b") << good;
  }
  for (const char* bad :
       {"", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\n", "<a@b>", "a@b,c", "\"a\"@b", "a;b@c", "a@b>"}) {
    EXPECT_FALSE(isAddress(bad)) << bad;
  }
  EXPECT_FALSE(isAddress(std::string(250, 'a') + "@b.example"));
  EXPECT_EQ(parseAddress(" a@b.example ")->email, "a@b.example");
  EXPECT_EQ(parseAddress("Shop & Co <a@b.example>")->name, "Shop & Co");
  EXPECT_EQ(parseAddress("\"Shop, Co\" <a@b.example> ")->name, "Shop, Co");
  EXPECT_EQ(parseAddress("<a@b.example>")->email, "a@b.example");
  for (const char* bad : {"", "Shop", "Shop <a@b.example", "Shop <>", "Shop a@b.example>", "a\n<a@b.example>"}) {
    EXPECT_FALSE(parseAddress(bad)) << bad;
  }
}

}  // namespace
}  // namespace mb::mail
