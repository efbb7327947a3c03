#include "jobs/jobs.h"

#include "base/trace_context.h"
#include "jobs/queue_impl.h"
#include "jobs/store_leases.h"

namespace mb::jobs {

namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxIdBytes = 200;
constexpr size_t kMaxKeyBytes = 200;
constexpr size_t kMaxAnnounced = 4096;
constexpr size_t kMaxCreated = 4096;

store::IndexSpec indexOn(std::string_view path, bool sparse) {
  return {.name = std::string(path) + "_1",
          .keys = {{std::string(path), 1}},
          .sparse = sparse,
          .partialFilter = std::nullopt,
          .expireAfterSeconds = std::nullopt};
}

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::validation, std::move(message));
}

bool isText(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

store::Insert insertedRow(const Row& row, bool idIsNew) {
  return {kRows, row.toDocument(), store::Insert::IfPresent::keep, idIsNew};
}

}  // namespace

std::vector<store::SystemCollection> systemCollections() {
  return {
      {kJobs, "__jobs", {indexOn(kPlacePath, false), indexOn(kChainPath, true)}, false, std::string(kFairnessKeyPath)},
      leaseCollection()};
}

std::vector<store::SealedField> sealedFields() {
  return {{kJobs, "sealed", store::SealedField::Form::bytes,
           [](std::string_view, doc::DocumentView job) { return sealContext(job.stringOr("id")); }}};
}

store::Deadline storeDeadline() {
  return std::chrono::steady_clock::now() + 10s;
}

store::WriteOptions asServer() {
  store::WriteOptions options;
  options.deadline = storeDeadline();
  options.actor = {store::ActorKind::server, ""};
  return options;
}

// BufferedJobs bounds how many jobs wait.
KindState::KindState(Kind declared)
    : kind(std::move(declared)),
      queue({.running = static_cast<size_t>(std::max(kind.concurrency, 1)),
             .runningOfProject = static_cast<size_t>(std::max(kind.perProject, 1)),
             .runningOfTarget = 1,
             .waiting = SIZE_MAX,
             .waitingOfProject = SIZE_MAX},
            [this](const std::string& project, const std::string& group) { return limitOf(project, group); }) {}

size_t KindState::limitOf(const std::string& project, const std::string& group) const {
  if (group.empty()) return SIZE_MAX;
  if (!kind.groupLimit) return static_cast<size_t>(std::max(kind.perGroup, 1));
  return static_cast<size_t>(std::max(kind.groupLimit(static_cast<store::ProjectNo>(std::stoul(project)), group), 0));
}

Queue::Impl::Impl(QueueDeps d) : deps(d), home(d.cores.at(0).get_executor()), timer(home) {}

KindState* Queue::Impl::kindOf(const std::string& name) const {
  const auto found = kinds.find(name);
  return found == kinds.end() ? nullptr : found->second.get();
}

Result<Row> Queue::Impl::rowOf(JobSpec spec) {
  if (!kindOf(spec.kind)) return invalid("job kind " + spec.kind + " is not declared");
  if (spec.id.size() > kMaxIdBytes || !isText(spec.id)) {
    return invalid("job id must be at most 200 bytes without control characters");
  }
  if (spec.orderKey.size() > kMaxKeyBytes || !isText(spec.orderKey)) {
    return invalid("job order key must be at most 200 bytes without control characters");
  }
  if (spec.group.size() > kMaxKeyBytes || !isText(spec.group)) {
    return invalid("job group must be at most 200 bytes without control characters");
  }
  if (spec.trace.size() > kTraceparentBytes) return invalid("job trace context is too long");
  if (spec.payload.size() > kMaxPayloadBytes) return invalid("job payload is too large");
  Row row;
  row.seq = deps.ids.next();
  row.id = spec.id.empty() ? "job_" + row.seq : std::move(spec.id);
  row.kind = std::move(spec.kind);
  row.project = spec.project;
  row.group = std::move(spec.group);
  row.createdAt = deps.clock.now();
  row.dueAt = spec.notBefore ? std::max(*spec.notBefore, row.createdAt) : row.createdAt;
  row.orderKey = std::move(spec.orderKey);
  row.repeatEvery = spec.repeatEvery;
  row.trace = std::move(spec.trace);
  row.repeatFrom = row.dueAt;
  if (spec.sealed) {
    row.sealed = deps.master.seal(spec.payload.bytes(), sealContext(row.id));
  } else {
    row.payload = std::move(spec.payload);
  }
  return row;
}

void Queue::Impl::remember(const Row& row) {
  Row head = row.head();
  const std::lock_guard lock(createdMutex);
  createdInOrder.push_back(head.id);
  created.insert_or_assign(head.id, std::move(head));
  if (createdInOrder.size() <= kMaxCreated) return;
  created.erase(createdInOrder.front());
  createdInOrder.pop_front();
}

std::optional<Row> Queue::Impl::remembered(const std::string& id) {
  const std::lock_guard lock(createdMutex);
  auto found = created.extract(id);
  if (!found) return std::nullopt;
  return std::move(found.mapped());
}

void Queue::Impl::announce(std::vector<std::string> ids) {
  asio::post(home, [self = shared_from_this(), ids = std::move(ids)]() mutable {
    const bool fits = self->announced.size() + ids.size() <= kMaxAnnounced;
    if (ids.empty() || !fits) {
      self->restartSweep = true;
    } else {
      self->announced.insert(self->announced.end(), std::make_move_iterator(ids.begin()),
                             std::make_move_iterator(ids.end()));
    }
    self->wakeLoop();
  });
}

bool Queue::Impl::stop(std::chrono::milliseconds limit) {
  stopping = true;
  listening.reset();
  asio::post(home, [self = shared_from_this()] { self->wakeLoop(); });
  return tasks.closeAndWait(limit);
}

Queue::Queue(QueueDeps deps) : impl_(std::make_shared<Impl>(deps)) {}

Queue::~Queue() {
  stop(0ms);
}

void Queue::declare(Kind kind) {
  std::string name = kind.name;
  impl_->kinds.emplace(std::move(name), std::make_unique<KindState>(std::move(kind)));
}

void Queue::start() {
  if (impl_->deps.leases) {
    impl_->listening = impl_->deps.leases->listen([impl = std::weak_ptr(impl_)](std::vector<std::string> ids) {
      if (const auto queue = impl.lock()) queue->announce(std::move(ids));
    });
  }
  impl_->tasks.spawn(impl_->home, Impl::loop(impl_));
}

Result<store::Insert> Queue::insertOf(JobSpec spec) {
  const bool idIsNew = spec.id.empty();
  TRY(const Row row, impl_->rowOf(std::move(spec)));
  impl_->remember(row);
  return insertedRow(row, idIsNew);
}

Result<std::vector<store::Insert>> Queue::insertsOf(std::vector<JobSpec> specs) {
  std::vector<store::Insert> all;
  all.reserve(specs.size());
  for (JobSpec& spec : specs) {
    TRY(all.emplace_back(), insertOf(std::move(spec)));
  }
  return all;
}

Task<std::string> Queue::put(JobSpec spec) {
  const bool idIsNew = spec.id.empty();
  CO_TRY(const Row row, impl_->rowOf(std::move(spec)));
  store::Write write(asServer());
  write.insert(insertedRow(row, idIsNew));
  CO_RETURN_IF_ERROR(co_await impl_->deps.store.write(std::move(write), nullptr));
  Queue::wake({row.id});
  co_return row.id;
}

void Queue::wake(std::vector<std::string> ids) {
  if (impl_->deps.leases) impl_->deps.leases->notify(ids);
  impl_->announce(std::move(ids));
}

void Queue::projectChanged(store::ProjectNo project) {
  if (impl_->deps.leases) impl_->deps.leases->notify({});
  asio::post(impl_->home, [impl = impl_, project] {
    impl->recheck(project);
    impl->wakeLoop();
  });
}

Task<bool> Queue::cancel(std::string id) {
  store::Write write(asServer());
  const store::Target row = write.change(kRows, std::move(id));
  auto callback = [row](const store::PreImages& before, store::Changes& changes) -> Result<bool> {
    changes.remove(row);
    return before[row].has_value();
  };
  co_return co_await store::writeReturning(impl_->deps.store, std::move(write), std::move(callback));
}

store::WriteTarget Queue::rowOf(const JobRun& run) {
  return {kRows, run.id};
}

bool Queue::stop(std::chrono::milliseconds limit) {
  return impl_->stop(limit);
}

std::vector<KindStats> Queue::stats() const {
  std::vector<KindStats> out;
  for (const auto& [name, kind] : impl_->kinds) {
    out.push_back({name, kind->queued, kind->running, kind->completed, kind->failed, kind->dead});
  }
  return out;
}

}  // namespace mb::jobs
