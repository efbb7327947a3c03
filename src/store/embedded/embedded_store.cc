#include "store/embedded/embedded_store.h"

#include "base/log.h"
#include "store/embedded/check.h"
#include "store/embedded/engine.h"

namespace mb::store {

EmbeddedSettings::EmbeddedSettings(Settings& settings) {
  constexpr int64_t kMiB = 1 << 20;
  constexpr int64_t kMax = int64_t{1} << 40;
  writeBufferBytes = settings.bytes("SERVICE_STORE_WRITE_BUFFER", writeBufferBytes, 8 * kMiB, kMax,
                                    "memory for writes before they are flushed to files");
  blockCacheBytes =
      settings.bytes("SERVICE_STORE_CACHE", blockCacheBytes, 8 * kMiB, kMax, "memory for cached data blocks");
  documentCacheBytes =
      settings.bytes("SERVICE_STORE_DOCUMENTS", documentCacheBytes, kMiB, kMax, "memory for recently read documents");
  maxLogFileBytes = settings.bytes("SERVICE_STORE_LOG", maxLogFileBytes, 8 * kMiB, kMax,
                                   "size of the write-ahead log, which is replayed after a crash");
  minFreeDiskBytes = settings.bytes("SERVICE_MIN_FREE_DISK", minFreeDiskBytes, 0, kMax,
                                    "free disk space below which writes are refused");
  changeLogBytes = settings.bytes("SERVICE_CHANGE_LOG", changeLogBytes, kMiB, kMax, "change log kept per project");
  changeLogTotalBytes =
      settings.bytes("SERVICE_CHANGE_LOG_TOTAL", changeLogTotalBytes, kMiB, kMax, "change logs kept in total");
  changeLogHours =
      settings.integer("SERVICE_CHANGE_LOG_HOURS", changeLogHours, 1, 24 * 365, "hours of change log kept");
  slowQueryMs = settings.integer("SERVICE_STORE_SLOW_QUERY", slowQueryMs, 0, 3600 * 1000,
                                 "milliseconds after which a query is logged as slow, 0 for none");
  callbackRuns =
      static_cast<int>(settings.integer("SERVICE_STORE_CALLBACK_RUNS", callbackRuns, 1, 5,
                                        "for tests: how many times each write's callback runs; the last run counts"));
}

Result<std::unique_ptr<EmbeddedStore>> EmbeddedStore::open(const std::filesystem::path& directory,
                                                           const EmbeddedSettings& settings, Cores& cores,
                                                           std::vector<SystemCollection> system, const Clock& clock) {
  auto engine = std::make_unique<embedded::Engine>(settings, cores, clock);
  RETURN_IF_ERROR(engine->start(directory, system));
  return engine;
}

namespace embedded {

namespace {
constexpr int kReadThreads = 2;
constexpr size_t kReadsWaiting = 512;
constexpr int kScanThreads = 2;
constexpr size_t kScansWaiting = 256;
constexpr std::chrono::seconds kStopLimit{10};
// One policy may change the indexed fields of a thousand collections; other work needs the read pool and the queue,
// too.
constexpr size_t kRefillsAtOnce = 2;
constexpr size_t kFieldChangesAtOnce = 1;
}  // namespace

Engine::Engine(const EmbeddedSettings& settings, Cores& cores, const Clock& clock)
    : settings_(settings),
      cores_(cores),
      clock_(clock),
      gate_(cores.count()),
      queue_(cores),
      slowQueries_(std::chrono::milliseconds(settings.slowQueryMs)),
      refills_(builds_, cores.at(0).get_executor(), kRefillsAtOnce,
               [this](TaskSubject subject) { return refill(subject); }),
      fieldChanges_(builds_, cores.at(0).get_executor(), kFieldChangesAtOnce,
                    [this](TaskSubject subject) { return applyHeld(subject); }) {}

Engine::~Engine() {
  close();
}

Result<> Engine::start(const std::filesystem::path& directory, const std::vector<SystemCollection>& system) {
  const std::filesystem::path path = directory / "store";
  TRY(database_, Database::open(path, settings_, [this](ProjectNo project) { return catalogue_.lowWater(project); }));
  RETURN_IF_ERROR(catalogue_.load(*database_, system));
  committer_ = std::make_unique<CommitThread>(*database_, catalogue_, queue_,
                                              CommitObservers{catalogue_.counters, marks_, notices_, listeners_},
                                              cores_, clock_, catalogue_.idFloorMs);
  readPool_ = std::make_unique<WorkerPool>("read", kReadThreads, kReadsWaiting);
  scanPool_ = std::make_unique<ScanPool>(kScanThreads, kScansWaiting, std::chrono::milliseconds(settings_.scanSliceMs));
  housekeeper_ = std::make_unique<Housekeeper>(*database_, catalogue_, settings_, clock_, path);
  committer_->start();
  housekeeper_->start();
  resumeBuilds();
  return {};
}

Result<> Engine::healthy() const {
  if (gate_.closed()) return stopping();
  if (housekeeper_->diskIsLow()) {
    return fail(ErrorCode::unavailable, "the disk is nearly full: writes are refused until space is free");
  }
  return {};
}

void Engine::close() {
  if (closed_.exchange(true) || !database_) return;
  gate_.close();
  const auto until = std::chrono::steady_clock::now() + kStopLimit;
  const auto left = [&] {
    return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()),
                    std::chrono::milliseconds(0));
  };
  builds_.closeAndWait(left());
  if (!gate_.wait(left())) logWarn("store closed while requests were running");
  if (scanPool_) scanPool_->stop();
  if (readPool_) readPool_->stop();
  if (committer_) committer_->stop();
  if (housekeeper_) housekeeper_->stop();
  database_->flush();
  database_.reset();
}

CommitStats Engine::commitStats() const {
  return committer_->stats();
}

CheckReport Engine::check() {
  return Checker(*database_, catalogue_).run();
}

}  // namespace embedded

}  // namespace mb::store
