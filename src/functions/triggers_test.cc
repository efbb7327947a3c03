// Cron, and new users.
#include "functions/cron.h"
#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

constexpr std::string_view kEachQuarter = R"({"type":"cron","schedule":"*/15 * * * *"})";

class CronTest : public RunningFixture {
 protected:
  CronTest() { at("2026-01-01T10:05:00Z"); }
  void at(std::string_view time) { clock_.set(parseRfc3339(time)->ms); }
  int pass() {
    auto fired = run(cron_.pass());
    EXPECT_TRUE(fired);
    return fired.value_or(-1);
  }
  std::string scheduledAt(size_t run) { return toRfc3339(eventOf(run).view().find("scheduledAt")->asDate()); }

  Cron cron_{{store_, snapshots_, queue_, cores_, clock_}};
};

TEST_F(CronTest, firesWhenItIsDueAndOnce) {
  define("sweep", kEachQuarter);
  EXPECT_EQ(0, pass());
  at("2026-01-01T10:14:59.999Z");
  EXPECT_EQ(0, pass());
  at("2026-01-01T10:15:00.400Z");
  EXPECT_EQ(1, pass());
  EXPECT_EQ(0, pass());
  ASSERT_TRUE(ran(1));
  EXPECT_EQ("cron", eventOf(0).view().stringOr("type"));
  EXPECT_EQ("*/15 * * * *", eventOf(0).view().stringOr("schedule"));
  EXPECT_EQ("2026-01-01T10:15:00.000Z", scheduledAt(0));
  EXPECT_EQ("cron", log("sweep")[0].trigger);
  at("2026-01-01T10:30:00Z");
  EXPECT_EQ(1, pass());
}

TEST_F(CronTest, startedItFiresByItself) {
  define("sweep", kEachQuarter);
  at("2026-01-01T10:15:00Z");
  TaskGroup tasks;
  cron_.start(tasks);
  EXPECT_TRUE(ran(1));
  cron_.stop();
  EXPECT_TRUE(tasks.closeAndWait(std::chrono::seconds(20)));
}

TEST_F(CronTest, twoWhoLookMakeOneRun) {
  define("sweep", kEachQuarter);
  at("2026-01-01T10:15:00Z");
  Cron other({store_, snapshots_, queue_, cores_, clock_});
  auto first =
      std::async(std::launch::async, [&] { return *store::testing::runOn(cores_, cores_.count() - 1, other.pass()); });
  const int mine = pass();
  EXPECT_EQ(1, mine + first.get());
  ASSERT_TRUE(ran(1));
}

TEST_F(CronTest, oneRowThatCannotBeReadStopsNoOther) {
  define("sweep", kEachQuarter);
  store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  write.insert({kTimetableRows, *doc::parseJson(R"({"id":"0/broken","dueAt":{"$date":"2026-01-01T00:00:00Z"}})")});
  ASSERT_TRUE(run(store_.write(std::move(write), nullptr)));
  at("2026-01-01T10:15:00Z");
  EXPECT_EQ(1, pass());
  ASSERT_TRUE(ran(1));
}

TEST_F(CronTest, manyThatWaitStopTheSchedule) {
  define("sweep", R"({"type":"cron","schedule":"* * * * *"})", R"({"retry":{"attempts":10,"backoffSeconds":3600}})");
  executor_.answer("sweep", {ends(workers::RunStatus::error, "no"), ends(workers::RunStatus::error, "no")});
  uint64_t fired = 0;
  for (int minute = 1; minute <= 110; ++minute) {
    clock_.advance(60'000);
    fired += static_cast<uint64_t>(pass());
  }
  EXPECT_EQ(kMaxWaitingFires, fired);
}

TEST_F(CronTest, aMissedFireRunsOnceWithinTheHour) {
  define("sweep", kEachQuarter);
  at("2026-01-01T10:50:00Z");
  EXPECT_EQ(1, pass());
  ASSERT_TRUE(ran(1));
  EXPECT_EQ("2026-01-01T10:45:00.000Z", scheduledAt(0));
}

TEST_F(CronTest, oneMissedLongAgoDoesNot) {
  define("sweep", R"({"type":"cron","schedule":"0 11 * * *"})");
  at("2026-01-01T12:00:00Z");
  EXPECT_EQ(0, pass());
  at("2026-01-02T11:00:00Z");
  EXPECT_EQ(1, pass());
}

TEST_F(CronTest, aSuspendedProjectsFiresAreMissedForGood) {
  define("sweep", kEachQuarter);
  suspend();
  at("2026-01-01T10:15:00Z");
  EXPECT_EQ(0, pass());
  at("2026-01-01T10:16:00Z");
  resume();
  EXPECT_EQ(0, pass());
  at("2026-01-01T10:30:00Z");
  EXPECT_EQ(1, pass());
  ASSERT_TRUE(ran(1));
  EXPECT_EQ("2026-01-01T10:30:00.000Z", scheduledAt(0));
}

TEST_F(CronTest, noPassNeedsToSeeTheSuspension) {
  define("sweep", kEachQuarter);
  suspend();
  at("2026-01-01T10:16:00Z");
  resume();
  EXPECT_EQ(0, pass());
  at("2026-01-01T10:30:00Z");
  EXPECT_EQ(1, pass());
}

TEST_F(CronTest, aFireFromBeforeTheSuspensionRunsAfterTheResume) {
  define("sweep", kEachQuarter);
  at("2026-01-01T10:15:00Z");
  executor_.answer("sweep", {ends(workers::RunStatus::busy), gives("1")});
  EXPECT_EQ(1, pass());
  ASSERT_TRUE(until([&] { return executor_.runs() == 1; }));
  suspend();
  at("2026-01-01T10:20:00Z");
  queue_.wake();
  EXPECT_EQ(0, pass());
  EXPECT_EQ(1, jobs());
  resume();
  ASSERT_TRUE(ran(2));
  EXPECT_EQ("2026-01-01T10:15:00.000Z", scheduledAt(1));
}

TEST_F(CronTest, disabledItIsOffTheTimetable) {
  define("sweep", kEachQuarter);
  define("sweep", kEachQuarter, R"({"enabled":false})");
  at("2026-01-01T10:15:00Z");
  EXPECT_EQ(0, pass());
  EXPECT_TRUE(memory_.all(kTimetableRows).empty());
}

TEST_F(CronTest, anotherScheduleStartsOver) {
  define("sweep", kEachQuarter);
  define("sweep", R"({"type":"cron","schedule":"@hourly"})");
  at("2026-01-01T10:15:00Z");
  EXPECT_EQ(0, pass());
  at("2026-01-01T11:00:00Z");
  EXPECT_EQ(1, pass());
}

TEST_F(CronTest, aChangeOfSomethingElseKeepsTheNextFire) {
  define("sweep", kEachQuarter);
  at("2026-01-01T10:15:00Z");
  define("sweep", kEachQuarter, R"({"version":2})");
  EXPECT_EQ(1, pass());
}

TEST_F(CronTest, firesByTheClocksOfItsZone) {
  at("2026-03-27T12:00:00Z");
  define("sweep", R"({"type":"cron","schedule":"30 2 * * *","timezone":"Europe/Zurich"})");
  const std::pair<const char*, int> steps[] = {
      {"2026-03-28T01:29:59Z", 0},
      {"2026-03-28T01:30:00Z", 1},
      // 02:30 is skipped, so it fires as clocks go from 02:00 to 03:00.
      {"2026-03-29T00:59:59Z", 0},
      {"2026-03-29T01:00:00Z", 1},
      {"2026-03-29T01:30:00Z", 0},
      {"2026-03-30T00:30:00Z", 1},
  };
  for (const auto& [time, fires] : steps) {
    at(time);
    EXPECT_EQ(fires, pass()) << time;
  }
  ASSERT_TRUE(ran(3));
  EXPECT_EQ("2026-03-28T01:30:00.000Z", scheduledAt(0));
  EXPECT_EQ("2026-03-29T01:00:00.000Z", scheduledAt(1));
  EXPECT_EQ("30 2 * * *", eventOf(2).view().stringOr("schedule"));
}

TEST_F(CronTest, aLocalTimeThatOccursTwiceFiresOnce) {
  at("2026-10-24T12:00:00Z");
  define("sweep", R"({"type":"cron","schedule":"30 2 * * *","timezone":"Europe/Zurich"})");
  at("2026-10-25T00:30:00Z");
  EXPECT_EQ(1, pass());
  at("2026-10-25T01:30:00Z");
  EXPECT_EQ(0, pass());
  at("2026-10-26T01:30:00Z");
  EXPECT_EQ(1, pass());
  ASSERT_TRUE(ran(2));
}

TEST_F(CronTest, aMissedFireInAZoneRunsOnceWithinTheHour) {
  at("2026-03-28T12:00:00Z");
  define("sweep", R"({"type":"cron","schedule":"30 2 * * *","timezone":"Europe/Zurich"})");
  at("2026-03-29T01:40:00Z");
  EXPECT_EQ(1, pass());
  ASSERT_TRUE(ran(1));
  EXPECT_EQ("2026-03-29T01:00:00.000Z", scheduledAt(0));
}

TEST_F(CronTest, anotherZoneStartsOver) {
  define("sweep", R"({"type":"cron","schedule":"0 12 * * *"})");
  define("sweep", R"({"type":"cron","schedule":"0 12 * * *","timezone":"Europe/Zurich"})");
  at("2026-01-01T11:00:00Z");
  EXPECT_EQ(1, pass());
  define("sweep", R"({"type":"cron","schedule":"0 12 * * *"})");
  at("2026-01-01T12:00:00Z");
  EXPECT_EQ(1, pass());
}

TEST_F(CronTest, aRowWhoseZoneIsLostStays) {
  define("sweep", R"({"type":"cron","schedule":"0 12 * * *","timezone":"Europe/Zurich"})");
  store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const store::Target row = write.change(timetableTarget(shop_, "fn_sweep"));
  ASSERT_TRUE(
      run(store_.write(std::move(write), [row](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(TimetableRow stored, doc::decode<TimetableRow>(*before[row]));
        stored.timezone = "Gone/Zone";
        changes.put(row, doc::encode(stored));
        return {};
      })));
  at("2026-01-01T11:00:00Z");
  EXPECT_EQ(0, pass());
  EXPECT_EQ(1, memory_.all(kTimetableRows).size());
}

class AuthTriggerTest : public RunningFixture {
 protected:
  AuthTriggerTest() { define("greet", R"({"type":"auth","event":"userCreated"})"); }
  identity::Realm realm() {
    identity::Realm realm;
    realm.project = shop_;
    return realm;
  }
  // Mails may be queued, too.
  bool greeted(size_t times) {
    return until([&] { return executor_.runs() >= times; }) && executor_.runs() == times;
  }
};

TEST_F(AuthTriggerTest, runsForNewUsers) {
  const auto registered = run(identity_.users().registerUser(
      realm(), {.email = "ann@example.com", .password = "correct horse battery", .name = "Ann", .invite = {}},
      identity::TakenEmail::refuse, soon()));
  ASSERT_TRUE(registered) << registered.error().message();
  ASSERT_TRUE(greeted(1));
  identity::NewUser input;
  input.email = "bob@example.com";
  input.password = "correct horse battery";
  ASSERT_TRUE(run(identity_.users().create(realm(), std::move(input), admin(), soon())));
  ASSERT_TRUE(greeted(2));
  ASSERT_TRUE(run(identity_.users().addProven(realm(), "cleo@example.com", {}, soon())));
  ASSERT_TRUE(greeted(3));
  const doc::Document event = eventOf(0);
  EXPECT_EQ("auth", event.view().stringOr("type"));
  EXPECT_EQ("userCreated", event.view().stringOr("event"));
  EXPECT_EQ(registered->id.str(), event.view().findPath("user.id")->asString());
  EXPECT_EQ("ann@example.com", event.view().findPath("user.email")->asString());
  EXPECT_FALSE(event.view().findPath("user.passwordHash"));
  EXPECT_EQ("bob@example.com", eventOf(1).view().findPath("user.email")->asString());
  EXPECT_TRUE(eventOf(2).view().findPath("user.emailVerified")->asBool());
}

TEST_F(AuthTriggerTest, notForOneWhoWasRefused) {
  ASSERT_TRUE(run(identity_.users().addProven(realm(), "cleo@example.com", {}, soon())));
  ASSERT_TRUE(ran(1));
  EXPECT_FALSE(run(identity_.users().addProven(realm(), "cleo@example.com", {}, soon())));
  EXPECT_EQ(0, jobs());
  EXPECT_EQ(1, executor_.runs());
}

}  // namespace
}  // namespace mb::functions
