// Imports: their effects, refusals and permissions.
#include <gmock/gmock.h>

#include "configuration/configuration_fixture.h"

namespace mb::configuration {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Import : public ConfigurationFixture {
 protected:
  void givenProject(std::string_view sections) {
    const auto done = import(shop_, with(sections));
    EXPECT_TRUE(done) << done.error().message();
  }
};

TEST_F(Import, EmptyProjectsExportTheirNameAndTheSectionsThatAreAlwaysThere) {
  EXPECT_EQ(exported(shop_),
            R"({"formatVersion":1,"exportedAt":"2027-01-15T08:00:00.000Z","serverVersion":"1.2.3",)"
            R"("project":{"name":"Shop"},"collections":[],"roles":[],"enduserRoles":[],"functions":[],)"
            R"("integrations":[],"webhooks":[]})");
}

TEST_F(Import, MakesWhatIsMissingAndThenFindsItUnchanged) {
  const Text document = with(
      R"("collections":[{"name":"*","policy":{"read":{}}},{"name":"posts","schema":{"type":"object"},
         "policy":{"list":{}},"indexes":[{"keys":{"b":1,"a":-1},"unique":true}]}],
         "roles":[{"name":"Writer","permissions":["data:posts:*"]}],
         "enduserRoles":[{"name":"Guest","permissions":["data:posts:read"]}],
         "oauth":{"providers":[{"provider":"google","clientId":"abc","enabled":true}],
                  "allowedRedirects":["https://app.example.com"]})");
  const auto planned = plan(shop_, document);
  EXPECT_EQ(summary(planned), "6 0 0");
  EXPECT_FALSE(planned->view().find("applied"));
  EXPECT_THAT(auditActions(shop_), ElementsAre());

  const auto done = import(shop_, document);
  EXPECT_EQ(summary(done), "6 0 0");
  EXPECT_TRUE(done->view().find("applied")->asBool());
  EXPECT_THAT(auditActions(shop_),
              ElementsAre("config.import", "collection.create", "policy.set", "schema.set", "policy.set",
                          "index.create", "role.created", "role.created", "oauth.redirects", "oauth.provider"));
  EXPECT_THAT(
      exported(shop_),
      HasSubstr(R"("collections":[{"name":"*","policy":{"read":{}}},{"name":"posts","schema":{"type":"object"},)"
                R"("policy":{"list":{}},"indexes":[{"name":"b_1_a_-1","keys":{"b":1,"a":-1},"unique":true}]}])"));
  EXPECT_EQ(summary(import(shop_, document)), "0 0 6");
  EXPECT_EQ(summary(import(shop_, exported(shop_))), "0 0 6");
}

TEST_F(Import, ShowsEachChangeBeforeAndAfter) {
  givenProject(R"("roles":[{"name":"Writer","permissions":["audit:read"]}])");
  const auto planned = plan(shop_, with(R"("roles":[{"name":"Writer","permissions":["keys:read","audit:read"]},
                                                    {"name":"Reader","permissions":[]}])"));
  ASSERT_TRUE(planned);
  EXPECT_EQ(doc::toJson(*planned),
            R"({"plan":{"changes":[{"section":"roles","name":"Reader","action":"create","before":null,)"
            R"("after":{"name":"Reader","permissions":[]}},{"section":"roles","name":"Writer","action":"update",)"
            R"("before":{"name":"Writer","permissions":["audit:read"]},)"
            R"("after":{"name":"Writer","permissions":["audit:read","keys:read"]}}],)"
            R"("summary":{"create":1,"update":1,"unchanged":0}},"problems":[]})");
}

TEST_F(Import, NeverDeletes) {
  givenProject(R"("collections":[{"name":"kept"},{"name":"posts","schema":{"type":"object"},"policy":{"read":{}},
                "indexes":[{"keys":{"a":1}}]}],
              "roles":[{"name":"Kept","permissions":[]}],
              "oauth":{"providers":[{"provider":"github","clientId":"kept","enabled":false}],
                       "allowedRedirects":["https://kept.example.com"]})");
  const auto done = import(shop_, with(R"("collections":[{"name":"posts","indexes":[{"keys":{"b":1}}]}],"roles":[],
                                          "oauth":{"allowedRedirects":["https://app.example.com"]})"));
  EXPECT_EQ(summary(done), "0 2 0");
  const Text now = exported(shop_);
  for (const auto* part : {R"("name":"kept")", R"("schema":{"type":"object"})", R"("policy":{"read":{}})", "a_1", "b_1",
                           R"("name":"Kept")", R"("clientId":"kept")",
                           R"("allowedRedirects":["https://app.example.com","https://kept.example.com"])"}) {
    EXPECT_THAT(now, HasSubstr(part));
  }
}

TEST_F(Import, NullClearsASchemaAndAPolicy) {
  givenProject(R"("collections":[{"name":"*","policy":{"read":{}}},
                             {"name":"posts","schema":{"type":"object"},"policy":{"read":{}}}])");
  EXPECT_EQ(summary(import(shop_, with(R"("collections":[{"name":"*","policy":null},
                                                         {"name":"posts","schema":null,"policy":null}])"))),
            "0 2 0");
  EXPECT_THAT(exported(shop_), HasSubstr(R"("collections":[{"name":"posts","indexes":[]}])"));
}

TEST_F(Import, RefusesSchemasThatRevealWhatPoliciesHide) {
  constexpr std::string_view kUnique = R"("schema":{"properties":{"items":{"uniqueItems":true}}})";
  constexpr std::string_view kHiding = R"("policy":{"read":{"deniedReadFields":["items.cost"]}})";
  const auto problems = [&](std::string_view collections) {
    return problemsOf(plan(shop_, with(fmt::format(R"("collections":[{}])", collections))));
  };
  const auto reveals = HasSubstr("\"/properties/items/uniqueItems\" of the schema would reveal \"items.cost\"");
  const auto at = [&](const char* pointer) {
    return ElementsAre(::testing::AllOf(::testing::StartsWith(pointer), reveals));
  };
  EXPECT_THAT(problems(fmt::format(R"({{"name":"posts",{},{}}})", kUnique, kHiding)),
              at("/collections/0/schema/properties/items/uniqueItems: "));
  givenProject(fmt::format(R"("collections":[{{"name":"a",{}}},{{"name":"b",{}}}])", kUnique, kHiding));
  EXPECT_THAT(problems(fmt::format(R"({{"name":"a",{}}})", kHiding)),
              at("/collections/0/policy/read/deniedReadFields/0: "));
  EXPECT_THAT(problems(fmt::format(R"({{"name":"b",{}}})", kUnique)),
              at("/collections/0/schema/properties/items/uniqueItems: "));
  EXPECT_THAT(problems(fmt::format(R"({{"name":"b",{},"policy":null}})", kUnique)), ElementsAre());
  // The default policy applies to a collection without a policy.
  EXPECT_THAT(problems(fmt::format(R"({{"name":"*",{}}})", kHiding)), at("/collections/0/policy: collection \"a\": "));
  EXPECT_THAT(problems(fmt::format(R"({{"name":"*",{}}},{{"name":"a","policy":{{}}}})", kHiding)), ElementsAre());
  EXPECT_THAT(
      problems(fmt::format(R"({{"name":"a","policy":{{}}}},{{"name":"*",{}}},{{"name":"c",{}}})", kHiding, kUnique)),
      at("/collections/2/schema: collection \"c\": "));
}

TEST_F(Import, ChangesSchemaAndPolicyThatFitEachOtherOnly) {
  givenProject(R"("collections":[{"name":"posts","schema":{"properties":{"n":{"type":"string"}}},
                              "policy":{"create":{"validate":"document.n == 'x'"}}}])");
  const auto alone = plan(shop_, with(R"("collections":[{"name":"posts",
                                            "schema":{"properties":{"n":{"type":"integer"}}}}])"));
  EXPECT_THAT(problemsOf(alone), ElementsAre(HasSubstr("/collections/0/schema: does not fit the policy")));
  EXPECT_EQ(summary(import(shop_, with(R"("collections":[{"name":"posts",
                                             "schema":{"properties":{"n":{"type":"integer"}}},
                                             "policy":{"create":{"validate":"document.n == 1"}}}])"))),
            "0 1 0");
}

TEST_F(Import, BuildsAnIndexOfAnotherShapeAnew) {
  givenProject(R"("collections":[{"name":"posts","indexes":[{"name":"main","keys":{"a":1}},{"keys":{"x.y":1}}]}])");
  const Text document = with(R"("collections":[{"name":"posts","indexes":[
      {"name":"main","keys":{"a":1},"unique":true,"include":["b","c.d"]},{"name":"x.y_1","keys":{"x.y":1}}]}])");
  EXPECT_EQ(summary(import(shop_, document)), "0 1 0");
  EXPECT_EQ(summary(plan(shop_, document)), "0 0 1");
  EXPECT_THAT(exported(shop_), HasSubstr(R"({"name":"main","keys":{"a":1},"unique":true,"include":["b","c.d"]})"));
}

TEST_F(Import, KeepsTheClientSecretThatWasEntered) {
  const auto now = snapshot(shop_);
  ASSERT_TRUE(run(
      identity_.oauthConfigs().setProvider(now, "google", {"abc", true, "the-secret", std::nullopt}, admin(), soon())));
  EXPECT_THAT(exported(shop_), ::testing::Not(HasSubstr("ecret")));
  givenProject(R"("oauth":{"providers":[{"provider":"google","clientId":"new","enabled":true}]})");
  const auto& config = snapshot(shop_)->get(identity_.slots().oauth);
  EXPECT_EQ(config.providers.at("google").clientId, "new");
  EXPECT_FALSE(config.providers.at("google").secret.empty());
}

TEST_F(Import, TellsEveryProblemAtOnceAndDoesNothing) {
  const Text document = with(
      R"("collections":[{"name":"good"},{"name":"bad","schema":{"typ":"object"},"policy":{"read":{"filtre":{}}}}],
         "roles":[{"name":"Owner","permissions":[]},{"name":"Odd","permissions":["a b",""]}],
         "functions":[{"name":"later"}],
         "oauth":{"providers":[{"provider":"myspace","clientId":"x","enabled":true,"clientSecret":"s"}]})");
  for (const auto& answer : {plan(shop_, document), import(shop_, document)}) {
    EXPECT_EQ(codeOf(answer), "VALIDATION");
    EXPECT_THAT(problemsOf(answer), ::testing::UnorderedElementsAre(
                                        HasSubstr("/oauth/providers/0/clientSecret: secrets are never imported"),
                                        HasSubstr("/functions: must be empty"), HasSubstr("/collections/1/schema/typ"),
                                        HasSubstr("/roles/0/name"), HasSubstr("/roles/1/permissions/0"),
                                        HasSubstr("/roles/1/permissions/1")));
  }
  EXPECT_THAT(auditActions(shop_), ElementsAre());
}

TEST_F(Import, RefusesWhatIsWrong) {
  givenProject(R"("collections":[{"name":"Posts"}],"roles":[{"name":"Writer","permissions":[]}])");
  const struct {
    const char* document;
    const char* pointer;
  } cases[] = {
      {R"({})", "/formatVersion"},
      {R"({"formatVersion":2})", "/formatVersion"},
      {R"({"formatVersion":"1"})", "/formatVersion"},
      {R"({"formatVersion":1,"extra":[]})", "/extra"},
      {R"({"formatVersion":1,"exportedAt":5})", "/exportedAt"},
      {R"({"formatVersion":1,"project":"Shop"})", "/project"},
      {R"({"formatVersion":1,"project":{"name":5}})", "/project/name"},
      {R"({"formatVersion":1,"project":{"id":"x"}})", "/project/id"},
      {R"({"formatVersion":1,"collections":{}})", "/collections"},
      {R"({"formatVersion":1,"collections":"posts"})", "/collections"},
      {R"({"formatVersion":1,"oauth":[]})", "/oauth"},
      {R"({"formatVersion":1,"webhooks":[{"name":"w"}]})", "/webhooks"},
      {R"({"formatVersion":1,"vectors":[{"collection":"c"}]})", "/vectors"},
      {R"({"formatVersion":1,"buckets":[{"name":"b","access":"public"}]})", "/buckets"},
      {R"({"formatVersion":1,"integrations":[{"config":{"deep":[{"secretEnc":"x"}]}}]})",
       "/integrations/0/config/deep/0/secretEnc"},
      {R"({"formatVersion":1,"clientSecret":null})", "/clientSecret"},
      // collections
      {R"({"formatVersion":1,"collections":["posts"]})", "/collections/0"},
      {R"({"formatVersion":1,"collections":[{}]})", "/collections/0/name"},
      {R"({"formatVersion":1,"collections":[{"name":5}]})", "/collections/0/name"},
      {R"({"formatVersion":1,"collections":[{"name":"9lives"}]})", "/collections/0/name"},
      {R"({"formatVersion":1,"collections":[{"name":"users"}]})", "/collections/0/name"},
      {R"({"formatVersion":1,"collections":[{"name":"__x"}]})", "/collections/0/name"},
      {R"({"formatVersion":1,"collections":[{"name":"posts"}]})", "/collections/0/name"},
      {R"({"formatVersion":1,"collections":[{"name":"a"},{"name":"a"}]})", "/collections/1/name"},
      {R"({"formatVersion":1,"collections":[{"name":"a-b"},{"name":"A_B"}]})", "/collections/1/name"},
      {R"({"formatVersion":1,"collections":[{"name":"*","policy":{}},{"name":"*","policy":{}}]})",
       "/collections/1/name"},
      {R"({"formatVersion":1,"collections":[{"name":"*"}]})", "/collections/0/policy"},
      {R"({"formatVersion":1,"collections":[{"name":"*","policy":{},"schema":{}}]})", "/collections/0/schema"},
      {R"({"formatVersion":1,"collections":[{"name":"*","policy":{},"indexes":[]}]})", "/collections/0/indexes"},
      {R"({"formatVersion":1,"collections":[{"name":"a","color":"red"}]})", "/collections/0/color"},
      {R"({"formatVersion":1,"collections":[{"name":"a","clientSecret":{}}]})", "/collections/0/clientSecret"},
      {R"({"formatVersion":1,"collections":[{"name":"a","schema":[]}]})", "/collections/0/schema"},
      {R"({"formatVersion":1,"collections":[{"name":"a","schema":{"type":"strng"}}]})", "/collections/0/schema/type"},
      {R"({"formatVersion":1,"collections":[{"name":"a","policy":{"reed":{}}}]})", "/collections/0/policy/reed"},
      {R"({"formatVersion":1,"collections":[{"name":"a","indexes":{}}]})", "/collections/0/indexes"},
      {R"({"formatVersion":1,"collections":[{"name":"a","indexes":[{"keys":{}}]}]})", "/collections/0/indexes/0/keys"},
      {R"({"formatVersion":1,"collections":[{"name":"a","indexes":[{"keys":{"b":2}}]}]})",
       "/collections/0/indexes/0/keys/b"},
      {R"({"formatVersion":1,"collections":[{"name":"a","indexes":[{"keys":{"b":1}},{"keys":{"b":1}}]}]})",
       "/collections/0/indexes/1/name"},
      {R"({"formatVersion":1,"collections":[{"name":"a","indexes":[{"keys":{"b":1},"building":true}]}]})",
       "/collections/0/indexes/0/building"},
      // roles
      {R"({"formatVersion":1,"roles":[null]})", "/roles/0"},
      {R"({"formatVersion":1,"roles":[{"name":"a"}]})", "/roles/0/permissions"},
      {R"({"formatVersion":1,"roles":[{"name":"a b","permissions":[]}]})", "/roles/0/name"},
      {R"({"formatVersion":1,"roles":[{"name":"editor","permissions":[]}]})", "/roles/0/name"},
      {R"({"formatVersion":1,"roles":[{"name":"WRITER","permissions":[]}]})", "/roles/0/name"},
      {R"({"formatVersion":1,"roles":[{"name":"a","permissions":[]},{"name":"A","permissions":[]}]})", "/roles/1/name"},
      {R"({"formatVersion":1,"roles":[{"name":"a","permissions":[5]}]})", "/roles/0/permissions/0"},
      {R"({"formatVersion":1,"roles":[{"name":"a","permissions":[],"builtIn":false}]})", "/roles/0/builtIn"},
      {R"({"formatVersion":1,"enduserRoles":[{"name":"user","permissions":[]}]})", "/enduserRoles/0/name"},
      // oauth
      {R"({"formatVersion":1,"oauth":{"baseUrl":"x"}})", "/oauth/baseUrl"},
      {R"({"formatVersion":1,"oauth":{"providers":[5]}})", "/oauth/providers/0"},
      {R"({"formatVersion":1,"oauth":{"providers":[{"provider":"google","enabled":true}]}})",
       "/oauth/providers/0/clientId"},
      {R"({"formatVersion":1,"oauth":{"providers":[{"provider":"oidc-x","clientId":"a","enabled":true}]}})",
       "/oauth/providers/0/issuer"},
      {R"({"formatVersion":1,"oauth":{"providers":[{"provider":"github","clientId":"a","enabled":true},
           {"provider":"github","clientId":"b","enabled":true}]}})",
       "/oauth/providers/1/provider"},
      {R"({"formatVersion":1,"oauth":{"allowedRedirects":["https://a.example.com/path"]}})",
       "/oauth/allowedRedirects/0"},
  };
  for (const auto& each : cases) {
    const auto answer = import(shop_, each.document);
    EXPECT_EQ(codeOf(answer), "VALIDATION") << each.document;
    if (!answer) EXPECT_EQ(answer.error().details()[0].path, each.pointer) << each.document;
  }
  EXPECT_EQ(summary(plan(shop_, exported(shop_))), "0 0 2");
}

TEST_F(Import, FieldsMayBeCalledLikeSecrets) {
  const Text document =
      with(R"("collections":[{"name":"apps","schema":{"properties":{"clientSecret":{"type":"string"}}},
      "policy":{"read":{"filter":{"secretEnc":1},"deniedReadFields":["clientSecret"]}},
      "indexes":[{"keys":{"clientSecret":1}}]}])");
  EXPECT_EQ(summary(import(shop_, document)), "1 0 0");
  EXPECT_EQ(summary(import(shop_, exported(shop_))), "0 0 1");
}

TEST_F(Import, ValuesInSchemasHoldNoSecrets) {
  const struct {
    const char* schema;
    const char* pointer;
  } cases[] = {
      {R"({"default":{"clientSecret":"x"}})", "/default/clientSecret"},
      {R"({"properties":{"a":{"type":"object","default":{"deep":[{"secretEnc":"x"}]}}}})",
       "/properties/a/default/deep/0/secretEnc"},
      {R"({"properties":{"default":{"const":{"clientSecret":"x"}}}})", "/properties/default/const/clientSecret"},
      {R"({"properties":{"properties":{"properties":{"a":{"enum":[1,{"clientSecret":"x"}]}}}}})",
       "/properties/properties/properties/a/enum/1/clientSecret"},
      {R"({"properties":{"a":{"items":{"examples":[{"secretEnc":"x"}]}}}})",
       "/properties/a/items/examples/0/secretEnc"},
  };
  for (const auto& each : cases) {
    const Text document = with(fmt::format(R"("collections":[{{"name":"a","schema":{}}}])", each.schema));
    for (const auto& answer : {plan(shop_, document), import(shop_, document)}) {
      EXPECT_EQ(codeOf(answer), "VALIDATION") << each.schema;
      EXPECT_THAT(problemsOf(answer), ::testing::Contains(HasSubstr(Text("/collections/0/schema") + each.pointer +
                                                                    ": secrets are never imported")));
    }
  }
  EXPECT_EQ(summary(import(shop_, with(R"("collections":[{"name":"a","schema":{"required":["clientSecret"],
      "properties":{"clientSecret":{"type":"string","default":"none"},
                    "default":{"type":"object","properties":{"clientSecret":{"type":"string"}}}}}}])"))),
            "1 0 0");
}

TEST_F(Import, ManyProblemsAreBounded) {
  Text many;
  for (int i = 0; i < 4000; ++i) many += many.empty() ? "5" : ",5";
  const auto answer = plan(shop_, with("\"roles\":[" + many + "]"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().details().size(), 1000u);
  for (int i = 0; i < 1001; ++i) many += ",5";
  // Neither that section nor the others are checked further.
  EXPECT_THAT(problemsOf(plan(shop_, with("\"collections\":[5],\"roles\":[" + many + "]"))),
              ElementsAre(HasSubstr("/roles: has more than 5000")));
  Text wide;
  for (int i = 0; i < 5001; ++i) wide += fmt::format("{}\"k{}\":5", wide.empty() ? "" : ",", i);
  EXPECT_THAT(problemsOf(plan(shop_, with("\"collections\":[5],\"oauth\":{" + wide + "}"))),
              ElementsAre(HasSubstr("/oauth: has more than 5000")));
  EXPECT_THAT(problemsOf(plan(shop_, with("\"collections\":[5]," + wide))),
              AllOf(SizeIs(1000), Each(HasSubstr("is not a known field"))));
  EXPECT_THAT(problemsOf(plan(shop_, with(fmt::format(R"("collections":[{{"name":"a","schema":{{"title":"{}"}}}}])",
                                                      std::string(1 << 20, 'x'))))),
              ElementsAre(HasSubstr("/collections/0: is too large")));
}

TEST_F(Import, TakesThePermissionOfEachChange) {
  givenProject(R"("collections":[{"name":"posts"}],"oauth":{"allowedRedirects":["https://a.example.com"]})");
  const struct {
    const char* sections;
    std::vector<std::string> needed;
  } cases[] = {
      {R"("collections":[{"name":"posts"}])", {}},
      {R"("collections":[{"name":"new"}])", {"collections:manage"}},
      {R"("collections":[{"name":"posts","schema":{}}])", {"collections:manage"}},
      {R"("collections":[{"name":"posts","indexes":[{"keys":{"a":1}}]}])", {"collections:manage"}},
      {R"("collections":[{"name":"posts","policy":{}}])", {"policies:manage"}},
      {R"("collections":[{"name":"*","policy":{}}])", {"policies:manage"}},
      {R"("collections":[{"name":"new","policy":{}}])", {"collections:manage", "policies:manage"}},
      {R"("roles":[{"name":"R","permissions":[]}])", {"roles:manage"}},
      {R"("enduserRoles":[{"name":"R","permissions":[]}])", {"roles:manage"}},
      {R"("roles":[{"name":"R","permissions":["audit:read"]}])", {"roles:manage", "audit:read"}},
      {R"("oauth":{"allowedRedirects":["https://a.example.com"]})", {"auth:config:read"}},
      {R"("oauth":{"allowedRedirects":["https://b.example.com"]})", {"auth:config:read", "auth:config:write"}},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(codeOf(plan(shop_, with(each.sections), callerWith(each.needed))), "") << each.sections;
    for (size_t left = 0; left < each.needed.size(); ++left) {
      auto held = each.needed;
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(left));
      EXPECT_EQ(codeOf(plan(shop_, with(each.sections), callerWith(held))), "FORBIDDEN") << each.sections;
      EXPECT_EQ(codeOf(import(shop_, with(each.sections), callerWith(held))), "FORBIDDEN") << each.sections;
    }
  }
  EXPECT_EQ(summary(plan(shop_, exported(shop_))), "0 0 2");
}

TEST_F(Import, AProjectIsCopiedAsFarAsItGoes) {
  givenProject(R"("collections":[{"name":"*","policy":{"read":{}}},{"name":"posts","schema":{"type":"object"}},
                             {"name":"tags","indexes":[{"keys":{"a":1}}]}],
              "roles":[{"name":"R","permissions":["audit:read"]}])");
  const store::ProjectNo copy = project();
  auto warnings = run(configuration_->copy(snapshot(shop_), target(copy)));
  ASSERT_TRUE(warnings);
  EXPECT_THAT(*warnings, ElementsAre());
  EXPECT_EQ(exported(copy), exported(shop_));

  // A problem of one part does not prevent the others.
  const store::ProjectNo other = project();
  const auto caller = admin();
  const auto now = snapshot(other);
  ASSERT_TRUE(run(data_->collections().create({caller, now}, "POSTS")));
  warnings = run(configuration_->copy(snapshot(shop_), target(other)));
  ASSERT_TRUE(warnings);
  EXPECT_THAT(*warnings, ElementsAre(HasSubstr("too similar to \"POSTS\"")));
  EXPECT_THAT(exported(other), HasSubstr("\"R\""));
}

constexpr std::string_view kRefers = R"({"type":"object","properties":{"by":{"type":"string","x-ref":"people"}}})";

TEST_F(Import, ReferencesAreToCollectionsThatExistOrCome) {
  const Text refers = fmt::format(R"({{"name":"posts","schema":{}}})", kRefers);
  const auto refused = import(shop_, with(fmt::format(R"("collections":[{}])", refers)));
  EXPECT_THAT(problemsOf(refused),
              ElementsAre("/collections/0/schema/properties/by/x-ref: refers to \"people\", which is not a collection: "
                          "create it first"));
  EXPECT_TRUE(import(shop_, with(fmt::format(R"("collections":[{},{{"name":"people"}}])", refers))));
  // A collection that was deleted since does not prevent an import that leaves the schema unchanged.
  const auto caller = admin();
  const auto now = snapshot(shop_);
  ASSERT_TRUE(run(data_->collections().drop({caller, now}, "people")));
  EXPECT_EQ(summary(import(shop_, exported(shop_))), "0 0 1");
}

TEST_F(Import, ReferencesThatHoldAreCheckedAsTheyAreAfterwards) {
  const Text comments = R"({"name":"comments","schema":{"type":"object","properties":{"post":{"type":"string",)"
                        R"("x-ref":{"collection":"posts","onDelete":"cascade"}}}})";
  EXPECT_THAT(problemsOf(import(shop_, with(fmt::format(R"("collections":[{}}},{{"name":"posts"}}])", comments)))),
              ElementsAre(HasSubstr("/collections/0/schema/properties/post/x-ref/onDelete: needs an index")));
  const Text indexed = comments + R"(,"indexes":[{"keys":{"post":1}}]})";
  EXPECT_TRUE(import(shop_, with(fmt::format(R"("collections":[{},{{"name":"posts"}}])", indexed))));
  const Text back = R"({"name":"posts","indexes":[{"keys":{"by":1}}],"schema":{"type":"object","properties":{"by":{)"
                    R"("type":"string","x-ref":{"collection":"comments","onDelete":"cascade"}}}}})";
  EXPECT_THAT(problemsOf(import(shop_, with(fmt::format(R"("collections":[{}])", back)))),
              ElementsAre(HasSubstr("/collections/0/schema/properties/by/x-ref/onDelete: closes a cycle")));
  const Text turned = R"({"name":"comments","schema":null})";
  EXPECT_TRUE(import(shop_, with(fmt::format(R"("collections":[{},{}])", back, turned))));
  EXPECT_EQ(summary(import(shop_, exported(shop_))), "0 0 2");
}

TEST_F(Import, ASchemaThatCannotBeCopiedIsAWarning) {
  givenProject(fmt::format(R"("collections":[{{"name":"people"}},{{"name":"posts","schema":{}}},{{"name":"tags"}}],
                          "roles":[{{"name":"R","permissions":[]}}])",
                           kRefers));
  const auto caller = admin();
  const auto now = snapshot(shop_);
  ASSERT_TRUE(run(data_->collections().drop({caller, now}, "people")));
  const store::ProjectNo copy = project();
  const auto warnings = run(configuration_->copy(snapshot(shop_), target(copy)));
  ASSERT_TRUE(warnings);
  EXPECT_THAT(*warnings, ElementsAre(AllOf(HasSubstr("collections/posts: "), HasSubstr("people"))));
  EXPECT_THAT(exported(copy), AllOf(HasSubstr(R"({"name":"posts","indexes":[]})"),
                                    HasSubstr(R"({"name":"tags","indexes":[]})"), HasSubstr("\"R\"")));
}

TEST_F(Import, WhatDoesNotFitIsRefusedBeforeAnythingIsDone) {
  const Text schema = fmt::format(R"({{"type":"object","description":"{}"}})", Text(900'000, 'x'));
  Text collections;
  for (int i = 0; i < 9; ++i) {
    collections += fmt::format(R"({}{{"name":"c{}","schema":{}}})", i == 0 ? "" : ",", i, schema);
  }
  givenProject(fmt::format(R"("collections":[{}])", collections));
  const Text more = with(fmt::format(R"("collections":[{{"name":"more","schema":{}}}])", schema));
  const Text before = exported(shop_);
  const size_t audited = auditActions(shop_).size();
  for (const auto& answer : {plan(shop_, more), import(shop_, more)}) {
    EXPECT_EQ(codeOf(answer), "PAYLOAD_TOO_LARGE");
    EXPECT_THAT(answer.error().message(), HasSubstr("collections 8.6 MiB"));
  }
  EXPECT_EQ(exported(shop_), before);
  EXPECT_EQ(auditActions(shop_).size(), audited);
  EXPECT_TRUE(import(shop_, with(R"("collections":[{"name":"c0","schema":null}])")));
  EXPECT_TRUE(import(shop_, more));
}

TEST_F(Import, WhatEndsACopyHalfwayIsAWarningForEachPart) {
  givenProject(R"("collections":[{"name":"posts"},{"name":"tags"}],"roles":[{"name":"R","permissions":[]}])");
  const store::ProjectNo copy = project();
  store_.stopAfter(1);
  const auto warnings = run(configuration_->copy(snapshot(shop_), target(copy)));
  store_.stopAfter(-1);
  ASSERT_TRUE(warnings);
  EXPECT_THAT(*warnings, ElementsAre(HasSubstr("collections/tags: "), HasSubstr("roles/R: ")));
  EXPECT_THAT(exported(copy), HasSubstr("posts"));
}

}  // namespace
}  // namespace mb::configuration
