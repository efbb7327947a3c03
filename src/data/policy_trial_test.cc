#include "data/policy_trial.h"

#include "data/data_fixture.h"
#include "store/configuration_limits.h"

namespace mb::data {
namespace {

using policy::Operation;

class PolicyTrialTest : public DataTest {
 protected:
  // Teams by membership, and tasks that teams see.
  void teams() {
    collection("memberships");
    NewIndex index;
    index.keys = json(R"({"userId":1})");
    expectOk(run(data_->collections().createIndex(managing(), "memberships", index)));
    expectOk(run(data_->policySets().set(managing(), teamsSet(R"({"userId":"$auth.uid","active":true})"))));
    collection("tasks", R"({"read":{"filter":{"teamId":{"$in":"$auth.sets.teams"}}},
      "list":{"filter":{"teamId":{"$in":"$auth.sets.teams"}}},
      "update":{"filter":{"ownerId":"$auth.uid"},"validate":"document.n > previous.n && document.n < 5",
                "immutableFields":["teamId"]},
      "create":{"filter":{"ownerId":"$auth.uid"},"validate":"document.teamId in auth.sets.teams"}})");
    put("tasks", R"({"id":"r1","teamId":"red","n":1,"ownerId":"user_alice"})");
    put("tasks", R"({"id":"b1","teamId":"blue","n":1})");
    put("memberships", R"({"id":"ar","userId":"user_alice","teamId":"red","active":true})");
    put("memberships", R"({"id":"ab","userId":"user_alice","teamId":"blue","active":false})");
  }
  static PolicySet teamsSet(std::string_view where) { return {"teams", "memberships", json(where), "teamId"}; }

  static Trial about(Operation operation, std::string collection, std::optional<std::string> id = std::nullopt,
                     std::string_view body = "") {
    Trial trial;
    trial.collection = std::move(collection);
    trial.operation = operation;
    trial.id = std::move(id);
    if (!body.empty()) trial.body = json(body);
    return trial;
  }
  Result<TrialResult> tried(const policy::Caller& caller, Trial trial, const GivenDocuments* given = nullptr,
                            snapshot::SnapshotPtr project = nullptr) {
    const Access access{caller, project ? std::move(project) : snapshot(), Authority::policies, soon()};
    return run(data_->policyTrials().run(access, std::move(trial), given));
  }
  // "allowed 200" or "hidden 404 NOT_FOUND", without the steps.
  std::string outcome(const policy::Caller& caller, Trial trial, const GivenDocuments* given = nullptr,
                      snapshot::SnapshotPtr project = nullptr) {
    const auto result = tried(caller, std::move(trial), given, std::move(project));
    if (!result) return "failed: " + result.error().message();
    EXPECT_FALSE(result->allowed && result->hidden);
    return fmt::format("{} {}{}",
                       result->allowed  ? "allowed"
                       : result->hidden ? "hidden"
                                        : "denied",
                       result->status, result->code ? " " + *result->code : "");
  }
  std::string steps(const policy::Caller& caller, Trial trial, const GivenDocuments* given = nullptr) {
    const auto result = tried(caller, std::move(trial), given);
    if (!result) return result.error().message();
    std::string text;
    for (const doc::Document& step : result->steps) text += doc::toJson(step) + "\n";
    return text;
  }
  // The names of the steps, with "!" before those that did not pass.
  std::string names(const policy::Caller& caller, Trial trial, const GivenDocuments* given = nullptr) {
    const auto result = tried(caller, std::move(trial), given);
    if (!result) return result.error().message();
    std::string text;
    for (const doc::Document& step : result->steps) {
      text += (step.view().find("passed")->asBool() ? " " : " !") + std::string(step.view().stringOr("step"));
    }
    return text;
  }
  Result<snapshot::SnapshotPtr> drafted(PolicyDrafts drafts) {
    return run(data_->policyTrials().withDrafts(snapshot(), std::move(drafts)));
  }
  static PolicyDrafts::DraftCollection draftOf(std::string name, std::string_view policy,
                                               std::string_view schema = "") {
    PolicyDrafts::DraftCollection draft{std::move(name), {}, {}};
    if (!policy.empty()) draft.policy = {doc::Patch<doc::Document>::State::value, json(policy)};
    if (!schema.empty()) draft.schema = {doc::Patch<doc::Document>::State::value, json(schema)};
    return draft;
  }
  static std::string details(const Error& error) {
    std::string text;
    for (const ErrorDetail& each : error.details()) text += each.path + " " + each.message + "\n";
    return text;
  }
};

TEST_F(PolicyTrialTest, TellsWhatARequestIsAnswered) {
  teams();
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "r1")), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "b1")), "hidden 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "none")), "denied 404 NOT_FOUND") << "it does not exist";
  EXPECT_EQ(outcome(alice_, about(Operation::list, "tasks")), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::list, "tasks", "r1")), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::list, "tasks", "b1")), "hidden 200");
  EXPECT_EQ(outcome(alice_, about(Operation::list, "tasks", "none")), "denied 200");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "tasks", std::nullopt, R"({"teamId":"red"})")), "allowed 201");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "tasks", std::nullopt, R"({"teamId":"blue"})")),
            "denied 403 FORBIDDEN");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "tasks", std::nullopt, R"({"teamId":"red","id":"r1"})")),
            "denied 409 CONFLICT");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "tasks", "r1", R"({"n":2})")), "allowed 204");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "tasks", "b1", R"({"n":2})")), "hidden 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "tasks", "r1", R"({"$x":{}})")), "denied 400 INVALID_UPDATE");
  EXPECT_EQ(outcome(alice_, about(Operation::remove, "tasks", "r1")), "denied 403 FORBIDDEN") << "no rule";
  EXPECT_EQ(outcome(alice_, about(Operation::read, "nothing", "r1")), "denied 404 NOT_FOUND");
  EXPECT_EQ(outcome(policy::Caller(), about(Operation::read, "tasks", "r1")), "denied 401 UNAUTHENTICATED");
  const auto write = tried(alice_, about(Operation::update, "tasks", "r1", R"({"n":2})"));
  EXPECT_EQ(*write->notChecked, (std::vector<std::string>{"preHooks", "uniqueIndexes", "references"}));
  limitVectors(5);
  const auto limited = tried(alice_, about(Operation::update, "tasks", "r1", R"({"n":2})"));
  EXPECT_EQ(*limited->notChecked, (std::vector<std::string>{"preHooks", "uniqueIndexes", "references", "planLimits"}));
  EXPECT_FALSE(tried(alice_, about(Operation::read, "tasks", "r1"))->notChecked);
}

TEST_F(PolicyTrialTest, ExplainsEachStep) {
  teams();
  EXPECT_EQ(
      steps(alice_, about(Operation::read, "tasks", "b1")),
      R"({"step":"permission","passed":true,"needed":"data:tasks:read","by":"data:*:read"})"
      "\n"
      R"({"step":"rule","passed":true,"source":"own","rule":{"filter":{"teamId":{"$in":"$auth.sets.teams"}}}})"
      "\n"
      R"({"step":"placeholders","passed":true,"values":{"$auth.sets.teams":["red"]},"unresolved":[]})"
      "\n"
      R"({"step":"filter","passed":true,"filter":{"teamId":{"$in":["red"]}}})"
      "\n"
      R"({"step":"document","passed":false,"found":true,"conditions":[{"path":"teamId","condition":{"$in":["red"]},)"
      R"("value":"blue","passed":false}]})"
      "\n");
  policy::Caller without = alice_;
  without.permissions = permissions({"data:notes:*"});
  EXPECT_EQ(steps(without, about(Operation::read, "tasks", "b1")),
            "{\"step\":\"permission\",\"passed\":false,\"needed\":\"data:tasks:read\"}\n");
  EXPECT_EQ(names(alice_, about(Operation::remove, "tasks", "r1")), " permission !rule");
  EXPECT_EQ(names(alice_, about(Operation::read, "tasks", "none")), " permission rule placeholders filter !document");
  EXPECT_EQ(names(alice_, about(Operation::update, "tasks", "r1", R"({"n":2})")),
            " permission rule placeholders filter document fields validate");
  EXPECT_EQ(names(alice_, about(Operation::update, "tasks", "r1", R"({"n":2,"teamId":"blue"})")),
            " permission rule placeholders filter document !fields");
  EXPECT_EQ(names(alice_, about(Operation::update, "tasks", "r1", R"({"n":1})")),
            " permission rule placeholders filter document fields !validate");
  EXPECT_EQ(names(alice_, about(Operation::create, "tasks", std::nullopt, R"({"teamId":"red"})")),
            " permission rule placeholders filter document validate");
  EXPECT_EQ(names(alice_, about(Operation::create, "tasks", "r1", R"({"teamId":"red","id":"r1"})")),
            " permission rule placeholders filter !document");
  EXPECT_EQ(names(policy::Caller(), about(Operation::read, "tasks", "r1")), " !rule");
  EXPECT_NE(steps(alice_, about(Operation::update, "tasks", "r1", R"({"n":7})"))
                .find(R"("value":false,"parts":[{"text":"document.n > previous.n","value":true},)"
                      R"({"text":"document.n < 5","value":false}])"),
            std::string::npos);
  policy::Caller noTeams = alice_;
  noTeams.id = "";
  EXPECT_EQ(names(noTeams, about(Operation::read, "tasks", "r1")), " permission rule !placeholders");
}

TEST_F(PolicyTrialTest, ExplainsSchemasAndDeniedFields) {
  collection("notes", R"({"read":{"deniedReadFields":["secret"]},"list":{},"create":{},"update":{}})",
             R"({"properties":{"n":{"type":"integer"}},"required":["n"]})");
  put("notes", R"({"id":"a","n":1,"secret":"s"})");
  EXPECT_EQ(names(alice_, about(Operation::create, "notes", std::nullopt, R"({"n":1})")), " permission rule schema");
  EXPECT_NE(steps(alice_, about(Operation::create, "notes", std::nullopt, R"({"n":"x"})"))
                .find(R"({"step":"schema","passed":false,"problems":[{"path":"/n","message":")"),
            std::string::npos);
  EXPECT_EQ(outcome(alice_, about(Operation::create, "notes", std::nullopt, R"({"n":"x"})")), "denied 400 VALIDATION");
  EXPECT_EQ(names(alice_, about(Operation::create, "notes", std::nullopt, R"({"n":1,"a.b":1})")),
            " permission rule !schema");

  Trial reading = about(Operation::list, "notes");
  reading.filter = json(R"({"secret":"s","n":1})");
  EXPECT_NE(steps(alice_, reading).find(R"({"step":"fields","passed":false,"denied":["secret"],)"), std::string::npos);
  EXPECT_EQ(outcome(alice_, reading), "denied 403 FORBIDDEN");
  reading.filter = json(R"({"n":1})");
  EXPECT_EQ(names(alice_, reading), " permission rule fields");
  reading.filter = json(R"({"$bad":1})");
  EXPECT_EQ(outcome(alice_, reading), "denied 400 INVALID_FILTER");
  EXPECT_EQ(names(alice_, about(Operation::update, "notes", "a", R"({"$inc":{"secret":1},"$rename":{"n":"m"}})")),
            " permission rule !fields");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "notes", "a", R"({"$inc":{"secret":1}})")),
            "denied 403 FORBIDDEN");
}

TEST_F(PolicyTrialTest, NamesTheSourceOfTheRule) {
  collection("open", R"({"update":{},"public":{"read":{"filter":{"open":true}}}})");
  put("open", R"({"id":"a","open":true})");
  put("open", R"({"id":"b"})");
  collection("plain");
  EXPECT_EQ(outcome(policy::Caller(), about(Operation::read, "open", "a")), "allowed 200");
  EXPECT_EQ(outcome(policy::Caller(), about(Operation::read, "open", "b")), "hidden 404 NOT_FOUND");
  EXPECT_NE(steps(policy::Caller(), about(Operation::read, "open", "a")).find(R"("source":"public")"),
            std::string::npos);
  EXPECT_NE(steps(alice_, about(Operation::read, "open", "a")).find(R"("source":"public")"), std::string::npos);
  EXPECT_NE(
      steps(alice_, about(Operation::read, "plain", "a")).find(R"({"step":"rule","passed":false,"source":"default"})"),
      std::string::npos);
  expectOk(run(data_->collections().setPolicy(managing(), "*", json(R"({"read":{}})"))));
  EXPECT_NE(
      steps(alice_, about(Operation::read, "plain", "a")).find(R"({"step":"rule","passed":true,"source":"inherited")"),
      std::string::npos);
  policy::Caller service = user("key_1");
  service.kind = policy::CallerKind::apiKey;
  service.scopes = {std::string(policy::kServiceScope)};
  EXPECT_EQ(names(service, about(Operation::read, "open", "b")), " permission document");
  policy::Caller reader = service;
  reader.scopes = {"read"};
  EXPECT_EQ(outcome(reader, about(Operation::update, "open", "a", "{}")), "denied 403 FORBIDDEN") << "the key's scope";
  EXPECT_EQ(names(reader, about(Operation::update, "open", "a", "{}")), " !permission");
}

TEST_F(PolicyTrialTest, TakesGivenDocuments) {
  teams();
  GivenDocuments given;
  given["tasks"].push_back(json(R"({"id":"t1","teamId":"green","ownerId":"user_alice","n":3})"));
  given["memberships"].push_back(json(R"({"userId":"user_alice","teamId":"green","active":true})"));
  given["memberships"].push_back(json(R"({"userId":"user_alice","teamId":"red","active":false})"));
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "t1"), &given), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "r1"), &given), "denied 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "tasks", "t1", R"({"n":4})"), &given), "allowed 204");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "tasks", std::nullopt, R"({"teamId":"red"})"), &given),
            "denied 403 FORBIDDEN");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "tasks", std::nullopt, R"({"id":"t1","teamId":"green"})"), &given),
            "denied 409 CONFLICT");
  given["tasks"].push_back(json(R"({"id":"no good"})"));
  const auto bad = tried(alice_, about(Operation::read, "tasks", "t1"), &given);
  expectError(ErrorCode::validation, bad);
  EXPECT_EQ(details(bad.error()), "/given/tasks/1/id must match ^[A-Za-z0-9_-]{1,64}$\n");
}

TEST_F(PolicyTrialTest, TakesADocumentAsItWouldStand) {
  collection("posts", R"({"read":{"filter":{"publishedAt":{"$lt":"2026-01-01T00:00:00Z"}}},"update":{"validate":
    "previous.createdAt < timestamp('2025-06-01T00:00:00Z') && document.id != ''"}})",
             R"({"properties":{"publishedAt":{"type":"string","x-bson":"date"}}})");
  Trial trial = about(Operation::read, "posts");
  trial.document = json(R"({"publishedAt":"2025-03-01T00:00:00Z"})");
  EXPECT_EQ(outcome(alice_, trial), "allowed 200");
  trial.document = json(R"({"publishedAt":"2027-03-01T00:00:00Z"})");
  EXPECT_EQ(outcome(alice_, trial), "hidden 404 NOT_FOUND");
  trial.document = json(R"({"publishedAt":"never"})");
  const auto bad = tried(alice_, trial);
  expectError(ErrorCode::validation, bad);
  EXPECT_EQ(bad.error().details().front().path, "/document/publishedAt");
  Trial update = about(Operation::update, "posts", std::nullopt, R"({"a":1})");
  update.document = json(R"({"createdAt":"2025-01-01T00:00:00Z"})");
  EXPECT_EQ(outcome(alice_, update), "allowed 204");
  update.document = json("{}");
  EXPECT_EQ(outcome(alice_, update), "denied 403 FORBIDDEN") << "created now";
}

TEST_F(PolicyTrialTest, RefusesTrialsThatLackAPart) {
  teams();
  expectError(ErrorCode::validation, tried(alice_, about(Operation::read, "tasks")));
  expectError(ErrorCode::validation, tried(alice_, about(Operation::remove, "tasks")));
  expectError(ErrorCode::invalidBody, tried(alice_, about(Operation::create, "tasks")));
  const auto update = tried(alice_, about(Operation::update, "tasks", "r1"));
  expectError(ErrorCode::invalidBody, update);
  EXPECT_EQ(details(update.error()), "/body is required for this operation\n");
  expectError(ErrorCode::validation, tried(alice_, about(Operation::admin, "tasks", "r1")));
}

TEST_F(PolicyTrialTest, FailsWhereTheStoreFails) {
  teams();
  const snapshot::SnapshotPtr project = snapshot();
  store_.failWith(ErrorCode::unavailable);
  expectError(ErrorCode::unavailable, tried(alice_, about(Operation::read, "tasks", "r1"), nullptr, project));
  store_.failWith(std::nullopt);
}

TEST_F(PolicyTrialTest, EvaluatesDraftsOfPoliciesAndSets) {
  teams();
  PolicyDrafts drafts;
  drafts.collections.push_back(draftOf("tasks", R"({"read":{"filter":{"teamId":{"$in":"$auth.sets.mine"}}}})"));
  drafts.sets.push_back({"mine", "memberships", json(R"({"userId":"$auth.uid"})"), "teamId"});
  const auto project = drafted(drafts);
  ASSERT_TRUE(project) << project.error().message();
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "b1"), nullptr, *project), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::list, "tasks", "b1"), nullptr, *project), "denied 403 FORBIDDEN");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "b1")), "hidden 404 NOT_FOUND") << "nothing is saved";
  EXPECT_EQ(*data_->policyTrials().collectionsRead(**project, "tasks", Operation::read),
            (std::vector<std::string>{"memberships", "tasks"}));
  EXPECT_EQ(*data_->policyTrials().collectionsRead(*snapshot(), "tasks", Operation::update),
            (std::vector<std::string>{"tasks"}));
  expectError(ErrorCode::notFound, data_->policyTrials().collectionsRead(*snapshot(), "none", Operation::read));

  // The default policy.
  collection("plain");
  put("plain", R"({"id":"a","open":true})");
  const auto open = drafted({{draftOf("*", R"({"read":{"filter":{"open":true}}})")}, {}, false});
  ASSERT_TRUE(open) << open.error().message();
  EXPECT_EQ(outcome(alice_, about(Operation::read, "plain", "a"), nullptr, *open), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "r1"), nullptr, *open), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "plain", "a")), "denied 403 FORBIDDEN");
}

TEST_F(PolicyTrialTest, DraftsOfSetsLeaveTheCachedValuesAlone) {
  teams();
  EXPECT_EQ(list(alice_, "tasks")->size(), 1U);
  const size_t reads = store_.reads();
  EXPECT_EQ(list(alice_, "tasks")->size(), 1U);
  EXPECT_EQ(store_.reads() - reads, 1U) << "the set is cached";
  const auto project = drafted({{}, {teamsSet(R"({"userId":"$auth.uid"})")}, false});
  ASSERT_TRUE(project) << project.error().message();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "b1"), nullptr, *project), "allowed 200");
    EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "b1")), "hidden 404 NOT_FOUND");
  }
  const size_t later = store_.reads();
  EXPECT_EQ(list(alice_, "tasks")->size(), 1U);
  EXPECT_EQ(store_.reads() - later, 1U) << "the set is still cached";
  // Each trial reads the draft's values.
  expectOk(run(data_->documents().remove(asAdmin(), "memberships", "ab")));
  EXPECT_EQ(outcome(alice_, about(Operation::read, "tasks", "b1"), nullptr, *project), "hidden 404 NOT_FOUND");
}

TEST_F(PolicyTrialTest, RefusesDraftsAsTheSavesDo) {
  settings(R"({"tokenClaims":["plan"]})");
  teams();
  collection("typed", "", R"({"properties":{"n":{"type":"integer"}},"additionalProperties":false})");
  PolicyDrafts drafts;
  drafts.collections.push_back(draftOf(
      "typed",
      R"({"read":{"filter":{"none":1}},"list":{"filter":{"n":"$auth.token.tier"}},"create":{"validate":"document.n + 'x'"}})"));
  drafts.sets.push_back({"a b", "memberships", json(R"({"userId":"$auth.uid"})"), "teamId"});
  drafts.sets.push_back({"other", "tasks", json(R"({"ownerId":"$auth.uid"})"), "teamId"});
  drafts.sets.push_back({"third", "none", json("{}"), "teamId"});
  drafts.sets.push_back({"teams", "memberships", json(R"({"userId":{"$gt":1}})"), "teamId"});
  const auto refused = drafted(drafts);
  expectError(ErrorCode::validation, refused);
  std::vector<std::string> paths;
  for (const ErrorDetail& each : refused.error().details()) paths.push_back(each.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/policy/list/filter/n", "/policy/read/filter/none",
                                             "/policy/create/validate", "/sets/0/name", "/sets/1/where",
                                             "/sets/2/collection", "/sets/3/where/userId", "/sets/3/where"}));
  expectError(ErrorCode::notFound, drafted({{draftOf("unknown", "{}")}, {}, false}));
  expectError(ErrorCode::validation,
              drafted({{draftOf("tasks", R"({"read":{"filter":{"a":{"$in":"$auth.sets.none"}}}})")}, {}, false}));
  expectError(ErrorCode::validation, drafted({{draftOf("*", R"({"public":{"read":{}}})")}, {}, false}));
  PolicyDrafts many;
  for (size_t i = 0; i < store::kMaxPolicySets; ++i) {
    many.sets.push_back({fmt::format("s{}", i), "memberships", json(R"({"userId":"$auth.uid"})"), "teamId"});
  }
  expectError(ErrorCode::validation, drafted(many));
}

TEST_F(PolicyTrialTest, DraftsOnGivenDocumentsMayBeNewCollections) {
  teams();
  PolicyDrafts drafts;
  drafts.onGivenDocuments = true;
  drafts.collections.push_back(draftOf("rooms", R"({"read":{"filter":{"houseId":{"$in":"$auth.sets.houses"}}}})",
                                       R"({"properties":{"houseId":{"type":"string"}}})"));
  drafts.collections.push_back(draftOf("residents", ""));
  drafts.sets.push_back({"houses", "residents", json(R"({"who":"$auth.uid"})"), "houseId"});
  const auto project = drafted(drafts);
  ASSERT_TRUE(project) << project.error().message();
  GivenDocuments given;
  given["rooms"] = {json(R"({"id":"kitchen","houseId":"h1"})"), json(R"({"id":"attic","houseId":"h2"})")};
  given["residents"] = {json(R"({"who":"user_alice","houseId":"h1"})")};
  EXPECT_EQ(outcome(alice_, about(Operation::read, "rooms", "kitchen"), &given, *project), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "rooms", "attic"), &given, *project), "hidden 404 NOT_FOUND");
  EXPECT_EQ(*data_->policyTrials().collectionsRead(**project, "rooms", Operation::read),
            (std::vector<std::string>{"residents", "rooms"}));
  drafts.collections.push_back(draftOf("third", R"({"read":{"filter":{"$bad":1}}})"));
  const auto refused = drafted(drafts);
  expectError(ErrorCode::validation, refused);
  EXPECT_TRUE(refused.error().details().front().path.starts_with("/collections/third/policy/read/filter"));
}

TEST_F(PolicyTrialTest, WritesNothing) {
  teams();
  const size_t writes = store_.writes();
  const auto before = store_.all((*snapshot()->get(data_->slot()).find("tasks"))->ref);
  expectOk(drafted({{draftOf("tasks", R"({"read":{}})")}, {}, false}));
  for (const Operation each : {Operation::create, Operation::update, Operation::remove}) {
    expectOk(tried(owner_, about(each, "tasks", "r1", R"({"n":2})")));
    expectOk(tried(alice_, about(each, "tasks", "r1", R"({"n":2})")));
  }
  EXPECT_EQ(store_.writes(), writes);
  EXPECT_EQ(store_.all((*snapshot()->get(data_->slot()).find("tasks"))->ref), before);
}

}  // namespace
}  // namespace mb::data
