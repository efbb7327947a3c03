#include "storage/file_trial.h"

#include <random>

#include "storage/storage_fixture.h"

namespace mb::storage {
namespace {

using policy::Operation;

class FileTrialTest : public StorageFixture {
 protected:
  struct Outcome {
    bool allowed = false;
    int64_t status = 0;
    std::string code;
    bool operator==(const Outcome&) const = default;
  };
  friend void PrintTo(const Outcome& outcome, std::ostream* out) {
    *out << (outcome.allowed ? "allowed " : "not allowed ") << outcome.status << " " << outcome.code;
  }

  const policy::Caller alice_ = endUser("user_a");
  const policy::Caller bob_ = endUser("user_b");

  void rules(const std::string& bucket, std::string_view text) {
    BucketPatch patch{std::nullopt, {doc::Patch<doc::Document>::State::value, json(text)}};
    const auto set = run(storage_->buckets().change(access(), bucket, std::move(patch)));
    EXPECT_TRUE(set) << set.error().message();
  }
  static FileTrial about(Operation operation, std::string bucket, std::optional<std::string> path = std::nullopt,
                         std::string_view body = "") {
    FileTrial trial;
    trial.bucket = std::move(bucket);
    trial.operation = operation;
    trial.path = std::move(path);
    if (!body.empty()) trial.body = json(body);
    return trial;
  }
  Result<data::TrialResult> tried(const policy::Caller& caller, FileTrial trial,
                                  snapshot::SnapshotPtr project = nullptr) {
    Access asked = access(caller);
    if (project) asked.project = std::move(project);
    return run(storage_->fileTrials().run(asked, std::move(trial)));
  }
  std::string outcome(const policy::Caller& caller, FileTrial trial, snapshot::SnapshotPtr project = nullptr) {
    const auto result = tried(caller, std::move(trial), std::move(project));
    if (!result) return "failed: " + result.error().message();
    return fmt::format("{} {}{}",
                       result->allowed  ? "allowed"
                       : result->hidden ? "hidden"
                                        : "denied",
                       result->status, result->code ? " " + *result->code : "");
  }
  std::string steps(const policy::Caller& caller, FileTrial trial) {
    const auto result = tried(caller, std::move(trial));
    if (!result) return result.error().message();
    std::string text;
    for (const doc::Document& step : result->steps) text += doc::toJson(step) + "\n";
    return text;
  }
  std::string names(const policy::Caller& caller, FileTrial trial) {
    const auto result = tried(caller, std::move(trial));
    if (!result) return result.error().message();
    std::string text;
    for (const doc::Document& step : result->steps) {
      text += (step.view().find("passed")->asBool() ? " " : " !") + std::string(step.view().stringOr("step"));
    }
    return text;
  }

  // The real request.
  Outcome request(const policy::Caller& caller, const FileTrial& trial, std::string_view metadata) {
    const std::string path = trial.path.value_or("");
    const auto outcomeOf = [](const auto& result, int64_t success) -> Outcome {
      if (result) return {true, success, ""};
      const ErrorMeaning meaning = meaningOf(result.error().code());
      return {false, meaning.status, std::string(meaning.wire)};
    };
    switch (trial.operation) {
      case Operation::read:
        return outcomeOf(run(storage_->files().open(access(caller), trial.bucket, path, std::nullopt)), 200);
      case Operation::list: {
        const auto list = run(storage_->files().list(access(caller), trial.bucket, {"", 1000, 0}));
        Outcome listed = outcomeOf(list, 200);
        if (list) listed.allowed = std::ranges::find(list->files, path, &FileView::path) != list->files.end();
        return listed;
      }
      case Operation::create: {
        TextUpload upload("text");
        return outcomeOf(
            run(storage_->files().put(access(caller), trial.bucket, path, {"text/plain", json(metadata)}, upload)),
            201);
      }
      case Operation::update:
        return outcomeOf(run(storage_->files().setMetadata(access(caller), trial.bucket, path, json(metadata))), 204);
      default:
        return outcomeOf(run(storage_->files().remove(access(caller), trial.bucket, path)), 204);
    }
  }
};

TEST_F(FileTrialTest, TellsWhatARequestIsAnswered) {
  bucket("docs");
  rules("docs", R"rules({"read":{"filter":{"ownerId":"$auth.uid"}},"list":{"filter":{"path":{"$regex":"^in/"}}},
    "create":{"filter":{"contentType":"text/plain"},"validate":"file.size <= 5"},
    "update":{"filter":{"ownerId":"$auth.uid"},"validate":"file.size <= 5 && previous.path != 'in/locked'"}})rules");
  ASSERT_TRUE(put("docs", "in/a", "text", alice_));
  EXPECT_EQ(outcome(alice_, about(Operation::read, "docs", "in/a")), "allowed 200");
  EXPECT_EQ(outcome(bob_, about(Operation::read, "docs", "in/a")), "hidden 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "docs", "none")), "denied 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "none", "a")), "denied 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "docs", "/bad//path")), "denied 400 INVALID_PARAM");
  EXPECT_EQ(outcome(bob_, about(Operation::list, "docs")), "allowed 200");
  EXPECT_EQ(outcome(bob_, about(Operation::list, "docs", "in/a")), "allowed 200");
  EXPECT_EQ(outcome(bob_, about(Operation::list, "docs", "none")), "denied 200");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "docs", "b", R"({"contentType":"text/plain","size":5})")),
            "allowed 201");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "docs", "b", R"({"contentType":"text/plain","size":6})")),
            "denied 403 FORBIDDEN");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "docs", "b", R"({"contentType":"image/png","size":5})")),
            "denied 403 FORBIDDEN");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "docs", "b", R"({"contentType":"no type"})")),
            "denied 400 INVALID_PARAM");
  // The file at the path decides.
  EXPECT_EQ(outcome(alice_, about(Operation::create, "docs", "in/a", R"({"contentType":"image/png","size":5})")),
            "allowed 201");
  EXPECT_EQ(outcome(bob_, about(Operation::create, "docs", "in/a", R"({"contentType":"text/plain","size":5})")),
            "hidden 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "docs", "in/a", R"({"metadata":{"a":1}})")), "allowed 204");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "docs", "in/a", R"({"size":2})")), "allowed 201");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "docs", "in/a", R"({"size":9})")), "denied 403 FORBIDDEN");
  EXPECT_EQ(outcome(alice_, about(Operation::update, "docs", "none", R"({"metadata":{}})")), "denied 404 NOT_FOUND");
  EXPECT_EQ(outcome(bob_, about(Operation::update, "docs", "in/a", R"({"metadata":{}})")), "hidden 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::remove, "docs", "in/a")), "denied 403 FORBIDDEN") << "no rule";
  EXPECT_EQ(outcome(admin(), about(Operation::remove, "docs", "in/a")), "allowed 204");
  EXPECT_EQ(outcome(admin(), about(Operation::create, "docs", "b", fmt::format(R"({{"size":{}}})", kMaxFileSize + 1))),
            "denied 413 PAYLOAD_TOO_LARGE");
  EXPECT_EQ(outcome(policy::Caller(), about(Operation::read, "docs", "in/a")), "denied 404 NOT_FOUND");
  EXPECT_EQ(outcome(policy::Caller(), about(Operation::list, "docs")), "denied 401 UNAUTHENTICATED");

  FileTrial standing = about(Operation::update, "docs", std::nullopt, R"({"metadata":{}})");
  standing.document = json(R"({"path":"in/locked","ownerId":"user_a","size":1,"createdAt":"2026-01-01T00:00:00Z"})");
  EXPECT_EQ(outcome(alice_, standing), "denied 403 FORBIDDEN");
  EXPECT_EQ(outcome(bob_, standing), "hidden 404 NOT_FOUND");
  EXPECT_EQ(stored(), "1 4") << "nothing was written";
}

TEST_F(FileTrialTest, ExplainsEachStep) {
  teams();
  bucket("docs");
  rules(
      "docs",
      R"rules({"read":{"filter":{"metadata.team":{"$in":"$auth.sets.teams"}}},"create":{"validate":"file.size < 5"}})rules");
  TextUpload upload("text");
  ASSERT_TRUE(run(storage_->files().put(access(), "docs", "a", {"text/plain", json(R"({"team":"blue"})")}, upload)));
  EXPECT_EQ(
      steps(alice_, about(Operation::read, "docs", "a")),
      R"({"step":"permission","passed":true,"needed":"storage:read","by":"storage:read"})"
      "\n"
      R"({"step":"rule","passed":true,"source":"own","rule":{"filter":{"metadata.team":{"$in":"$auth.sets.teams"}}}})"
      "\n"
      R"({"step":"placeholders","passed":true,"values":{"$auth.sets.teams":["red"]},"unresolved":[]})"
      "\n"
      R"({"step":"filter","passed":true,"filter":{"metadata.team":{"$in":["red"]}}})"
      "\n"
      R"({"step":"document","passed":false,"found":true,"conditions":[{"path":"metadata.team",)"
      R"("condition":{"$in":["red"]},"value":"blue","passed":false}]})"
      "\n");
  EXPECT_EQ(names(alice_, about(Operation::list, "docs")), " permission !rule");
  EXPECT_EQ(names(alice_, about(Operation::create, "docs", "b", R"({"size":1})")), " permission rule validate");
  EXPECT_EQ(names(alice_, about(Operation::create, "docs", "b", R"({"size":6})")), " permission rule !validate");
  EXPECT_EQ(names(admin(), about(Operation::read, "docs", "none")), " permission !document");
  policy::Caller without = alice_;
  without.permissions = std::make_shared<const policy::PermissionSet>(std::vector<std::string>{"data:*"});
  EXPECT_EQ(names(without, about(Operation::read, "docs", "a")), " !permission");

  bucket("plain");
  ASSERT_TRUE(put("plain", "a", "x", bob_));
  EXPECT_EQ(steps(alice_, about(Operation::read, "plain", "a")),
            R"({"step":"permission","passed":true,"needed":"storage:read","by":"storage:read"})"
            "\n"
            R"({"step":"rule","passed":true,"source":"default","rule":{"filter":{"ownerId":"$auth.uid"}}})"
            "\n"
            R"({"step":"document","passed":false,"found":true,"conditions":[{"path":"ownerId","condition":"user_a",)"
            R"("value":"user_b","passed":false}]})"
            "\n");
  bucket("open", "public");
  ASSERT_TRUE(put("open", "a", "x", bob_));
  EXPECT_EQ(steps(policy::Caller(), about(Operation::read, "open", "a")),
            "{\"step\":\"rule\",\"passed\":true,\"source\":\"public\",\"rule\":{}}\n");
}

TEST_F(FileTrialTest, EvaluatesDrafts) {
  teams();
  bucket("docs");
  ASSERT_TRUE(put("docs", "a", "text", bob_));
  const FileTrials& trials = storage_->fileTrials();
  const auto project = trials.withDrafts(snapshot(shop_), "docs", json(R"({"read":{"filter":{"path":"a"}},
    "create":{"filter":{"metadata.team":{"$in":"$auth.sets.teams"}}}})"));
  ASSERT_TRUE(project) << project.error().message();
  EXPECT_EQ(outcome(alice_, about(Operation::read, "docs", "a"), *project), "allowed 200");
  EXPECT_EQ(outcome(alice_, about(Operation::read, "docs", "a")), "hidden 404 NOT_FOUND");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "docs", "b", R"({"metadata":{"team":"red"}})"), *project),
            "allowed 201");
  EXPECT_EQ(outcome(alice_, about(Operation::create, "docs", "b", R"({"metadata":{"team":"blue"}})"), *project),
            "denied 403 FORBIDDEN");
  EXPECT_EQ(*trials.collectionsRead(**project, "docs", Operation::create), (std::vector<std::string>{"members"}));
  EXPECT_EQ(*trials.collectionsRead(**project, "docs", Operation::read), std::vector<std::string>{});
  EXPECT_EQ(codeOf(trials.collectionsRead(**project, "none", Operation::read)), "NOT_FOUND");

  const auto refused = trials.withDrafts(snapshot(shop_), "docs", json(R"({"read":{"filter":{"none":1}}})"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().details().front().path, "/rules/read/filter/none");
  EXPECT_EQ(codeOf(trials.withDrafts(snapshot(shop_), "docs",
                                     json(R"({"read":{"filter":{"path":{"$in":"$auth.sets.none"}}}})"))),
            "VALIDATION");
  EXPECT_EQ(codeOf(trials.withDrafts(snapshot(shop_), "none", std::nullopt)), "NOT_FOUND");
  const auto none = trials.withDrafts(*project, "docs", doc::Document());
  EXPECT_EQ(outcome(alice_, about(Operation::read, "docs", "a"), *none), "hidden 404 NOT_FOUND") << "no rules";
}

TEST_F(FileTrialTest, RefusesTrialsThatLackAPart) {
  bucket("docs");
  for (const FileTrial& trial :
       {about(Operation::read, "docs"), about(Operation::remove, "docs"),
        about(Operation::create, "docs", std::nullopt, "{}"), about(Operation::admin, "docs", "a"),
        about(Operation::create, "docs", "a", R"({"size":"x"})"),
        about(Operation::create, "docs", "a", R"({"path":"b"})")}) {
    EXPECT_EQ(codeOf(tried(alice_, trial)), "VALIDATION");
  }
  EXPECT_EQ(codeOf(tried(alice_, about(Operation::create, "docs", "a"))), "INVALID_BODY");
  FileTrial standing = about(Operation::read, "docs", "a");
  standing.document = json(R"({"size":"x"})");
  const auto refused = tried(alice_, standing);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().details().front().path, "/document/size");
}

// Trials and real requests on the same state.
TEST_F(FileTrialTest, AgreesWithTheRequest) {
  teams();
  bucket("docs");
  std::mt19937_64 random(7);
  const auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::vector<std::string> rulesOf = {
      R"({"filter":{"ownerId":"$auth.uid"}})",
      R"({"filter":{"metadata.team":{"$in":"$auth.sets.teams"}}})",
      "{}",
      R"({"validate":"file.size <= 4 && file.path != 'f1'"})",
      R"({"validate":"file.metadata.team in auth.sets.teams"})",
      R"x({"filter":{"path":{"$regex":"^f[0-2]"}},"validate":"has(file.metadata.team)"})x"};
  const std::vector<policy::Caller> callers = {alice_,
                                               bob_,
                                               endUser("user_c", "editor"),
                                               admin(),
                                               callerWith({"storage:read"}),
                                               callerWith({"storage:read", "storage:write"})};
  size_t allowed = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> parts;
    for (const char* name : {"read", "list", "create", "update", "delete"}) {
      if (pick(8) != 0) parts.push_back(fmt::format(R"("{}":{})", name, rulesOf[pick(rulesOf.size())]));
    }
    rules("docs", round % 8 == 0 ? "{}" : fmt::format("{{{}}}", fmt::join(parts, ",")));
    for (int i = 0; i < 25; ++i) {
      static constexpr std::array kOperations = {Operation::read,   Operation::list,   Operation::create,
                                                 Operation::create, Operation::update, Operation::remove};
      const policy::Caller& caller = callers[pick(callers.size())];
      const std::string metadata = pick(2) == 0 ? R"({"team":"red"})" : R"({"team":"blue"})";
      FileTrial trial = about(kOperations[pick(6)], "docs", fmt::format("f{}", pick(4)));
      if (trial.operation == Operation::create) {
        trial.body = json(fmt::format(R"({{"contentType":"text/plain","size":4,"metadata":{}}})", metadata));
      } else if (trial.operation == Operation::update) {
        trial.body = json(fmt::format(R"({{"metadata":{}}})", metadata));
      }
      const auto result = tried(caller, trial);
      ASSERT_TRUE(result) << result.error().message();
      const Outcome outcome{result->allowed, result->status, result->code.value_or("")};
      const Outcome real = request(caller, trial, metadata);
      ASSERT_EQ(outcome, real) << fmt::format("{}", fmt::join(parts, ",")) << "\n"
                               << caller.id << " " << operationName(trial.operation) << " " << *trial.path << " "
                               << metadata << "\n"
                               << steps(caller, trial);
      allowed += real.allowed ? 1 : 0;
    }
  }
  EXPECT_GT(allowed, 200U);
  EXPECT_LT(allowed, 900U);
}

}  // namespace
}  // namespace mb::storage
