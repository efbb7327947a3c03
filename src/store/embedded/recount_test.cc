// A store is killed while its counters are corrected and written: afterwards a counter is as wrong as it was, or right.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "document/json.h"
#include "store/embedded/testing.h"
#include "store/embedded/testing_counters.h"

namespace mb::store::embedded {

namespace {

constexpr const char* kRecountFolder = "MB_RECOUNT_FOLDER";
constexpr const char* kRecountPipe = "MB_RECOUNT_PIPE";
constexpr CollectionNo kRecounted = 5;
constexpr CounterNo kRecountedBytes = 7;
constexpr int64_t kRecountError = 1'000'000;
constexpr int kRecountedDocuments = 3000;
constexpr char kRecountBegins = 'b';
constexpr char kRecountEnded = 'e';

std::vector<SystemCollection> recountSystem() {
  return {{.number = kRecounted, .name = "__files", .indexes = {}, .counters = {{kRecountedBytes, "bytes", "size"}}}};
}

doc::Document recountedDocument(const std::string& id, int64_t size) {
  return doc::parseJson(fmt::format(R"({{"id":"{}","size":{}}})", id, size)).value();
}

Task<> writeRecounted(DocumentStore& store, int writer) {
  for (int i = 0;; ++i) {
    const std::string id = fmt::format("w{}-{}", writer, i % 5);
    CO_RETURN_IF_ERROR(
        co_await testing::put(store, {kControlProject, kRecounted, 0}, id, recountedDocument(id, i % 100)));
  }
}

Task<CounterRecount> recountAndReport(DocumentStore& store, int pipe) {
  CO_TRY(CounterRecount recount, co_await store.recountCounters(kControlProject, {}));
  if (::write(pipe, &kRecountEnded, 1) != 1) co_return fail(ErrorCode::internal, "the pipe is closed");
  co_return recount;
}

// What a process wrote to its pipe until it was killed `after` the begin of its recount.
std::string runRecountUntilKilled(const std::filesystem::path& folder, std::chrono::milliseconds after) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  ::setenv(kRecountFolder, folder.c_str(), 1);
  ::setenv(kRecountPipe, std::to_string(ends[1]).c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "recount", "--gtest_also_run_disabled_tests",
            "--gtest_filter=RecountCrashTest.DISABLED_Process", nullptr);
    ::_exit(1);
  }
  ::close(ends[1]);
  std::string written;
  char byte = 0;
  if (::read(ends[0], &byte, 1) == 1) written += byte;
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  while (::read(ends[0], &byte, 1) == 1) written += byte;
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the process ended by itself";
  ::close(ends[0]);
  return written;
}

}  // namespace

// The process to be killed; only the test below starts it.
TEST(RecountCrashTest, DISABLED_Process) {
  const char* folder = std::getenv(kRecountFolder);
  if (!folder) GTEST_SKIP();
  const int pipe = std::atoi(std::getenv(kRecountPipe));
  EmbeddedSettings settings;
  settings.minFreeDiskBytes = 0;
  SystemClock clock;
  Cores cores(2);
  cores.start();
  auto store = EmbeddedStore::open(folder, settings, cores, recountSystem(), clock).value();
  for (int i = 0; i < 8; ++i) {
    asio::co_spawn(cores.at(i % 2).get_executor(), writeRecounted(*store, i), [](std::exception_ptr, Result<>) {});
  }
  ASSERT_EQ(::write(pipe, &kRecountBegins, 1), 1);
  ASSERT_TRUE(testing::runOn(cores, 0, recountAndReport(*store, pipe)));
  std::this_thread::sleep_for(std::chrono::seconds(60));
}

TEST(RecountCrashTest, AKilledRecountHasCorrectedOrNot) {
  OpenedStore opened(recountSystem());
  std::vector<doc::Document> documents;
  for (int i = 0; i < kRecountedDocuments; ++i) documents.push_back(recountedDocument(fmt::format("d{}", i), i));
  opened.must(testing::putAll(opened.store(), {kControlProject, kRecounted, 0}, std::move(documents)));
  const CounterKey key{kControlProject, kRecountedBytes, ""};
  for (const int after : {0, 1, 2, 3, 5, 8, 13, 200}) {
    const int64_t right = opened.must(opened.store().counter(key));
    std::string written;
    opened.reopen([&] {
      replaceCounterRow(opened.path(), key, right + kRecountError);
      written = runRecountUntilKilled(opened.path(), std::chrono::milliseconds(after));
    });
    EXPECT_TRUE(written.starts_with(kRecountBegins));
    const CounterRecount left = opened.must(opened.store().recountCounters(kControlProject, {}));
    if (written.ends_with(kRecountEnded)) EXPECT_TRUE(left.corrections.empty()) << "after " << after << " ms";
    for (const CounterCorrection& each : left.corrections) EXPECT_EQ(each.was - each.is, kRecountError);
    EXPECT_EQ(opened.store().check().problems, std::vector<std::string>());
  }
}

}  // namespace mb::store::embedded
