#include "data/policy_claims.h"

#include "data/data_fixture.h"

namespace mb::data {
namespace {

constexpr const char* kTeam = R"({"read":{"filter":{"team":"$auth.token.team"}}})";

class PolicyClaimsTest : public DataTest {
 protected:
  Result<> setPolicy(const std::string& name, std::string_view policy) {
    return run(data_->collections().setPolicy(managing(), name, json(policy)));
  }
};

TEST_F(PolicyClaimsTest, UnknownOnesAreRefusedAtSave) {
  collection("notes");
  constexpr const char* kExpression = R"x({"create":{"validate":"has(auth.token.team)"}})x";
  for (const char* name : {"notes", "*"}) {
    for (const char* policy : {kTeam, kExpression}) {
      const auto refused = setPolicy(name, policy);
      expectError(ErrorCode::validation, refused);
      EXPECT_NE(std::string::npos, refused.error().message().find("emailVerified"));
    }
    expectOk(setPolicy(name, R"({"read":{"filter":{"a":"$auth.token.iat","b":"$auth.token.email"}}})"));
  }
  settings(R"({"tokenClaims":["team"]})");
  expectOk(setPolicy("notes", kTeam));
  expectOk(setPolicy("*", kTeam));
}

TEST_F(PolicyClaimsTest, StoredOnesLoadUnchanged) {
  settings(R"({"tokenClaims":["team"]})");
  collection("notes", kTeam);
  settings("{}");
  policy::Caller caller = user("user_c");
  expectError(ErrorCode::forbidden, get(caller, "notes", "n"));
  caller.claims = json(R"({"team":"red"})");
  expectError(ErrorCode::notFound, get(caller, "notes", "n"));
  // A change of the schema alone does not check the policy's claims again.
  expectOk(run(data_->collections().setSchema(managing(), "notes", json(R"({"type":"object"})"))));
  expectError(ErrorCode::validation, setPolicy("notes", kTeam));
}

TEST_F(PolicyClaimsTest, UsedOnesAreNotRemoved) {
  settings(R"({"tokenClaims":["team","plan"]})");
  collection("notes", kTeam);
  collection("other", R"({"read":{}})");
  const auto uses = [&](std::vector<std::string> claims) {
    std::vector<std::string> texts;
    for (const auto& use : *run(data_->collections().claimUses(snapshot(), std::move(claims)))) {
      texts.push_back(use.section + "/" + use.name + "/" + use.field + " " + use.text);
    }
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Texts(), uses({"plan"}));
  EXPECT_EQ(Texts({R"(collections/notes/policy the policy of "notes" uses the claim "team")"}), uses({"plan", "team"}));
  expectOk(setPolicy("notes", R"({"read":{}})"));
  EXPECT_EQ(Texts(), uses({"team"}));
  expectOk(setPolicy("*", kTeam));
  EXPECT_EQ(Texts({R"(collections/*/policy the default policy uses the claim "team")"}), uses({"team"}));
}

}  // namespace
}  // namespace mb::data
