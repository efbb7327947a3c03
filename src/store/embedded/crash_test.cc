// A store is killed while it writes: every acknowledged write is present afterwards, and no partial one.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "document/json.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

constexpr const char* kFolder = "MB_CRASH_FOLDER";
constexpr const char* kPipe = "MB_CRASH_PIPE";

std::vector<SystemCollection> system() {
  return {{1,
           "__things",
           {{.name = "",
             .keys = {{"n", 1}},
             .unique = true,
             .sparse = false,
             .partialFilter = {},
             .expireAfterSeconds = {}}}}};
}

EmbeddedSettings settings() {
  EmbeddedSettings result;
  result.minFreeDiskBytes = 0;
  return result;
}

// Inserts, changes and removes documents, and writes each acknowledged id to the pipe.
Task<> writeForever(EmbeddedStore& store, CollectionRef collection, int writer, int pipe) {
  for (int i = 0;; ++i) {
    const std::string id = fmt::format("{}-{:06}", writer, i);
    Write write{WriteOptions()};
    const Target post = write.change(collection, id);
    const Target thing = write.change({collection.project, 1, 0}, "s" + id);
    CO_RETURN_IF_ERROR(co_await store.write(std::move(write), [=](const PreImages&, Changes& changes) -> Result<> {
      changes.put(post, doc::parseJson(fmt::format(R"({{"id":"{}","n":"{}","tags":[{},{}],"text":"{}"}})", id, id, i,
                                                   i % 5, std::string(200, 'x')))
                            .value());
      changes.put(thing, doc::parseJson(fmt::format(R"({{"id":"s{}","n":"{}"}})", id, id)).value());
      return {};
    }));
    const std::string line = id + "\n";
    if (::write(pipe, line.data(), line.size()) != static_cast<ssize_t>(line.size())) co_return Result<>();
  }
}

IndexSpec spec(std::string path, bool unique) {
  IndexSpec result;
  result.keys = {{std::move(path), 1}};
  result.unique = unique;
  return result;
}

CollectionRef only(EmbeddedStore& store, Cores& cores, ProjectNo project) {
  const auto all = testing::runOn(cores, 0, store.collections(project)).value();
  return {project, all.front().number, all.front().version};
}

std::set<std::string> runUntilKilled(const std::filesystem::path& folder, std::chrono::milliseconds time) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  ::setenv(kFolder, folder.c_str(), 1);
  ::setenv(kPipe, std::to_string(ends[1]).c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "crash", "--gtest_also_run_disabled_tests", "--gtest_filter=CrashTest.DISABLED_Writer",
            nullptr);
    ::_exit(1);
  }
  ::close(ends[1]);
  std::string acknowledged;
  std::array<char, 4096> buffer;
  std::thread killer;
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    // The time starts with the first acknowledged write.
    if (acknowledged.empty()) {
      killer = std::thread([=] {
        std::this_thread::sleep_for(time);
        ::kill(child, SIGKILL);
      });
    }
    acknowledged.append(buffer.data(), static_cast<size_t>(got));
  }
  if (killer.joinable()) killer.join();
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
  ::close(ends[0]);
  std::set<std::string> ids;
  for (size_t from = 0, end = 0; (end = acknowledged.find('\n', from)) != std::string::npos; from = end + 1) {
    ids.insert(acknowledged.substr(from, end - from));
  }
  return ids;
}

}  // namespace

// The process to be killed; only the test below starts it.
TEST(CrashTest, DISABLED_Writer) {
  const char* folder = std::getenv(kFolder);
  if (!folder) GTEST_SKIP();
  const int pipe = std::atoi(std::getenv(kPipe));
  SystemClock clock;
  Cores cores(2);
  cores.start();
  auto store = EmbeddedStore::open(folder, settings(), cores, system(), clock).value();
  ProjectNo project = 2;
  if (testing::runOn(cores, 0, store->collections(project)).value().empty()) {
    project = testing::runOn(cores, 0, store->allocateProject()).value();
    const auto info = testing::runOn(cores, 0, store->createCollection(project, "posts", {}, {})).value();
    CollectionRef posts{project, info.number, info.version};
    for (const IndexSpec& each : {spec("n", true), spec("tags", false)}) {
      EXPECT_TRUE(testing::runOn(cores, 0, store->createIndex(posts, each, {})));
      posts = only(*store, cores, project);
    }
  }
  const CollectionRef posts = only(*store, cores, project);
  const int base = static_cast<int>(::getpid());
  for (int i = 0; i < 32; ++i) {
    asio::co_spawn(cores.at(i % 2).get_executor(), writeForever(*store, posts, base * 100 + i, pipe),
                   [](std::exception_ptr, Result<>) {});
  }
  std::this_thread::sleep_for(std::chrono::seconds(60));
}

TEST(CrashTest, WhatWasAcknowledgedSurvivesTheKill) {
  TemporaryFolder folder;
  std::set<std::string> acknowledged;
  for (int round = 0; round < 3; ++round) {
    const auto now = runUntilKilled(folder.path(), std::chrono::milliseconds(100 + 150 * round));
    EXPECT_FALSE(now.empty());
    acknowledged.insert(now.begin(), now.end());

    SystemClock clock;
    Cores cores(1);
    cores.start();
    auto store = EmbeddedStore::open(folder.path(), settings(), cores, system(), clock).value();
    EXPECT_EQ(store->check().problems, std::vector<std::string>());
    const CollectionRef posts = only(*store, cores, 2);
    size_t missing = 0;
    for (const std::string& id : acknowledged) {
      if (!testing::runOn(cores, 0, store->get(posts, id)).value()) ++missing;
      if (!testing::runOn(cores, 0, store->get({2, 1, 0}, "s" + id)).value()) ++missing;
    }
    EXPECT_EQ(missing, 0u) << "of " << acknowledged.size();
    EXPECT_GE(store->lastPosition(2), acknowledged.size());
    store.reset();
  }
}

}  // namespace mb::store::embedded
