// The PreHook interface, and writes concurrent with a change of the catalogue.
#include "data/data_fixture.h"
#include "document/update.h"

namespace mb::data {
namespace {

class FakeHook final : public PreHook {
 public:
  bool wants(const snapshot::ProjectSnapshot&, const Collection& collection, WriteEvent) const override {
    return collection.name() == "hooked";
  }
  Task<std::optional<doc::Document>> run(const HookedWrite& write, std::chrono::steady_clock::time_point) override {
    seen.push_back((write.previous ? doc::toJson(doc::FieldSet({"createdAt", "updatedAt"}).strip(*write.previous))
                                   : std::string("none")) +
                   " > " +
                   (write.document ? doc::toJson(doc::FieldSet({"createdAt", "updatedAt"}).strip(*write.document))
                                   : std::string("none")));
    if (duringRun) co_await duringRun();
    if (!abort.empty()) co_return fail(ErrorCode::validation, abort);
    if (answer.empty()) co_return std::nullopt;
    co_return json(answer);
  }

  std::vector<std::string> seen;
  std::string abort;
  std::string answer;
  std::function<Async<void>()> duringRun;
};

class HooksTest : public DataTest {
 protected:
  HooksTest() { data_->documents().setPreHook(hook_); }
  // A concurrent write while the hook runs.
  Async<void> bump() {
    const Access access{owner_, snapshotHere_, Authority::admin, soon()};
    hook_.duringRun = nullptr;
    store::WriteOptions options;
    options.deadline = soon();
    store::Write write(std::move(options));
    const store::Target target = write.change((*snapshotHere_->get(data_->slot()).find("hooked"))->ref, "a");
    auto done = co_await store_.write(
        std::move(write), [target](const store::PreImages& before, store::Changes& changes) -> Result<> {
          changes.put(target, *doc::Update::parse(json(R"({"$inc":{"n":10}})"))->apply(*before[target], Timestamp{1}));
          return {};
        });
    EXPECT_TRUE(done);
    if (always_) hook_.duringRun = [this] { return bump(); };
  }

  FakeHook hook_;
  snapshot::SnapshotPtr snapshotHere_;
  bool always_ = false;
};

TEST_F(HooksTest, SeesTheWriteAndMayReplaceItsDocument) {
  collection("hooked", R"({"create":{"allowedWriteFields":["title"]},"read":{},"update":{},"delete":{}})");
  hook_.answer = R"({"id":"zz","ownerId":"user_bob","title":"changed"})";
  const auto made = create(alice_, "hooked", R"({"id":"a","title":"x"})");
  expectOk(made);
  EXPECT_EQ(R"(none > {"id":"a","title":"x","ownerId":"user_alice"})", hook_.seen.front());
  EXPECT_EQ("a", json(*made).view().stringOr("id"));
  EXPECT_EQ("user_alice", json(*made).view().stringOr("ownerId"));
  EXPECT_EQ("changed", json(*made).view().stringOr("title"));
  hook_.answer = R"({"title":"x","sneaked":1})";
  expectError(ErrorCode::forbidden, create(alice_, "hooked", R"({"title":"x"})"));
  hook_.answer.clear();
  expectOk(patch(alice_, "hooked", "a", R"({"title":"y"})"));
  EXPECT_EQ(R"({"id":"a","title":"changed","ownerId":"user_alice"} > {"id":"a","title":"y","ownerId":"user_alice"})",
            hook_.seen.back());
  expectOk(remove(alice_, "hooked", "a"));
  EXPECT_EQ(R"({"id":"a","title":"y","ownerId":"user_alice"} > none)", hook_.seen.back());
}

TEST_F(HooksTest, AnAbortRefusesTheWrite) {
  collection("hooked", R"({"create":{},"read":{}})");
  hook_.abort = "not today";
  const auto refused = create(alice_, "hooked", R"({"id":"a"})");
  expectError(ErrorCode::validation, refused);
  EXPECT_EQ("not today", refused.error().message());
  expectError(ErrorCode::notFound, get(alice_, "hooked", "a"));
}

TEST_F(HooksTest, AreNotAskedAboutWritesThatWouldBeRefusedAnyway) {
  collection("hooked", R"({"create":{},"update":{"filter":{"ownerId":"$auth.uid"}}})",
             R"({"type":"object","required":["t"]})");
  expectError(ErrorCode::validation, create(alice_, "hooked", R"({"id":"a"})"));
  expectError(ErrorCode::notFound, patch(alice_, "hooked", "a", R"({"t":1})"));
  EXPECT_TRUE(hook_.seen.empty());
}

TEST_F(HooksTest, RunAgainWhenTheDocumentChangedMeanwhile) {
  collection("hooked", R"({"update":{},"read":{}})");
  put("hooked", R"({"id":"a","n":1})");
  snapshotHere_ = snapshot();
  hook_.seen.clear();
  hook_.duringRun = [this] { return bump(); };
  expectOk(patch(alice_, "hooked", "a", R"({"$inc":{"n":1}})"));
  EXPECT_EQ(2u, hook_.seen.size());
  EXPECT_EQ(12, stored("hooked", "a").view().find("n")->toInteger());

  always_ = true;
  hook_.seen.clear();
  hook_.duringRun = [this] { return bump(); };
  const auto refused = patch(alice_, "hooked", "a", R"({"$inc":{"n":1}})");
  expectError(ErrorCode::conflict, refused);
  EXPECT_EQ("the document kept changing while its hooks ran, try again", refused.error().message());
  EXPECT_EQ(3u, hook_.seen.size());
}

TEST_F(HooksTest, AUniqueIndexThatRefusesIsNamedUnlessItIsHidden) {
  expectUniqueRefusals("hooked");
}

TEST_F(HooksTest, AllTriesOfAWriteShareOneCountOfRounds) {
  collection("hooked", R"({"update":{},"read":{}})");
  put("hooked", R"({"id":"a","n":1})");
  hook_.seen.clear();
  int version = 0;
  const AdminAccess manager = managing();
  // A new version of the collection each time, so that the write starts again.
  hook_.duringRun = [&]() -> Async<void> {
    const std::string schema = fmt::format(R"({{"type":"object","title":"{}"}})", ++version);
    expectOk(co_await data_->collections().setSchema(manager, "hooked", json(schema)));
  };
  expectError(ErrorCode::unavailable, patch(alice_, "hooked", "a", R"({"$inc":{"n":1}})"));
  EXPECT_EQ(3u, hook_.seen.size());
  EXPECT_EQ(1, stored("hooked", "a").view().find("n")->toInteger());
}

TEST_F(HooksTest, AWriteUnderAnOldSnapshotIsJudgedByTheNewOne) {
  collection("notes", R"({"create":{},"read":{}})");
  const Access old = as(alice_);
  expectOk(run(data_->collections().setSchema(managing(), "notes", json(R"({"type":"object","required":["title"]})"))));
  expectError(ErrorCode::validation, run(data_->documents().create(old, "notes", json("{}"))));
  expectOk(run(data_->documents().create(old, "notes", json(R"({"id":"a","title":"x"})"))));
  expectOk(run(data_->collections().clearPolicy(managing(), "notes")));
  expectError(ErrorCode::forbidden, run(data_->documents().create(old, "notes", json(R"({"title":"x"})"))));
  expectOk(run(data_->collections().drop(managing(), "notes")));
  expectError(ErrorCode::notFound, run(data_->documents().create(old, "notes", json(R"({"title":"x"})"))));
}

TEST_F(HooksTest, AnAdministratorWithAnOldSnapshotChangesWhatIsThereNow) {
  collection("notes");
  const AdminAccess old = managing();
  expectOk(run(data_->collections().setPolicy(managing(), "notes", json(R"({"read":{}})"))));
  expectOk(run(data_->collections().setSchema(old, "notes", json(R"({"type":"object"})"))));
  EXPECT_EQ(PolicySource::own, data_->collections().policy(*snapshot(), "notes")->source);
}

}  // namespace
}  // namespace mb::data
