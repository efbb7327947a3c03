// ChainCheck on entries in a store that are tampered with through the store itself.
#include "audit/chain_check.h"

#include "audit/journal.h"
#include "audit/retention.h"
#include "document/json.h"
#include "store/embedded/backup.h"
#include "store/embedded/testing.h"

namespace mb::audit {
namespace {

using store::Change;

constexpr int64_t kDayMs = 24LL * 3600 * 1000;

class ChainTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initCrypto(); }
  ChainTest() : opened_({auditCollection()}) { project_ = opened_.must(opened_.store().allocateProject()); }

  store::CollectionRef journal() const { return {project_, kAuditCollection, 0}; }
  store::Write write() const { return store::Write({.deadline = soon(), .actor = {}, .bumpEpochs = {}}); }
  void change(const std::string& id, const std::optional<doc::Document>& document) {
    store::Write one = write();
    const store::Target entry = one.change(journal(), id);
    opened_.must(opened_.store().write(
        std::move(one), [&document, entry](const store::PreImages&, store::Changes& changes) -> Result<> {
          changes.set(entry, document ? Change::put(*document) : Change::remove());
          return {};
        }));
  }
  // Ids of new entries, oldest first.
  std::vector<std::string> record(int count, const std::string& action = "user.block") {
    std::vector<std::string> recorded;
    for (int i = 0; i < count; ++i) {
      clock_.advance(10);
      auto entries = auditor_.entry(project_, action, {"member", "user_1", std::nullopt}, "users/user_2", "", "");
      recorded.push_back(entries.front().id());
      store::Write one = write();
      one.insert(std::move(entries));
      opened_.must(opened_.store().write(std::move(one), nullptr));
    }
    return recorded;
  }
  void put(const std::string& id, const doc::Document& document) { change(id, document); }
  void remove(const std::string& id) { change(id, std::nullopt); }
  doc::Document at(const std::string& id) { return *opened_.must(opened_.store().get(journal(), id)); }
  // `document` with one field set to `value`.
  static doc::Document with(doc::DocumentView document, std::string_view field, doc::ValueView value) {
    doc::BsonWriter out;
    for (const doc::Element& each : document) out.append(each.key, each.key == field ? value : each.value);
    return out.finish();
  }
  static doc::Document edited(doc::DocumentView document) {
    const doc::Document other = *doc::parseJson(R"({"action":"user.activate"})");
    return with(document, "action", *other.view().find("action"));
  }
  // An edited entry, with the hash recomputed for its position.
  static doc::Document forged(doc::DocumentView document) {
    const doc::Document changed = edited(document);
    doc::BsonWriter hash;
    hash.appendString("hash", toHex(store::chainHash(store::linkOf(document)->prev, changed)));
    const doc::Document recomputed = hash.finish();
    return with(changed, "hash", *recomputed.view().find("hash"));
  }

  ChainReport check(std::optional<Digest> expected = std::nullopt) {
    const std::filesystem::path path = opened_.path() / fmt::format("image{}", images_++);
    EXPECT_TRUE(opened_.store().checkpoint(path));
    auto image = store::StoreImage::open(path);
    EXPECT_TRUE(image);
    ChainCheck check(expected);
    EXPECT_TRUE((*image)->each(project_, kAuditCollection, [&](doc::DocumentView entry) -> Result<> {
      if (!store::namesPlace(entry)) check.takeOlder(entry);
      return {};
    }));
    EXPECT_TRUE((*image)->eachBy(project_, kAuditCollection, kByPlace, [&](doc::DocumentView entry) -> Result<> {
      check.take(entry);
      return {};
    }));
    return check.finish((*image)->stats(project_, kAuditCollection)->documents,
                        *(*image)->chainHead(project_, kAuditCollection));
  }
  std::string problem() { return check().problem; }
  static store::Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(30); }
  uint64_t pruned(int64_t days) {
    Retention retention(opened_.store(), ids_, clock_, days);
    return opened_.must(retention.prune(project_));
  }

  ManualClock clock_{1'800'000'000'000};
  IdGenerator ids_{clock_};
  Auditor auditor_{true, ids_, clock_};
  store::embedded::OpenedStore opened_;
  store::ProjectNo project_ = 0;
  int images_ = 0;
};

TEST_F(ChainTest, AWholeOneIsWhole) {
  EXPECT_EQ(problem(), "");
  record(5);
  const ChainReport report = check();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.entries, 5U);
  EXPECT_EQ(report.older, 0U);
  EXPECT_EQ(report.head.seq, 5U);
  EXPECT_EQ(report.to->ms - report.from->ms, 40);
}

TEST_F(ChainTest, ARemovedEntryIsNamed) {
  const auto ids = record(6);
  remove(ids[2]);
  EXPECT_EQ(problem(), "entry 3 is missing, before " + ids[3]);
  remove(ids[3]);
  EXPECT_EQ(problem(), "entries 3 to 4 are missing, before " + ids[4]);
}

TEST_F(ChainTest, MissingFirstEntriesAreReported) {
  const auto ids = record(4);
  remove(ids[0]);
  EXPECT_EQ(problem(), "entry 1 is missing at the beginning");
}

TEST_F(ChainTest, AMissingEndShowsAgainstTheRecordedOne) {
  const auto ids = record(5);
  remove(ids[4]);
  EXPECT_EQ(problem(), "entry 5 is missing at the end");
  for (const std::string& id : ids) {
    if (id != ids[4]) remove(id);
  }
  EXPECT_EQ(problem(), "entries 1 to 5 are missing at the end");
}

TEST_F(ChainTest, AnEditedEntryIsNamed) {
  const auto ids = record(4);
  put(ids[1], edited(at(ids[1])));
  EXPECT_EQ(problem(), "entry 2 (" + ids[1] + ") was edited");
}

TEST_F(ChainTest, AnEditedEntryWithARecomputedHashDoesNotFit) {
  const auto ids = record(4);
  put(ids[1], forged(at(ids[1])));
  EXPECT_EQ(problem(), "entry 3 (" + ids[2] + ") does not follow the one before it: one of them was replaced");
  // For the last entry the recorded end shows it.
  for (const std::string& id : {ids[2], ids[3]}) remove(id);
  EXPECT_EQ(problem(), "entries 3 to 4 are missing at the end");
}

TEST_F(ChainTest, TheLastOneReplacedShowsAgainstTheRecordedEnd) {
  const auto ids = record(2);
  put(ids[1], forged(at(ids[1])));
  EXPECT_EQ(problem(), "entry 2 (" + ids[1] + ") is not the one that was recorded as the last");
}

TEST_F(ChainTest, SwappedEntriesShow) {
  const auto ids = record(4);
  const doc::Document second = at(ids[1]);
  const doc::Document third = at(ids[2]);
  for (const std::string_view field : {"seq", "prev", "hash"}) {
    put(ids[1], with(at(ids[1]), field, *third.view().find(field)));
    put(ids[2], with(at(ids[2]), field, *second.view().find(field)));
  }
  EXPECT_EQ(problem(), "entry 2 (" + ids[2] + ") was edited");
}

TEST_F(ChainTest, ACopyAtTheSamePlaceShows) {
  const auto ids = record(3);
  doc::BsonWriter id;
  id.appendString("id", ids[1] + "b");
  const doc::Document other = id.finish();
  const doc::Document copy = with(at(ids[1]), "id", *other.view().find("id"));
  // Unlogged, as a restore writes; an ordinary insert cannot set the chain's fields.
  store::Write unlogged = write();
  unlogged.options.logged = false;
  const store::Target entry = unlogged.change(journal(), ids[1] + "b");
  opened_.must(opened_.store().write(std::move(unlogged),
                                     [&copy, entry](const store::PreImages&, store::Changes& changes) -> Result<> {
                                       changes.put(entry, copy);
                                       return {};
                                     }));
  EXPECT_EQ(problem(), "entry 2 exists twice: " + ids[1] + " and " + ids[1] + "b");
}

TEST_F(ChainTest, AnEntryWithoutItsPlaceShows) {
  const auto ids = record(3);
  doc::BsonWriter bare;
  for (const doc::Element& each : at(ids[1]).view()) {
    if (each.key != "seq" && each.key != "prev" && each.key != "hash") bare.append(each.key, each.value);
  }
  put(ids[1], bare.finish());
  EXPECT_EQ(problem(), "entry 2 is missing, before " + ids[2]);
}

TEST_F(ChainTest, FindsAnEarlierHeadInTheChain) {
  record(3);
  const Digest earlier = check().head.hash;
  record(2);
  EXPECT_TRUE(check(earlier).foundHash);
  Digest other = earlier;
  other[0] ^= 1;
  EXPECT_FALSE(check(other).foundHash);
}

TEST_F(ChainTest, PrunedEntriesAreReported) {
  record(450);
  clock_.advance(31 * kDayMs);
  const auto young = record(3);
  const Digest before = check().head.hash;
  EXPECT_EQ(pruned(30), 450U);
  const ChainReport report = check(before);
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.pruned, 450U);
  EXPECT_EQ(report.entries, 3U + 3U);  // three commits, each with its record
  EXPECT_TRUE(report.foundHash);
  remove(young[0]);
  EXPECT_EQ(problem(), "entries 1 to 451 are missing at the beginning");
}

TEST_F(ChainTest, PruningDoesNotPruneItsOwnRecordForever) {
  record(3);
  clock_.advance(31 * kDayMs);
  EXPECT_EQ(pruned(0), 0U);
  EXPECT_EQ(pruned(30), 3U);
  clock_.advance(31 * kDayMs);
  // Only the record of pruning is left and too old: removing it would write another, for ever.
  EXPECT_EQ(pruned(30), 0U);
  record(1);
  clock_.advance(31 * kDayMs);
  EXPECT_EQ(pruned(30), 2U);
  const ChainReport report = check();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.pruned, 5U);
  EXPECT_EQ(report.entries, 1U);
}

TEST_F(ChainTest, EntriesFromBeforeTheChainAreCountedAndPrunedFirst) {
  store::SystemCollection plain = auditCollection();
  plain.chained = false;
  opened_.setSystem({plain});
  opened_.reopen();
  const auto old = record(4);
  opened_.setSystem({auditCollection()});
  opened_.reopen();
  clock_.advance(31 * kDayMs);
  record(2);
  ChainReport report = check();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.older, 4U);
  EXPECT_EQ(report.entries, 2U);
  EXPECT_EQ(pruned(30), 4U);
  report = check();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.older, 0U);
  EXPECT_EQ(report.entries, 3U);
}

struct Listing {
  std::string what;
  JournalQuery query;
  std::string expected;  // the last letters of actions, newest first
};

TEST_F(ChainTest, TheJournalIsReadNewestFirst) {
  for (const char* action : {"user.a", "user.b", "role.c", "users.d", "user.e"}) record(1, action);
  const Timestamp end = clock_.now();
  const std::vector<Listing> listings = {
      {"all", {}, "edcba"},
      {"an action", {.action = "user.b", .actor = "", .target = "", .from = {}, .to = {}}, "b"},
      {"a family", {.action = "user.*", .actor = "", .target = "", .from = {}, .to = {}}, "eba"},
      {"an unknown one", {.action = "user", .actor = "", .target = "", .from = {}, .to = {}}, ""},
      {"an actor", {.action = "", .actor = "user_1", .target = "", .from = {}, .to = {}}, "edcba"},
      {"another actor", {.action = "", .actor = "user_2", .target = "", .from = {}, .to = {}}, ""},
      {"a target", {.action = "", .actor = "", .target = "users/user_2", .from = {}, .to = {}}, "edcba"},
      {"from", {.action = "", .actor = "", .target = "", .from = Timestamp{end.ms - 10}, .to = {}}, "ed"},
      {"to", {.action = "", .actor = "", .target = "", .from = {}, .to = Timestamp{end.ms - 30}}, "ba"},
      {"both", {.action = "user.*", .actor = "", .target = "", .from = Timestamp{end.ms - 30}, .to = end}, "eb"},
      {"a page", {.action = "", .actor = "", .target = "", .from = {}, .to = {}, .skip = 1, .limit = 2}, "dc"},
      {"none", {.action = "", .actor = "", .target = "", .from = {}, .to = {}, .skip = 0, .limit = 0}, ""},
  };
  Journal journal(opened_.store());
  for (const Listing& each : listings) {
    std::string letters;
    for (const AuditEntry& entry : opened_.must(journal.list(project_, each.query, soon()))) {
      letters += entry.action.back();
    }
    EXPECT_EQ(letters, each.expected) << each.what;
  }
}

}  // namespace
}  // namespace mb::audit
