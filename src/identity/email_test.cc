#include "identity/email.h"

#include "identity/identity_fixture.h"
#include "identity/recovery.h"

namespace mb::identity {
namespace {

// Each line is one address.
const std::vector<std::vector<std::string>> kSpellings = {
    {"É@x.test", "é@x.test", "e\u0301@x.test", "E\u0301@X.TEST"},
    {"ann@bücher.test", "ann@xn--bcher-kva.test", "Ann@BÜCHER.test", "ann@XN--BCHER-KVA.test",
     "ann@bu\u0308cher。test"},
    {"straße@x.test", "STRASSE@x.test", "strasse@x.test", "STRAẞE@x.test"},
    {"ａｎｎ@x.test", "ANN@x.test", "ann@ｘ.test"},
    {"ΣΑΣ@x.test", "σας@x.test", "σασ@x.test"},
};

TEST(EmailForm, SpellingsOfOneAddressHaveOneKey) {
  for (const auto& spellings : kSpellings) {
    for (const std::string& text : spellings) {
      const auto email = parseEmail("  " + text + " ");
      ASSERT_TRUE(email) << text;
      EXPECT_EQ(email->text, text);
      EXPECT_EQ(email->key, emailKey(spellings.front())) << text;
      EXPECT_EQ(emailKey(email->key), email->key) << text;
    }
  }
}

TEST(EmailForm, OtherAddressesHaveOtherKeys) {
  EXPECT_NE(emailKey("e@x.test"), emailKey("é@x.test"));
  EXPECT_NE(emailKey("ann@straße.test"), emailKey("ann@strasse.test"));  // UTS 46, as browsers and mail servers do
}

TEST(EmailForm, WhatIsInvisibleOrBecomesAnotherShapeIsRefused) {
  for (const char* text :
       {"a\u0085b@x.test", "a\u00a0b@x.test", "a\u200bb@x.test", "a\u202eb@x.test", "a@x\u2028.test", "a\ufeff@x.test",
        "a＠b@x.test", "a\u2024\u2024b@x.test", "a@xn--\u00df.test", "a@xn--9.test", "a@\u0301x.test", "\u3164@x.test",
        "a@x\u00ad\u0085.test", "\xff@x.test", "a@\xc3.test"}) {
    EXPECT_FALSE(parseEmail(text)) << text;
  }
  EXPECT_TRUE(parseEmail("a@ab--cd.test"));
}

class EmailsTest : public IdentityFixture {
 protected:
  // A user as versions before the normal form stored them.
  UserRecord storedBefore(const std::string& email) {
    auto user = *run(identity_.users().addProven(shop(), email, {}, soon()));
    user.emailKey = lowerAscii(email);
    put(user);
    return user;
  }
  void put(const UserRecord& user) { putDocument(targetOf(kShop, kUsers, user.id.str()), doc::encode(user)); }
  std::string foundBy(const std::string& email) {
    const auto user = *run(identity_.users().byEmail(shop(), email));
    return user ? user->id.str() : "";
  }
};

TEST_F(EmailsTest, SpellingsOfOneAddressAreOneAccount) {
  for (const auto& spellings : kSpellings) {
    const auto user = registerIn(shop(), spellings.front());
    ASSERT_TRUE(user);
    EXPECT_EQ(user->email, spellings.front());
    for (const std::string& text : spellings) {
      EXPECT_EQ(codeOf(registerIn(shop(), text)), "EMAIL_TAKEN") << text;
      EXPECT_EQ(codeOf(run(identity_.users().create(shop(), {text, "correct horse", {}, {}}, admin(), soon()))),
                "EMAIL_TAKEN")
          << text;
      EXPECT_EQ(codeOf(run(identity_.users().addProven(shop(), text, {}, soon()))), "EMAIL_TAKEN") << text;
      EXPECT_TRUE(login(shop(), text)) << text;
    }
  }
}

TEST_F(EmailsTest, APasswordIsNotTheAddressHoweverItIsSpelled) {
  EXPECT_EQ(codeOf(registerIn(shop(), "straße@bücher.test", "STRASSE@bücher.test")), "VALIDATION");
}

TEST_F(EmailsTest, AccountsFromBeforeTheNormalFormAreFoundByTheirOwnSpelling) {
  const UserRecord upper = storedBefore("É@x.test");
  const UserRecord lower = storedBefore("é@x.test");
  EXPECT_EQ(foundBy("É@x.test"), upper.id.str());
  EXPECT_EQ(foundBy("É@X.test"), upper.id.str());
  EXPECT_EQ(foundBy("é@x.test"), lower.id.str());
  EXPECT_EQ(codeOf(registerIn(shop(), "É@x.test")), "EMAIL_TAKEN");
}

TEST_F(EmailsTest, SavingTheSameAddressMovesAnAccountToTheNormalForm) {
  const UserRecord user = storedBefore("É@x.test");
  UserPatch patch;
  patch.email = "É@x.test";
  ASSERT_TRUE(run(identity_.users().patch(shop(), user.id, std::move(patch), admin(), soon())));
  EXPECT_EQ(foundBy("é@x.test"), user.id.str());
  EXPECT_TRUE(run(identity_.users().get(shop(), user.id)).value()->emailVerified);
}

TEST_F(EmailsTest, TheCommandFindsAccountsByPartsOfAddresses) {
  ASSERT_TRUE(registerIn(shop(), "Ann@Bücher.test"));
  Recovery recovery({store_, clock_, auditor_});
  for (const char* part : {"ann@", "ANN", "bücher", "@BÜCHER.test", "xn--bcher", "ann@xn--bcher-kva.test"}) {
    EXPECT_EQ(run(recovery.list(shop(), {part, "", 50}, soon()))->size(), 1U) << part;
  }
  EXPECT_TRUE(run(recovery.find(shop(), "ANN@XN--bcher-kva.test")));
  EXPECT_EQ(run(recovery.list(shop(), {"bob", "", 50}, soon()))->size(), 0U);
}

}  // namespace
}  // namespace mb::identity
