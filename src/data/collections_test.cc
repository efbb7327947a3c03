#include "data/collections.h"

#include "data/collection_config.h"
#include "data/data_fixture.h"

namespace mb::data {
namespace {

class CollectionsTest : public DataTest {
 protected:
  using Names = std::vector<std::string>;
  Names names() { return data_->collections().names(*snapshot()); }
  Result<> make(const std::string& name) { return run(data_->collections().create(managing(), name)); }
  Result<> rename(const std::string& name, const std::string& to) {
    return run(data_->collections().rename(managing(), name, to));
  }
  Result<> schema(const std::string& name, std::string_view schema) {
    return run(data_->collections().setSchema(managing(), name, json(schema)));
  }
  Result<> policy(const std::string& name, std::string_view policy) {
    return run(data_->collections().setPolicy(managing(), name, json(policy)));
  }
  std::string schemaOf(const std::string& name) {
    const auto found = data_->collections().schema(*snapshot(), name);
    return found && *found ? doc::toJson(**found) : "none";
  }
  // "action target" of every audit entry, oldest first.
  Names audited() {
    store::Query query;
    query.collection = {project_, audit::kAuditCollection, 0};
    query.deadline = soon();
    query.limit = 1000;
    Names entries;
    for (const doc::Document& entry : run(store_.find(std::move(query)))->documents) {
      entries.push_back(std::string(entry.view().stringOr("action")) + " " +
                        std::string(entry.view().stringOr("target")));
    }
    return entries;
  }
};

TEST_F(CollectionsTest, NamesAreCheckedAndListed) {
  expectOk(make("posts"));
  expectOk(make("Comments"));
  EXPECT_EQ((Names{"Comments", "posts"}), names());
  for (const char* taken : {"posts", "POSTS", "comments"}) expectError(ErrorCode::conflict, make(taken));
  for (const char* reserved : {"users", "auth", "__x", "system.x", "openapi.json"}) {
    expectError(ErrorCode::notFound, make(reserved));
  }
  for (const char* bad : {"", "1a", "a b", "a.b", "*", "_x"}) expectError(ErrorCode::validation, make(bad));
  expectOk(make("my-list"));
  expectError(ErrorCode::conflict, make("my_list"));
  EXPECT_EQ((Names{"Comments", "my-list", "posts"}), names());
}

TEST_F(CollectionsTest, RenamingGivesNoPermission) {
  expectOk(make("payroll"));
  expectOk(make("posts"));
  policy::Caller caller = alice_;
  caller.kind = policy::CallerKind::apiKey;
  const auto renames = [&](std::vector<std::string> permissions, const std::string& name, const std::string& to) {
    permissions.push_back("collections:manage");
    caller.permissions = std::make_shared<policy::PermissionSet>(std::move(permissions));
    return run(data_->collections().rename({caller, snapshot()}, name, to));
  };
  expectError(ErrorCode::forbidden, renames({"data:news:*"}, "payroll", "news"));
  expectError(ErrorCode::forbidden, renames({"data:news:read"}, "payroll", "news"));
  expectError(ErrorCode::forbidden, renames({"data:news:admin"}, "payroll", "news"));
  expectError(ErrorCode::forbidden, renames({"data:news:*", "data:payroll:read"}, "payroll", "news"));
  expectOk(renames({"data:posts:read"}, "posts", "articles"));
  expectOk(renames({"data:articles:read", "data:*:read"}, "articles", "stories"));
  expectOk(renames({}, "payroll", "wages"));
  EXPECT_EQ((Names{"stories", "wages"}), names());
}

TEST_F(CollectionsTest, DroppingTakesTheDocuments) {
  collection("posts", R"({"read":{},"list":{}})");
  put("posts", R"({"id":"a"})");
  expectOk(run(data_->collections().drop(managing(), "posts")));
  expectError(ErrorCode::notFound, list(alice_, "posts"));
  expectError(ErrorCode::notFound, run(data_->collections().drop(managing(), "posts")));
  collection("posts", R"({"read":{},"list":{}})");
  EXPECT_EQ(0u, list(alice_, "posts")->size());
}

TEST_F(CollectionsTest, RenamingCarriesEverything) {
  collection("posts", R"({"list":{}})", R"({"type":"object","properties":{"n":{"type":"integer"}}})");
  put("posts", R"({"id":"a","n":1})");
  expectOk(make("other"));
  expectError(ErrorCode::conflict, rename("posts", "other"));
  expectError(ErrorCode::conflict, rename("posts", "OTHER"));
  expectOk(make("two-words"));
  expectError(ErrorCode::conflict, rename("posts", "two_words"));
  expectError(ErrorCode::conflict, make("Two_Words"));
  expectOk(run(data_->collections().drop(managing(), "two-words")));
  expectError(ErrorCode::conflict, rename("posts", "posts"));
  expectError(ErrorCode::notFound, rename("posts", "users"));
  expectError(ErrorCode::validation, rename("posts", "1x"));
  expectError(ErrorCode::notFound, rename("nope", "x"));
  expectOk(rename("posts", "articles"));
  EXPECT_EQ((Names{"articles", "other"}), names());
  EXPECT_EQ(1u, list(alice_, "articles")->size());
  expectError(ErrorCode::notFound, list(alice_, "posts"));
  EXPECT_NE("none", schemaOf("articles"));
  expectOk(rename("articles", "Articles"));
}

TEST_F(CollectionsTest, ReferencesFollowARename) {
  constexpr std::string_view kRefers = R"({"type":"object","properties":{"by":{"type":"string","x-ref":"people"}}})";
  collection("early", R"({"read":{}})");
  // Earlier versions accepted a schema before the collection it refers to existed.
  const CollectionPtr early = *snapshot()->get(data_->slot()).find("early");
  CollectionConfig config = CollectionConfig::read(early->info.config);
  config.schema = json(kRefers);
  expectOk(run(store_.alterCollection(early->ref, {.name = {}, .config = config.write()}, {})));
  collection("people", R"({"read":{}})");
  collection("late", R"({"read":{}})", kRefers);
  put("people", R"({"id":"p","name":"Ann"})");
  put("early", R"({"id":"e","by":"p"})");
  put("late", R"({"id":"l","by":"p"})");
  expectOk(rename("people", "persons"));
  collection("people", R"({"read":{}})");  // another collection of the old name
  for (const char* name : {"early", "late"}) {
    EXPECT_NE(std::string::npos, schemaOf(name).find(R"("x-ref":"persons")")) << name;
    ReadQuery query;
    query.expand = {"by"};
    const auto found = get(alice_, name, std::string(1, name[0]), query);
    EXPECT_NE(std::string::npos, found->find("Ann")) << *found;
  }
  expectOk(schema("late", kRefers));
  EXPECT_NE(std::string::npos, schemaOf("late").find(R"("x-ref":"people")"));
}

TEST_F(CollectionsTest, SchemasReferToCollectionsThatExist) {
  expectOk(make("posts"));
  constexpr std::string_view kRefers = R"({"type":"object","properties":{
    "self":{"type":"string","x-ref":"posts"},"by":{"type":"string","x-ref":"users"},
    "at":{"type":"array","items":{"type":"object","properties":{"place":{"type":"string","x-ref":"places"}}}}}})";
  const auto refused = schema("posts", kRefers);
  expectError(ErrorCode::validation, refused);
  ASSERT_EQ(1u, refused.error().details().size());
  EXPECT_EQ("/properties/at/items/properties/place/x-ref", refused.error().details()[0].path);
  EXPECT_NE(std::string::npos, refused.error().message().find("\"places\"")) << refused.error().message();
  EXPECT_EQ("none", schemaOf("posts"));
  expectOk(make("places"));
  expectOk(schema("posts", kRefers));
}

TEST_F(CollectionsTest, SchemasAreCompiledAtSave) {
  expectOk(make("posts"));
  EXPECT_EQ("none", schemaOf("posts"));
  expectError(ErrorCode::validation, schema("posts", R"({"type":"object","propertys":{}})"));
  expectError(ErrorCode::validation, schema("posts", R"({"properties":{"id":{"x-bson":"objectId"}}})"));
  expectError(ErrorCode::validation, schema("posts", R"({"properties":{"createdAt":{"x-bson":"decimal"}}})"));
  expectOk(schema("posts", R"({"type":"object","properties":{"createdAt":{"x-bson":"date"}}})"));
  expectOk(schema("posts", R"({"type":"object","title":"Posts"})"));
  EXPECT_EQ(R"({"type":"object","title":"Posts"})", schemaOf("posts"));
  expectOk(run(data_->collections().clearSchema(managing(), "posts")));
  EXPECT_EQ("none", schemaOf("posts"));
  expectError(ErrorCode::notFound, schema("nope", "{}"));
}

// A stopped pool refuses work as a full one does, which shows what runs on it.
TEST_F(CollectionsTest, SchemasAreCompiledOffTheCore) {
  expectOk(make("notes"));
  const AdminAccess access = managing();
  data_->pool().stop();
  expectError(ErrorCode::unavailable,
              run(data_->collections().setSchema(access, "notes", json(R"({"properties":{"a":{"pattern":"x"}}})"))));
}

TEST_F(CollectionsTest, ASchemaMustSuitThePolicy) {
  expectOk(make("posts"));
  expectOk(schema("posts", R"({"type":"object","properties":{"n":{"type":"integer"}}})"));
  expectOk(policy("posts", R"({"create":{"validate":"document.n > 1"}})"));
  const std::string before = schemaOf("posts");
  expectError(ErrorCode::conflict, schema("posts", R"({"type":"object","properties":{"n":{"type":"string"}}})"));
  EXPECT_EQ(before, schemaOf("posts"));
  expectOk(run(data_->collections().clearSchema(managing(), "posts")));
}

TEST_F(CollectionsTest, PoliciesAndWhereTheyComeFrom) {
  expectOk(make("posts"));
  const auto answer = [&](std::string_view name) {
    const auto found = data_->collections().policy(*snapshot(), name);
    return found ? std::string(policySourceName(found->source)) + " " + doc::toJson(found->policy) : "error";
  };
  EXPECT_EQ("default {}", answer("posts"));
  EXPECT_EQ("default {}", answer("*"));
  EXPECT_EQ("error", answer("nope"));
  expectOk(policy("*", R"({"read":{}})"));
  EXPECT_EQ(R"(own {"read":{}})", answer("*"));
  EXPECT_EQ(R"(inherited {"read":{}})", answer("posts"));
  put("posts", R"({"id":"a"})");
  expectOk(get(alice_, "posts", "a"));
  expectOk(policy("posts", R"({"list":{}})"));
  EXPECT_EQ(R"(own {"list":{}})", answer("posts"));
  expectError(ErrorCode::forbidden, get(alice_, "posts", "a"));
  expectOk(run(data_->collections().clearPolicy(managing(), "posts")));
  expectOk(get(alice_, "posts", "a"));
  expectOk(run(data_->collections().clearPolicy(managing(), "*")));
  expectError(ErrorCode::forbidden, get(alice_, "posts", "a"));
  EXPECT_EQ("default {}", answer("posts"));
}

TEST_F(CollectionsTest, ClearingADefaultPolicyThatIsNotSetIsRecorded) {
  expectOk(run(data_->collections().clearPolicy(managing(), "*")));
  EXPECT_EQ((Names{"policy.clear collections/*"}), audited());
}

TEST_F(CollectionsTest, BadPoliciesAreRefused) {
  expectOk(make("posts"));
  for (const char* bad : {R"({"reed":{}})", R"({"read":{"filter":{"$where":"1"}}})", R"({"read":1})",
                          R"({"create":{"validate":"document.x >"}})", R"({"read":{"filter":{"a":"$auth.nope"}}})"}) {
    SCOPED_TRACE(bad);
    EXPECT_FALSE(policy("posts", bad));
    EXPECT_FALSE(policy("*", bad));
  }
  expectError(ErrorCode::notFound, policy("nope", "{}"));
}

TEST_F(CollectionsTest, ChangesAreAudited) {
  expectOk(make("posts"));
  expectOk(schema("posts", R"({"type":"object"})"));
  expectOk(policy("posts", R"({"read":{}})"));
  expectOk(policy("*", R"({"read":{}})"));
  NewIndex index;
  index.keys = json(R"({"n":1})");
  expectOk(run(data_->collections().createIndex(managing(), "posts", index)));
  expectOk(run(data_->collections().dropIndex(managing(), "posts", "n_1")));
  expectOk(rename("posts", "articles"));
  expectOk(run(data_->collections().clearPolicy(managing(), "articles")));
  expectOk(run(data_->collections().clearPolicy(managing(), "*")));
  expectOk(run(data_->collections().clearSchema(managing(), "articles")));
  expectOk(run(data_->collections().drop(managing(), "articles")));
  EXPECT_FALSE(make("users"));
  EXPECT_EQ(
      (Names{"collection.create collections/posts", "schema.set collections/posts", "policy.set collections/posts",
             "policy.set collections/*", "index.create collections/posts", "index.delete collections/posts",
             "collection.rename collections/posts", "policy.clear collections/articles", "policy.clear collections/*",
             "schema.clear collections/articles", "collection.delete collections/articles"}),
      audited());
}

TEST_F(CollectionsTest, UnchangedCollectionsAreSharedBetweenSnapshots) {
  collection("posts", R"({"read":{}})", R"({"type":"object"})");
  const auto before = *snapshot()->get(data_->slot()).find("posts");
  expectOk(make("other"));
  EXPECT_EQ(before, *snapshot()->get(data_->slot()).find("posts"));
  expectOk(policy("posts", R"({"list":{}})"));
  EXPECT_NE(before, *snapshot()->get(data_->slot()).find("posts"));
}

}  // namespace
}  // namespace mb::data
