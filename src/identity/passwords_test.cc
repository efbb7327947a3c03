#include "identity/passwords.h"

#include <gtest/gtest.h>

#include "identity/email.h"
#include "store/testing/running.h"

namespace mb::identity {
namespace {

TEST(PasswordRules, CountCharactersAndKnowTheAddress) {
  const std::string address = "someone@example.com";
  EXPECT_FALSE(checkPasswordRules("", address));
  EXPECT_FALSE(checkPasswordRules("1234567", address));
  EXPECT_TRUE(checkPasswordRules("12345678", address));
  EXPECT_TRUE(checkPasswordRules(std::string(256, 'x'), address));
  EXPECT_FALSE(checkPasswordRules(std::string(257, 'x'), address));
  EXPECT_FALSE(checkPasswordRules(address, address));
  EXPECT_FALSE(checkPasswordRules("SomeOne@Example.com", address));
  // Eight characters of four bytes, and seven of them.
  EXPECT_TRUE(checkPasswordRules("🦊🦊🦊🦊🦊🦊🦊🦊", address));
  EXPECT_FALSE(checkPasswordRules("🦊🦊🦊🦊🦊🦊🦊", address));
}

TEST(Passwords, HashAndVerifyOffTheCore) {
  initCrypto();
  Cores cores(1);
  cores.start();
  Passwords passwords(2);
  const auto hash = store::testing::runOn(cores, 0, passwords.hash(Realm::platform(), "correct horse"));
  ASSERT_TRUE(hash);
  EXPECT_TRUE(hash->starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
  EXPECT_TRUE(*store::testing::runOn(cores, 0, passwords.verify(Realm::platform(), *hash, "correct horse")));
  EXPECT_FALSE(*store::testing::runOn(cores, 0, passwords.verify(Realm::platform(), *hash, "correct horsE")));
  EXPECT_FALSE(*store::testing::runOn(cores, 0, passwords.verify(Realm::platform(), "", "correct horse")));
  const auto again = store::testing::runOn(cores, 0, passwords.hash(Realm::platform(), "correct horse"));
  EXPECT_NE(*hash, *again);
  passwords.stop();
  const auto stopped = store::testing::runOn(cores, 0, passwords.hash(Realm::platform(), "correct horse"));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::unavailable);
  cores.stop();
  cores.join();
}

Realm projectRealm(std::string name) {
  return {.project = 0, .id = ProjectId(std::move(name)), .control = false};
}

TEST(Passwords, ProjectsTakeTurns) {
  initCrypto();
  Cores cores(1);
  Passwords passwords(2);
  std::vector<std::string> order;
  const auto start = [&](Realm realm, std::string name) {
    asio::co_spawn(cores.at(0), passwords.hash(std::move(realm), "correct horse"),
                   [&order, name](std::exception_ptr, const Result<std::string>& hash) {
                     EXPECT_TRUE(hash);
                     order.push_back(name);
                   });
  };
  for (int i = 0; i < 20; ++i) start(projectRealm("busy"), "busy");
  start(projectRealm("other"), "other");
  start(Realm::platform(), "platform");
  cores.start();
  cores.join();
  ASSERT_EQ(order.size(), 22u);
  EXPECT_EQ(order.back(), "busy") << "the others do not wait for all of the busy project";
}

struct AddressCase {
  const char* text;
  bool good;
};

TEST(Email, OnlyTheShapeIsChecked) {
  const AddressCase cases[] = {
      {"a@b.c", true},
      {"  a@b.c\n", true},
      {"first.last+tag@sub.example.com", true},
      {"a@localhost", true},
      {"grüße@exämple.de", true},
      {"o'brien@example.com", true},
      {"", false},
      {"@", false},
      {"a@", false},
      {"@b", false},
      {"a", false},
      {"a@b@c", false},
      {"a b@c.d", false},
      {"a@b..c", false},
      {"a@.b", false},
      {"a@b.", false},
      {".a@b.c", false},
      {"a..b@c.d", false},
      {"a@-b.c", false},
      {"a@b c", false},
      {"a,b@c.d", false},
      {"<a@b.c>", false},
      {"a\x01@b.c", false},
      {"a@b.c\r\nbcc: d@e.f", false},
  };
  for (const auto& [text, good] : cases) EXPECT_EQ(parseEmail(text).has_value(), good) << text;
  EXPECT_FALSE(parseEmail(std::string(65, 'a') + "@b.c"));
  EXPECT_FALSE(parseEmail("a@" + std::string(64, 'b') + ".c"));
  EXPECT_FALSE(parseEmail(std::string(300, 'a')));
  EXPECT_EQ(parseEmail(" A@B.C ")->text, "A@B.C");
  EXPECT_EQ(parseEmail(" A@B.C ")->key, "a@b.c");
}

}  // namespace
}  // namespace mb::identity
