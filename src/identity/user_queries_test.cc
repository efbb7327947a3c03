#include "identity/user_queries.h"

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class UserQueriesTest : public IdentityFixture {
 protected:
  UserId add(const Realm& realm, std::string email, std::optional<std::string> name = {}) {
    clock_.advance(1);
    NewUser input{std::move(email), "correct horse", std::move(name), {}};
    const auto user = run(identity_.users().create(realm, std::move(input), admin(), soon()));
    EXPECT_TRUE(user);
    return user->id;
  }
  Result<UserPage> query(UserQuery asked, const Realm& realm) {
    return run(identity_.userQueries().run(realm, std::move(asked), soon()));
  }
  // The addresses before the "@", joined by blanks, and the total.
  std::string found(UserQuery asked) {
    const auto page = query(std::move(asked), shop());
    if (!page) return codeOf(page);
    std::string text;
    for (const UserView& user : page->users) text += user.email.substr(0, user.email.find('@')) + " ";
    return text + std::to_string(page->total);
  }
  std::string byText(std::string text) {
    UserQuery asked;
    asked.text = std::move(text);
    return found(std::move(asked));
  }
  static std::vector<doc::Document> sortBy(std::string_view json) {
    std::vector<doc::Document> keys;
    keys.push_back(*doc::parseJson(json));
    return keys;
  }
  static std::vector<std::string> pathsOf(const Error& error) {
    std::vector<std::string> paths;
    for (const ErrorDetail& each : error.details()) paths.push_back(each.path);
    return paths;
  }
};

TEST_F(UserQueriesTest, TextIsTheBeginningOfAddressOrName) {
  add(shop(), "ada@example.com", "Émile Noether");
  add(shop(), "emil@example.com");
  add(shop(), "Bob@Example.com", "Ada Byron");
  add(shop(), "é.x@example.com", "100% (sure)");
  add(other(), "ada@example.com");
  EXPECT_EQ(byText("ADA"), "ada Bob 2");
  EXPECT_EQ(byText("emil"), "ada emil 2");
  EXPECT_EQ(byText("ÉMILE n"), "ada 1");
  EXPECT_EQ(byText("bob@EX"), "Bob 1");
  EXPECT_EQ(byText("É."), "é.x 1");
  EXPECT_EQ(byText("noether"), "0");
  EXPECT_EQ(byText("100% ("), "é.x 1");
  EXPECT_EQ(byText("."), "0");
  EXPECT_EQ(byText(" \t "), "ada emil Bob é.x 4");
  EXPECT_EQ(byText("ada@example.com.more"), "0");
}

TEST_F(UserQueriesTest, NamesThatChangeAreFoundUnderTheNewOne) {
  const UserId id = add(shop(), "a@example.com", "Zoë");
  UserPatch patch;
  patch.name = {doc::Patch<std::string>::State::value, "Yara"};
  ASSERT_TRUE(run(identity_.users().patch(shop(), id, std::move(patch), admin(), soon())));
  EXPECT_EQ(byText("zoe"), "0");
  EXPECT_EQ(byText("yara"), "a 1");
  UserPatch clear;
  clear.name.state = doc::Patch<std::string>::State::null;
  ASSERT_TRUE(run(identity_.users().patch(shop(), id, std::move(clear), admin(), soon())));
  EXPECT_EQ(byText("yara"), "0");
  ASSERT_TRUE(run(identity_.users().addProven(shop(), "p@example.com", "Proven", soon())));
  EXPECT_EQ(byText("prov"), "p 1");
}

TEST_F(UserQueriesTest, FiltersByStatusRoleAndVerification) {
  const UserId a = add(shop(), "a@example.com", "A");
  const UserId b = add(shop(), "b@example.com", "A");
  add(shop(), "c@example.com");
  ASSERT_TRUE(setStatus(shop(), a, UserStatus::blocked));
  ASSERT_TRUE(setRole(shop(), b, "editor"));
  ASSERT_TRUE(run(identity_.users().addProven(shop(), "d@example.com", {}, soon())));
  UserQuery blocked;
  blocked.status = "blocked";
  EXPECT_EQ(found(std::move(blocked)), "a 1");
  UserQuery editors;
  editors.role = "editor";
  EXPECT_EQ(found(std::move(editors)), "b 1");
  UserQuery usual;
  usual.role = "user";
  EXPECT_EQ(found(std::move(usual)), "a c d 3");
  UserQuery verified;
  verified.emailVerified = true;
  EXPECT_EQ(found(std::move(verified)), "d 1");
  UserQuery all;
  all.text = "a";
  all.status = "active";
  all.role = "editor";
  all.emailVerified = false;
  EXPECT_EQ(found(std::move(all)), "b 1");
}

TEST_F(UserQueriesTest, SortsAndPages) {
  const UserId first = add(shop(), "b@example.com", "zoe");
  add(shop(), "a@example.com", "Ábel");
  add(shop(), "c@example.com");
  clock_.advance(10);
  ASSERT_TRUE(setStatus(shop(), first, UserStatus::inactive));
  const auto sorted = [&](std::string_view by) {
    UserQuery asked;
    asked.sort = sortBy(by);
    return found(std::move(asked));
  };
  EXPECT_EQ(found({}), "b a c 3");
  EXPECT_EQ(sorted(R"({"email":1})"), "a b c 3");
  EXPECT_EQ(sorted(R"({"name":-1})"), "b a c 3");
  EXPECT_EQ(sorted(R"({"name":1})"), "c a b 3");
  EXPECT_EQ(sorted(R"({"createdAt":-1})"), "c a b 3");
  EXPECT_EQ(sorted(R"({"updatedAt":-1})"), "b c a 3");
  EXPECT_EQ(sorted(R"({"id":-1})"), "c a b 3");

  std::string walked;
  std::optional<std::string> after;
  for (int pages = 0; pages < 4; ++pages) {
    UserQuery asked;
    asked.sort = sortBy(R"({"email":1})");
    asked.limit = 1;
    asked.after = after;
    const auto page = query(std::move(asked), shop());
    ASSERT_TRUE(page);
    EXPECT_EQ(page->total, 3);
    ASSERT_EQ(page->users.size(), 1u);
    walked += page->users[0].email.substr(0, 1);
    after = page->next;
    if (!after) break;
  }
  EXPECT_EQ(walked, "abc");
  UserQuery none;
  none.limit = 0;
  EXPECT_EQ(found(std::move(none)), "3");
}

TEST_F(UserQueriesTest, ACursorIsOfItsQueryAlone) {
  for (const Realm& realm : {shop(), other()}) {
    add(realm, "a@example.com", "x");
    add(realm, "b@example.com", "x");
  }
  UserQuery asked;
  asked.text = "x";
  asked.limit = 1;
  const auto page = query(UserQuery(asked), shop());
  ASSERT_TRUE(page && page->next);
  asked.after = page->next;
  EXPECT_TRUE(query(UserQuery(asked), shop()));
  EXPECT_EQ(codeOf(query(UserQuery(asked), other())), "INVALID_CURSOR");
  UserQuery sorted = asked;
  sorted.sort = sortBy(R"({"name":1})");
  EXPECT_EQ(codeOf(query(std::move(sorted), shop())), "INVALID_CURSOR");
  UserQuery filtered = asked;
  filtered.status = "active";
  EXPECT_EQ(codeOf(query(std::move(filtered), shop())), "INVALID_CURSOR");
  UserQuery longer = asked;
  longer.limit = 100;
  EXPECT_TRUE(query(std::move(longer), shop()));
  asked.after = "x";
  EXPECT_EQ(codeOf(query(std::move(asked), shop())), "INVALID_CURSOR");
}

TEST_F(UserQueriesTest, RefusesBadInputWithAllProblems) {
  UserQuery asked;
  asked.text = std::string(255, 'x');
  asked.status = "gone";
  asked.role = "";
  asked.limit = -1;
  asked.sort = sortBy(R"({"passwordHash":1})");
  asked.sort->push_back(*doc::parseJson(R"({"email":2})"));
  asked.sort->push_back(*doc::parseJson(R"({"email":1})"));
  asked.sort->push_back(*doc::parseJson(R"({"email":-1})"));
  asked.sort->push_back(*doc::parseJson(R"({"email":1,"name":1})"));
  const auto refused = query(std::move(asked), shop());
  ASSERT_FALSE(refused);
  EXPECT_EQ(codeOf(refused), "VALIDATION");
  EXPECT_EQ(pathsOf(refused.error()), (std::vector<std::string>{"/text", "/status", "/role", "/limit", "/sort/0",
                                                                "/sort/1", "/sort/3", "/sort/4"}));
  UserQuery many;
  many.sort.emplace(6, *doc::parseJson(R"({"email":1})"));
  const auto tooMany = query(std::move(many), shop());
  ASSERT_FALSE(tooMany);
  EXPECT_EQ(pathsOf(tooMany.error()), std::vector<std::string>{"/sort"});
}

}  // namespace
}  // namespace mb::identity
