#include "workers/workers.h"

#include "workers/outgoing.h"
#include "workers/pool.h"

namespace mb::workers {

namespace {

using namespace std::chrono_literals;

constexpr auto kRunWait = 1000ms;
constexpr auto kCheckWait = 10'000ms;
constexpr size_t kWorkersOfCore = 4;

QueueLimits runLimits(const WorkerSettings& settings, size_t cores) {
  QueueLimits limits;
  limits.processes = settings.max > 0 ? static_cast<size_t>(settings.max) : kWorkersOfCore * cores;
  limits.ofProject = std::max<size_t>(limits.processes / 2, 1);
  limits.whileOthersWait = std::min(cores, limits.ofProject);
  limits.blanks = std::clamp<size_t>(limits.processes / 4, 1, 4);
  return limits;
}

QueueLimits checkLimits() {
  return {.processes = 2,
          .ofProject = 2,
          .whileOthersWait = 1,
          .keepsOne = false,
          .blanks = 0,
          .waiting = 64,
          .waitingOfProject = 32,
          .idle = 30s};
}

std::vector<std::string> argumentsOf(const WorkerSettings& settings) {
  return settings.jit ? std::vector<std::string>{"--jit"} : std::vector<std::string>{};
}

Async<JobEnd> done(std::shared_ptr<Pool> pool, JobPtr job) {
  co_return co_await suspend<JobEnd>([&](Resumer<JobEnd> resumer) {
    job->resumer = std::move(resumer);
    job->core = Cores::current();
    pool->submit(std::move(job));
  });
}

}  // namespace

WorkerSettings::WorkerSettings(Settings& settings)
    : max(static_cast<int>(
          settings.integer("SERVICE_WORKERS", 0, 0, 1024, "worker processes for functions at most; 0: four a core"))),
      jit(settings.flag("SERVICE_FUNCTIONS_JIT", false,
                        "just-in-time compilation of functions, for which workers need executable memory")) {}

struct Workers::Impl {
  explicit Impl(const WorkerDeps& deps)
      : runs(std::make_shared<Pool>(PoolConfig{deps.cores, deps.clock, deps.program, argumentsOf(deps.settings),
                                               runLimits(deps.settings, static_cast<size_t>(deps.cores.count()))})),
        checks(std::make_shared<Pool>(
            PoolConfig{deps.cores, deps.clock, deps.program, argumentsOf(deps.settings), checkLimits()})) {}
  const std::shared_ptr<Pool> runs;
  const std::shared_ptr<Pool> checks;
};

Workers::Workers(WorkerDeps deps) : impl_(std::make_unique<Impl>(deps)) {}

Workers::~Workers() {
  stop();
}

void Workers::start() {
  impl_->runs->start();
  impl_->checks->start();
}

Async<RunOutcome> Workers::run(RunRequest request) {
  const auto wait = request.runClass == RunClass::preHook ? request.timeout : std::chrono::milliseconds(kRunWait);
  Result<JobPtr> job = jobOf(std::move(request));
  if (!job) {
    RunOutcome refused;
    refused.error = job.error().message();
    co_return refused;
  }
  (*job)->waitUntil = std::chrono::steady_clock::now() + wait;
  JobEnd end = co_await done(impl_->runs, *std::move(job));
  co_return RunOutcome(std::move(end));
}

Task<CheckedCode> Workers::check(store::ProjectNo project, std::string source, bool typescript) {
  JobPtr job = checkJobOf(project, source, typescript);
  job->waitUntil = std::chrono::steady_clock::now() + kCheckWait;
  JobEnd end = co_await done(impl_->checks, std::move(job));
  switch (end.status) {
    case RunStatus::success:
      co_return std::move(end.code);
    case RunStatus::error:
      co_return fail(ErrorCode::validation, std::move(end.error));
    case RunStatus::timeout:
      co_return fail(ErrorCode::validation, "the code takes too long to check");
    case RunStatus::busy:
      break;
  }
  co_return fail(Error(ErrorCode::unavailable, "the server is busy, try again").withRetryAfter(1));
}

void Workers::stop() {
  impl_->runs->stop();
  impl_->checks->stop();
}

Workers::Stats Workers::stats() const {
  return impl_->runs->stats();
}

}  // namespace mb::workers
