// Versions of documents, and the conditions of changes.
#include "data/data_fixture.h"

namespace mb::data {
namespace {

constexpr std::string_view kAllowAll = R"({"read":{},"list":{},"create":{},"update":{},"delete":{}})";

WriteCondition ifMatch(std::vector<std::string> tags) {
  return {.match = EntityTags{false, std::move(tags)}, .noneMatch = {}};
}
WriteCondition ifMatchAny() {
  return {.match = EntityTags{true, {}}, .noneMatch = {}};
}
WriteCondition ifNoneMatch(std::vector<std::string> tags) {
  return {.match = {}, .noneMatch = EntityTags{false, std::move(tags)}};
}
WriteCondition ifAbsent() {
  return {.match = {}, .noneMatch = EntityTags{true, {}}};
}

class CountingHook final : public PreHook {
 public:
  bool wants(const snapshot::ProjectSnapshot&, const Collection&, WriteEvent) const override { return true; }
  Task<std::optional<doc::Document>> run(const HookedWrite&, std::chrono::steady_clock::time_point) override {
    ++runs;
    if (duringRun) std::exchange(duringRun, nullptr)();
    co_return std::nullopt;
  }
  int runs = 0;
  std::function<void()> duringRun;
};

class VersionsTest : public DataTest {
 protected:
  VersionsTest() { otherCores_.start(); }
  ~VersionsTest() override { otherCores_.stop(); }
  Documents& documents() { return data_->documents(); }
  std::string tag(const policy::Caller& caller, const std::string& id, const std::string& name = "notes") {
    const Access access = as(caller);
    auto found = run(documents().get(access, name, id, {}));
    if (!found) return found.error().message();
    return etagOf(*found->version);
  }
  // The response's tag.
  Result<std::string> update(const policy::Caller& caller, const std::string& id, std::string_view body,
                             WriteCondition condition, const std::string& name = "notes") {
    const Access access = as(caller);
    auto changed = run(documents().update(access, name, id, json(body), std::move(condition)));
    if (!changed) return std::unexpected(std::move(changed).error());
    return etagOf(*changed->version);
  }
  Result<std::string> put(const policy::Caller& caller, const std::string& id, std::string_view body,
                          WriteCondition condition) {
    const Access access = as(caller);
    auto changed = run(documents().replace(access, "notes", id, json(body), std::move(condition)));
    if (!changed) return std::unexpected(std::move(changed).error());
    return etagOf(*changed->version);
  }
  Result<> removeIf(const policy::Caller& caller, const std::string& id, WriteCondition condition,
                    const std::string& name = "notes") {
    const Access access = as(caller);
    return run(documents().remove(access, name, id, std::move(condition)));
  }
  store::CollectionRef notes() { return (*snapshot()->get(data_->slot()).find("notes"))->ref; }
  // Writes the document as another client would, with the same or other contents.
  void rewrite(bool same) {
    store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
    const store::Target target = write.change(ref_, "a");
    auto task = store_.write(
        std::move(write), [target, same](const store::PreImages& before, store::Changes& changes) -> Result<> {
          changes.put(target, same ? *before[target] : json(R"({"id":"a","ownerId":"user_alice","n":77})"));
          return {};
        });
    expectOk(store::testing::runOn(otherCores_, 0, std::move(task)));
  }
  static std::string text(const std::optional<VisibleDocument>& visible) { return visible ? shown(*visible) : "-"; }

  CountingHook hook_;
  store::CollectionRef ref_;
  Cores otherCores_{1};  // where another client's writes run
};

TEST_F(VersionsTest, EachChangeHasAnotherOne) {
  collection("notes", kAllowAll);
  const Access access = as(alice_);
  const auto made = run(documents().create(access, "notes", json(R"({"id":"a","n":1})")));
  ASSERT_TRUE(made);
  const std::string first = etagOf(*made->version);
  EXPECT_EQ(first, tag(alice_, "a"));
  EXPECT_EQ(first, tag(bob_, "a"));
  const auto second = update(alice_, "a", R"({"n":2})", {});
  ASSERT_TRUE(second);
  EXPECT_NE(first, *second);
  EXPECT_EQ(*second, tag(alice_, "a"));
  // A change that leaves the document as it was writes nothing.
  EXPECT_EQ(*second, *update(alice_, "a", R"({"n":2})", {}));
  EXPECT_EQ(*second, tag(alice_, "a"));
  const auto third = put(alice_, "a", R"({"n":1})", {});
  ASSERT_TRUE(third);
  EXPECT_NE(*second, *third);
  EXPECT_NE(first, *third);
  expectOk(remove(alice_, "notes", "a"));
  expectOk(create(alice_, "notes", R"({"id":"a","n":1})"));
  for (const std::string& each : {first, *second, *third}) EXPECT_NE(each, tag(alice_, "a"));
}

TEST_F(VersionsTest, AnExpandedDocumentHasNone) {
  collection("notes", kAllowAll);
  expectOk(create(alice_, "notes", R"({"id":"a"})"));
  const Access access = as(alice_);
  ReadQuery query;
  query.expand = {"x"};
  EXPECT_FALSE(run(documents().get(access, "notes", "a", query))->version);
}

TEST_F(VersionsTest, AChangeFailsWhereItsConditionDoesNotHold) {
  collection("notes", kAllowAll);
  expectOk(create(alice_, "notes", R"({"id":"a","n":1})"));
  const std::string first = tag(alice_, "a");
  const std::string second = *update(alice_, "a", R"({"n":2})", ifMatch({"\"x\"", first}));
  for (WriteCondition (*fails)(std::vector<std::string>) : {ifMatch, ifNoneMatch}) {
    const std::vector<std::string> tags = {fails == ifMatch ? first : second};
    expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":3})", fails(tags)));
    expectError(ErrorCode::preconditionFailed, put(alice_, "a", R"({"n":3})", fails(tags)));
    expectError(ErrorCode::preconditionFailed, removeIf(alice_, "a", fails(tags)));
  }
  expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":3})", ifMatch({})));
  expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":3})", ifAbsent()));
  expectError(ErrorCode::preconditionFailed, removeIf(alice_, "a", ifAbsent()));
  // A condition is checked before the change is computed.
  expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"$inc":{"id":1}})", ifMatch({first})));
  EXPECT_EQ(second, tag(alice_, "a"));
  EXPECT_EQ(2, stored("notes", "a").view().find("n")->toInteger());

  expectOk(update(alice_, "a", R"({"n":4})", ifMatchAny()));
  expectOk(update(alice_, "a", R"({"n":5})", ifNoneMatch({first, second})));
  expectOk(put(alice_, "a", R"({"n":6})", ifMatch({tag(alice_, "a")})));
  expectOk(removeIf(alice_, "a", ifMatch({tag(alice_, "a")})));
  expectError(ErrorCode::notFound, update(alice_, "a", R"({"n":4})", ifMatchAny()));
  expectError(ErrorCode::notFound, put(alice_, "a", R"({"n":4})", ifMatch({first})));
  expectError(ErrorCode::notFound, removeIf(alice_, "a", ifMatchAny()));
  expectError(ErrorCode::notFound, removeIf(alice_, "a", ifNoneMatch({first})));
}

TEST_F(VersionsTest, PermissionRuleAndVisibilityComeFirst) {
  collection("notes", R"({"read":{},"create":{},"update":{"filter":{"ownerId":"$auth.uid"}}})");
  expectOk(create(alice_, "notes", R"({"id":"a","n":1})"));
  policy::Caller reader = user("user_reader");
  reader.permissions = permissions({"data:*:read"});
  for (const WriteCondition& condition :
       {ifMatch({"\"stale\""}), ifMatch({tag(alice_, "a")}), ifMatchAny(), ifNoneMatch({tag(alice_, "a")})}) {
    expectError(ErrorCode::notFound, update(bob_, "a", R"({"n":2})", condition));
    expectError(ErrorCode::notFound, put(bob_, "a", R"({"n":2})", condition));
    expectError(ErrorCode::forbidden, update(reader, "a", R"({"n":2})", condition));
    expectError(ErrorCode::forbidden, removeIf(alice_, "a", condition));
    expectError(ErrorCode::notFound, update(alice_, "missing", R"({"n":2})", condition));
  }
  expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":2})", ifMatch({"\"stale\""})));
}

TEST_F(VersionsTest, ADocumentOfAnEarlierReleaseHasTheSameTagUntilItIsWritten) {
  collection("notes", kAllowAll);
  expectOk(create(alice_, "notes", R"({"id":"a","n":1})"));
  store_.forgetVersion(notes(), "a");
  EXPECT_EQ(R"("0")", tag(alice_, "a"));
  const auto changed = update(alice_, "a", R"({"n":2})", ifMatch({R"("0")"}));
  ASSERT_TRUE(changed);
  EXPECT_NE(R"("0")", *changed);
  expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":3})", ifMatch({R"("0")"})));
}

TEST_F(VersionsTest, TheConditionIsCheckedUnderTheLock) {
  collection("notes", kAllowAll);
  ref_ = notes();
  for (const bool same : {false, true}) {
    expectOk(create(alice_, "notes", R"({"id":"a","n":1})"));
    const std::string first = tag(alice_, "a");
    store_.beforeNextWrite([this, same] { rewrite(same); });
    expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":2})", ifMatch({first})));
    expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":2})", ifMatch({first})));
    expectOk(remove(alice_, "notes", "a"));
  }
}

TEST_F(VersionsTest, AReplacementThatDemandsAbsenceCreates) {
  collection("notes", R"({"read":{},"create":{"allowedWriteFields":["n"]},"update":{}})",
             R"({"type":"object","properties":{"n":{"type":"integer","default":7}}})");
  const auto made = put(alice_, "a", R"({"id":"other"})", ifAbsent());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(*made, tag(bob_, "a"));
  const doc::Document document = stored("notes", "a");
  EXPECT_EQ("user_alice", document.view().stringOr("ownerId"));
  EXPECT_EQ(7, document.view().find("n")->toInteger());
  // By the rule of create.
  expectError(ErrorCode::forbidden, put(alice_, "b", R"({"m":1})", ifAbsent()));
  expectError(ErrorCode::validation, put(alice_, "b", R"({"n":"text"})", ifAbsent()));
  expectError(ErrorCode::validation, put(alice_, "not an id", "{}", ifAbsent()));
  expectError(ErrorCode::preconditionFailed, put(alice_, "a", R"({"n":1})", ifAbsent()));
  expectError(ErrorCode::preconditionFailed, put(alice_, "a", R"({"n":"text"})", ifAbsent()));
  expectError(ErrorCode::preconditionFailed, put(bob_, "a", R"({"n":1})", ifAbsent()));
  WriteCondition both = ifAbsent();
  both.match = EntityTags{true, {}};
  expectError(ErrorCode::preconditionFailed, put(alice_, "a", R"({"n":1})", both));
  expectError(ErrorCode::preconditionFailed, put(alice_, "b", R"({"n":1})", both));
  EXPECT_EQ(*made, tag(alice_, "a"));

  policy::Caller updater = user("user_updater");
  updater.permissions = permissions({"data:*:update", "data:*:read"});
  expectError(ErrorCode::forbidden, put(updater, "b", R"({"n":1})", ifAbsent()));
  expectError(ErrorCode::notFound, put(alice_, "b", R"({"n":1})", {}));
}

TEST_F(VersionsTest, HooksRunForWritesWhoseConditionHolds) {
  collection("notes", kAllowAll);
  expectOk(create(alice_, "notes", R"({"id":"a","n":1})"));
  ref_ = notes();
  documents().setPreHook(hook_);
  const std::string first = tag(alice_, "a");
  expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":2})", ifMatch({"\"stale\""})));
  EXPECT_EQ(0, hook_.runs);
  for (const bool same : {true, false}) {
    const std::string before = tag(alice_, "a");
    hook_.runs = 0;
    hook_.duringRun = [this, same] { store_.beforeNextWrite([this, same] { rewrite(same); }); };
    expectError(ErrorCode::preconditionFailed, update(alice_, "a", R"({"n":2})", ifMatch({before})));
    EXPECT_EQ(1, hook_.runs);
  }
  EXPECT_EQ(77, stored("notes", "a").view().find("n")->toInteger());
  expectOk(update(alice_, "a", R"({"n":2})", ifMatch({tag(alice_, "a")})));
  expectOk(put(alice_, "b", R"({"n":2})", ifAbsent()));
  expectError(ErrorCode::preconditionFailed, put(alice_, "b", R"({"n":2})", ifAbsent()));
}

TEST_F(VersionsTest, ConditionsHoldWithReferences) {
  collection("notes", kAllowAll);
  collection("replies", kAllowAll);
  NewIndex index;
  index.keys = json(R"({"note":1})");
  expectOk(run(data_->collections().createIndex(managing(), "replies", index)));
  expectOk(run(data_->collections().setSchema(
      managing(), "replies",
      json(
          R"({"type":"object","properties":{"note":{"type":"string","x-ref":{"collection":"notes","onDelete":"restrict"}}}})"))));
  expectOk(create(alice_, "notes", R"({"id":"a"})"));
  expectOk(create(alice_, "replies", R"({"id":"r","note":"a"})"));
  const std::string first = tag(alice_, "r", "replies");
  const auto second = update(alice_, "r", R"({"n":1})", ifMatch({first}), "replies");
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, tag(alice_, "r", "replies"));
  expectError(ErrorCode::preconditionFailed, update(alice_, "r", R"({"note":"none"})", ifMatch({first}), "replies"));
  // The version comes before the documents that refer to the document.
  expectError(ErrorCode::preconditionFailed, removeIf(alice_, "a", ifMatch({"\"stale\""})));
  expectError(ErrorCode::conflict, removeIf(alice_, "a", ifMatch({tag(alice_, "a")})));
  expectOk(removeIf(alice_, "r", ifMatch({*second}), "replies"));
  expectError(ErrorCode::preconditionFailed, removeIf(alice_, "a", ifMatch({"\"stale\""})));
  expectOk(removeIf(alice_, "a", ifMatch({tag(alice_, "a")})));
}

TEST_F(VersionsTest, AWrittenDocumentIsShownAsFarAsItsCallerMayReadIt) {
  collection("notes", R"({"read":{"filter":{"open":true},"deniedReadFields":["secret"]},"create":{},"update":{}})");
  expectOk(create(alice_, "notes", R"({"id":"a","open":true,"secret":1})"));
  const auto written = [&](const policy::Caller& caller, std::string_view body) {
    const Access access = as(caller);
    auto changed = run(documents().update(access, "notes", "a", json(body)));
    EXPECT_TRUE(changed);
    const auto version = changed->version;
    auto readable = run(documents().readable(access, "notes", *std::move(changed)));
    EXPECT_TRUE(readable);
    if (*readable) EXPECT_EQ(version, (*readable)->version);
    return text(*readable);
  };
  const std::string seen = written(alice_, R"({"n":1})");
  EXPECT_NE(seen.find(R"("n":1)"), std::string::npos);
  EXPECT_EQ(seen.find("secret"), std::string::npos);
  EXPECT_EQ("-", written(alice_, R"({"open":false})"));
  policy::Caller writer = user("user_writer");
  writer.permissions = permissions({"data:*:update"});
  EXPECT_EQ("-", written(writer, R"({"open":true})"));
}

}  // namespace
}  // namespace mb::data
