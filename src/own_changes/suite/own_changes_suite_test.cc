// The copier on the embedded engine, with a database on the server that MANYBASE_TEST_MONGO_URL names.
#include <thread>

#include "document/json.h"
#include "own_changes/copier.h"
#include "store/embedded/testing.h"
#include "store/mongo/commands.h"
#include "store/mongo/suite/test_server.h"
#include "store/own/pending_writes.h"
#include "store/own/router.h"
#include "store/own/testing.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::own_changes {
namespace {

namespace own = store::own;

using store::ActorKind;
using store::ChangeEntry;
using Kind = ChangeEntry::Kind;

std::vector<store::SystemCollection> allCollections() {
  std::vector<store::SystemCollection> all = own::systemCollections();
  all.push_back(audit::auditCollection());
  return all;
}

// A copier that runs while this exists.
class RunningCopier {
 public:
  RunningCopier(CopierDeps deps, Cores& cores) : copier_(deps) { copier_.start(cores.at(0).get_executor(), passes_); }
  ~RunningCopier() {
    copier_.stop();
    passes_.closeAndWait(std::chrono::seconds(10));
  }

 private:
  TaskGroup passes_;
  Copier copier_;
};

class CopierSuite : public ::testing::Test {
 protected:
  CopierSuite() {
    settings_.minFreeDiskBytes = 0;
    cores_.start();
    auto main = store::EmbeddedStore::open(folder_.path(), settings_, cores_, allCollections(), clock_);
    if (!main) throw std::runtime_error(main.error().message());
    router_ = std::make_unique<own::Router>(*std::move(main), databases_);
    project_ = must(router_->allocateProject());
    connect(true);
    const store::CollectionInfo made = must(router_->createCollection(project_, "orders", {}, {}));
    orders_ = {project_, made.number, made.version};
  }
  ~CopierSuite() override {
    end();
    router_.reset();
    databases_.stop();
    cores_.stop();
    cores_.join();
    store::dropDatabases(name_);
  }

  template <class T>
  T must(Task<T> task) {
    auto result = store::testing::runOn(cores_, 0, std::move(task));
    if (!result) {
      ADD_FAILURE() << result.error().message() << " " << result.error().cause();
      throw std::runtime_error("a call failed");
    }
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }
  void connect(bool changeStreams) {
    own::DatabaseConfig config;
    config.address.uri = store::uriOfServer();
    config.address.database = name_;
    config.capabilities = {changeStreams, true, true};
    config.coverKey = std::string(own::Cover::kKeyBytes, 'k');
    databases_.set(project_, std::move(config));
  }
  std::unique_ptr<RunningCopier> another() {
    return std::make_unique<RunningCopier>(CopierDeps{*router_, databases_, auditor_, clock_, cores_, nullptr}, cores_);
  }
  void begin() { copier_ = another(); }
  void end() { copier_.reset(); }
  own::StreamRecord stream() {
    const auto stored = must(router_->get(own::streamOf(project_), std::string(own::kStreamId), {}));
    return stored ? *store::fromStore<own::StreamRecord>(stored->view()) : own::StreamRecord();
  }
  template <class Condition>
  void await(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << "the condition does not hold in time";
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  // Starts the copier, and returns once it copies.
  void follow() {
    begin();
    await([this] { return !stream().token.empty(); });
  }
  // The log, once it has `count` entries.
  std::vector<ChangeEntry> log(size_t count) {
    std::vector<ChangeEntry> entries;
    await([&] {
      entries = must(router_->changes(project_, 0, 100)).entries;
      return entries.size() >= count;
    });
    EXPECT_EQ(entries.size(), count);
    return entries;
  }

  // ---- by users of this deployment
  store::WriteOptions by(const std::string& user) {
    store::WriteOptions options;
    options.actor = {ActorKind::user, user};
    options.trace = "trace-" + user;
    return options;
  }
  void put(const std::string& id, const std::string& fields, const std::string& user) {
    doc::BsonWriter out;
    out.appendString("id", id);
    out.appendAll(*doc::parseJson(fields));
    must(store::testing::put(*router_, orders_, id, out.finish(), by(user)));
  }
  void remove(const std::string& id, const std::string& user) {
    must(store::testing::remove(*router_, orders_, id, by(user)));
  }

  // ---- by others
  void updateOutside(const std::string& query, const std::string& update) {
    doc::BsonWriter out;
    out.appendDocument("q", *doc::parseJson(query));
    out.appendDocument("u", *doc::parseJson(update));
    ASSERT_TRUE(outside_.write(name_, store::mongo::updateCommand("orders", out.finish())));
  }
  void insertOutside(const doc::Document& document) {
    ASSERT_TRUE(outside_.write(name_, store::mongo::insertCommand("orders", std::span(&document, 1))));
  }

  // A pending write for a document that will be stored with `_id` "a" as `after`, as a write by `user` leaves it.
  own::Announcement pendingWriteFor(const doc::Document& after, const std::string& user) {
    own::Announcement one;
    one.key = own::pendingWriteKey(orders_.number, own::nameOfKey(*own::elementOf(after.bytes(), "_id")));
    one.pendingWrite.number = 7;
    one.pendingWrite.after = static_cast<int64_t>(own::versionOf(after.bytes()));
    one.pendingWrite.collection = orders_.number;
    one.pendingWrite.id = "a";
    one.pendingWrite.actorKind = "user";
    one.pendingWrite.actorId = user;
    one.pendingWrite.at = clock_.now();
    return one;
  }
  bool announce(own::Announcement one) { return must(own::announce(*router_, project_, {std::move(one)}, {})); }
  size_t pendingWrites() {
    return must(router_->find(store::queryOf(own::pendingWritesOf(project_), {}, 100, store::readDeadline())))
        .documents.size();
  }

  SystemClock clock_;
  IdGenerator ids_{clock_};
  audit::Auditor auditor_{true, ids_, clock_};
  Cores cores_{2};
  store::embedded::TemporaryFolder folder_;
  store::EmbeddedSettings settings_;
  const std::string name_ = store::newPrefix();
  own::LoopbackGuard guard_;
  own::Databases databases_{guard_};
  std::unique_ptr<own::Router> router_;
  std::unique_ptr<RunningCopier> copier_;
  store::mongo::Connection outside_{store::uriOfServer()};
  store::ProjectNo project_ = 0;
  store::CollectionRef orders_;
};

TEST_F(CopierSuite, EachChangeIsLoggedOnceWithItsActor) {
  follow();
  put("a", R"({"n":1})", "u1");
  updateOutside(R"({"id":"a"})", R"({"$set":{"n":2}})");
  (void)log(2);  // so that what is looked up for the update is its own state
  put("a", R"({"n":3})", "u2");
  remove("a", "u3");
  insertOutside(*doc::parseJson(R"({"_id":"b","n":4})"));
  const std::vector<ChangeEntry> entries = log(5);
  const std::vector<std::pair<ActorKind, std::string>> actors = {{ActorKind::user, "u1"},
                                                                 {ActorKind::external, ""},
                                                                 {ActorKind::user, "u2"},
                                                                 {ActorKind::user, "u3"},
                                                                 {ActorKind::external, ""}};
  const std::vector<Kind> kinds = {Kind::insert, Kind::update, Kind::update, Kind::remove, Kind::insert};
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].actor.kind, actors[i].first) << i;
    EXPECT_EQ(entries[i].actor.id, actors[i].second) << i;
    EXPECT_EQ(entries[i].kind, kinds[i]) << i;
    EXPECT_EQ(entries[i].trace, actors[i].second.empty() ? "" : "trace-" + actors[i].second) << i;
    EXPECT_EQ(entries[i].collection, orders_.number) << i;
  }
  EXPECT_EQ(doc::toJson(*entries[1].after), R"({"id":"a","n":2})");
  EXPECT_EQ(doc::toJson(*entries[2].before), R"({"id":"a","n":2})");
  EXPECT_EQ(doc::toJson(*entries[3].before), R"({"id":"a","n":3})");
  EXPECT_EQ(entries[4].id, "b");
  EXPECT_EQ(pendingWrites(), 0u);
}

TEST_F(CopierSuite, WhatHappensWithoutItIsCopiedLater) {
  follow();
  put("a", R"({"n":1})", "u1");
  (void)log(1);
  end();
  // The stream is copied, by a process that has ended.
  put("a", R"({"n":2})", "u2");
  updateOutside(R"({"id":"a"})", R"({"$set":{"n":3}})");
  EXPECT_EQ(must(router_->changes(project_, 0, 100)).entries.size(), 1u);
  begin();
  const std::vector<ChangeEntry> entries = log(3);
  EXPECT_EQ(entries[1].actor.id, "u2");
  EXPECT_EQ(entries[2].actor.kind, ActorKind::external);
}

TEST_F(CopierSuite, WithoutAStreamWritesLogThemselves) {
  connect(false);
  put("a", R"({"n":1})", "u1");
  remove("a", "u2");
  const std::vector<ChangeEntry> entries = log(2);
  EXPECT_EQ(entries[0].actor.id, "u1");
  EXPECT_EQ(entries[1].kind, Kind::remove);
  EXPECT_EQ(pendingWrites(), 0u);
}

TEST_F(CopierSuite, WhatACrashLeftIsLoggedIfTheDocumentIsAsAnnounced) {
  connect(false);
  const doc::Document done = *doc::parseJson(R"({"_id":"a","n":1})");
  EXPECT_FALSE(announce(pendingWriteFor(done, "u1")));
  insertOutside(done);
  // This one was announced and never written.
  own::Announcement never = pendingWriteFor(*doc::parseJson(R"({"_id":"a","n":5})"), "u2");
  never.pendingWrite.number = 8;
  EXPECT_FALSE(announce(std::move(never)));
  begin();
  const std::vector<ChangeEntry> entries = log(1);
  EXPECT_EQ(entries[0].actor.id, "u1");
  EXPECT_EQ(entries[0].kind, Kind::insert);
  EXPECT_EQ(doc::toJson(*entries[0].after), R"({"id":"a","n":1})");
  // It may still be written: its pending write waits.
  EXPECT_EQ(pendingWrites(), 1u);
}

TEST_F(CopierSuite, WritesFromBeforeTheStreamAreLoggedOnce) {
  const doc::Document early = *doc::parseJson(R"({"_id":"a","n":1})");
  EXPECT_FALSE(announce(pendingWriteFor(early, "u1")));
  insertOutside(early);
  follow();
  put("b", R"({"n":2})", "u2");
  const std::vector<ChangeEntry> entries = log(2);
  EXPECT_EQ(entries[0].actor.id, "u1");
  EXPECT_EQ(entries[1].actor.id, "u2");
}

TEST_F(CopierSuite, WritesWhileTheStreamBeginsAreLoggedOnce) {
  constexpr int kWriters = 4;
  constexpr int kWrites = 20;
  std::atomic<int> written = 0;
  std::vector<std::jthread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([this, i, &written] {
      for (int k = 0; k < kWrites; ++k) {
        put(fmt::format("{}-{}", i, k), R"({"n":1})", "u1");
        ++written;
      }
    });
  }
  await([&] { return written >= kWriters; });
  begin();
  writers.clear();
  await([this] { return !stream().token.empty(); });
  put("last", R"({"n":1})", "u1");
  std::vector<ChangeEntry> entries;
  await([&] {
    entries = must(router_->changes(project_, 0, 200)).entries;
    return std::ranges::any_of(entries, [](const ChangeEntry& each) { return each.id == "last"; });
  });
  EXPECT_EQ(entries.size(), size_t{kWriters * kWrites + 1});
  std::set<std::string> ids;
  for (const ChangeEntry& each : entries) {
    EXPECT_EQ(each.actor.id, "u1") << each.id;
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
  }
}

TEST_F(CopierSuite, ALostPastIsAGapAndNoWriteOfOursIsLost) {
  follow();
  end();
  put("a", R"({"n":1})", "u1");
  insertOutside(*doc::parseJson(R"({"_id":"b"})"));
  // A token that the server does not have.
  own::StreamRecord lost = stream();
  doc::BsonWriter token;
  token.appendString("_data", "zz");
  lost.token = toBase64(token.finish().bytes());
  must(store::testing::put(*router_, own::streamOf(project_), lost.id, doc::encode(lost)));
  begin();
  await([this] { return stream().missedAt.has_value(); });
  const std::vector<ChangeEntry> entries = log(2);
  EXPECT_TRUE(entries[0].isGap());
  EXPECT_EQ(entries[1].actor.id, "u1");
  const auto audit =
      must(router_->find(store::queryOf({project_, audit::kAuditCollection, 0}, {}, 100, store::readDeadline())))
          .documents;
  ASSERT_EQ(audit.size(), 1u);
  EXPECT_EQ(audit[0].view().stringOr("action"), "database.changes_missed");
  // It continues with later changes.
  put("c", R"({"n":2})", "u2");
  EXPECT_EQ(log(3)[2].actor.id, "u2");
}

TEST_F(CopierSuite, ARestoreBeginsFromNowWithAGap) {
  follow();
  end();
  insertOutside(*doc::parseJson(R"({"_id":"b"})"));
  must(restartCopying(*router_, project_));
  EXPECT_TRUE(stream().token.empty());
  begin();
  await([this] { return stream().missedAt.has_value(); });
  EXPECT_EQ(stream().restored, std::nullopt);
  put("c", R"({"n":2})", "u2");
  const std::vector<ChangeEntry> entries = log(2);
  EXPECT_TRUE(entries[0].isGap());
  EXPECT_EQ(entries[1].actor.id, "u2");
}

TEST_F(CopierSuite, OfTwoCopiersEachEntryIsOfOne) {
  follow();
  const auto second = another();
  for (int i = 0; i < 30; ++i) put("a", fmt::format(R"({{"n":{}}})", i), "u1");
  const std::vector<ChangeEntry> entries = log(30);
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].after->view().find("n")->toInteger(), static_cast<int64_t>(i));
  }
}

}  // namespace
}  // namespace mb::own_changes
