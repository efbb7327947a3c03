#include "events/dispatcher.h"

#include <boost/asio/deferred.hpp>
#include <boost/asio/redirect_error.hpp>

#include "base/log.h"
#include "events/dispatcher_impl.h"
#include "store/records.h"

namespace mb::events {

namespace {

using namespace std::chrono_literals;

constexpr size_t kWorkers = 8;
constexpr uint64_t kPage = 500;
constexpr auto kRetryPause = 500ms;
constexpr std::chrono::milliseconds kLookWithLeases = 5s;
constexpr size_t kMaxPolledInARow = 1000;

store::Query pageBehind(std::string_view id) {
  doc::BsonWriter filter;
  filter.beginDocument("id");
  filter.appendString("$gt", id);
  filter.end();
  store::Query query;
  query.collection = kCursorRows;
  query.filter = *doc::Filter::parse(filter.finish());
  query.limit = kPage;
  query.deadline = std::chrono::steady_clock::now() + 30s;
  return query;
}

std::string leaseOf(store::ProjectNo project) {
  return fmt::format("changes-{}", project);
}

}  // namespace

std::vector<store::SystemCollection> systemCollections() {
  return {{.number = kCursors,
           .name = "__event_cursors",
           .indexes = {},
           .projectField = "projectId",
           .logFloor = store::LogFloor{.project = "project", .position = "position"}}};
}

Dispatcher::Impl::Impl(DispatcherDeps d)
    : deps(d), cursors(std::make_shared<CursorScheduler>(kWorkers)), timer(d.cores.at(0).get_executor()) {}

void Dispatcher::Impl::wake(store::ProjectNo project) {
  if (cursors->wake(project)) startWorker();
}

void Dispatcher::Impl::startWorker() {
  const auto core = static_cast<int>(nextCore++ % static_cast<size_t>(deps.cores.count()));
  tasks.spawn(deps.cores.at(core).get_executor(), work(shared_from_this()));
}

Async<void> Dispatcher::Impl::work(std::shared_ptr<Impl> self) {
  while (const auto project = self->cursors->nextProject()) {
    const Result<Step> step = co_await self->advance(*project);
    if (step) {
      self->failing = false;
      if (*step == Step::absent) {
        self->releaseLease(*project);
        self->cursors->leave(*project);
      } else {
        self->cursors->endStep(*project, *step == Step::more);
      }
      continue;
    }
    if (!self->failing.exchange(true)) {
      logWarn("change delivery failed; retrying",
              {{"project", *project}, {"problem", step.error().message()}, {"cause", step.error().cause()}});
    }
    if (!self->cursors->stopping()) co_await sleepFor(kRetryPause);
    self->cursors->endStep(*project, true);
  }
}

Async<void> Dispatcher::Impl::poll(std::shared_ptr<Impl> self) {
  const auto every = self->deps.leases ? std::min(self->deps.lookEvery, kLookWithLeases) : self->deps.lookEvery;
  bool behindFails = false;
  while (!self->cursors->stopping()) {
    self->timer.expires_after(every);
    boost::system::error_code ignored;
    co_await self->timer.async_wait(asio::redirect_error(useAwaitable, ignored));
    co_await self->wakeChanged();
    if (!self->deps.leases || self->cursors->stopping()) continue;
    const Result<> looked = co_await self->wakeBehind();
    if (!looked && !behindFails) {
      logWarn("the cursors of other servers could not be read; retrying", {{"problem", looked.error().message()}});
    }
    behindFails = !looked;
  }
}

Task<> Dispatcher::Impl::wakeBehind() {
  co_return co_await eachCursor([this](const CursorRecord& record) {
    const auto project = static_cast<store::ProjectNo>(record.project);
    const bool behind = static_cast<uint64_t>(record.position) < deps.feed.lastPosition(project);
    if (cursors->adopt(project, Cursor::of(record)) && behind) wake(project);
  });
}

Task<> Dispatcher::Impl::eachCursor(std::function<void(const CursorRecord&)> visit) {
  std::string last;
  while (true) {
    CO_TRY(const store::QueryResult page, co_await deps.store.find(pageBehind(last)));
    CO_TRY(const std::vector<CursorRecord> records, store::fromStore<CursorRecord>(page.documents));
    for (const CursorRecord& record : records) visit(record);
    if (records.size() < kPage) co_return Result<>();
    last = records.back().id;
  }
}

Async<bool> Dispatcher::Impl::holdsLease(store::ProjectNo project) {
  if (!deps.leases || cursors->isLeased(project)) co_return true;
  if (!cursors->mayLease(project)) co_return false;
  const bool taken = co_await deps.leases->take(leaseOf(project));
  cursors->setLeased(project, taken);
  co_return taken;
}

void Dispatcher::Impl::releaseLease(store::ProjectNo project) {
  if (!deps.leases || !cursors->isLeased(project)) return;
  cursors->setLeased(project, false);
  deps.leases->release(leaseOf(project));
}

// Each change of a project's status moves its epoch, and an epoch is read without access to the disk.
Async<void> Dispatcher::Impl::wakeChanged() {
  store::ProjectNo last = 0;
  while (!cursors->stopping()) {
    const auto suspended = cursors->suspendedBehind(last, kMaxPolledInARow);
    for (const auto& [project, epoch] : suspended) {
      if (deps.store.epoch(project) != epoch) wake(project);
    }
    if (suspended.size() < kMaxPolledInARow) co_return;
    last = suspended.back().first;
    co_await asio::post(asio::deferred);
  }
}

Dispatcher::Dispatcher(DispatcherDeps deps) : impl_(std::make_shared<Impl>(deps)) {}

Dispatcher::~Dispatcher() {
  stop(0ms);
}

void Dispatcher::add(Consumer& consumer) {
  impl_->consumers.push_back(&consumer);
}

Task<> Dispatcher::start() {
  const std::weak_ptr<Impl> weak = impl_;
  impl_->listening = impl_->deps.feed.listen([weak](store::ProjectNo project, uint64_t) {
    if (const auto impl = weak.lock()) impl->wake(project);
  });
  std::vector<store::ProjectNo> all;
  CO_RETURN_IF_ERROR(co_await impl_->eachCursor([this, &all](const CursorRecord& record) {
    all.push_back(static_cast<store::ProjectNo>(record.project));
    impl_->cursors->loaded(all.back(), Cursor::of(record));
  }));
  for (const store::ProjectNo project : all) impl_->wake(project);
  impl_->tasks.spawn(impl_->deps.cores.at(0).get_executor(), Impl::poll(impl_));
  co_return Result<>();
}

bool Dispatcher::stop(std::chrono::milliseconds limit) {
  impl_->cursors->stop();
  impl_->listening.reset();
  asio::post(impl_->deps.cores.at(0).get_executor(), [impl = impl_] { impl->timer.cancel(); });
  const bool ended = impl_->tasks.closeAndWait(limit);
  for (const store::ProjectNo project : impl_->cursors->leased()) impl_->releaseLease(project);
  return ended;
}

store::WriteTarget Dispatcher::Joining::target() const {
  return {kCursorRows, std::to_string(project)};
}

Result<store::Change> Dispatcher::Joining::change(const std::optional<doc::Document>& before) const {
  TRY(std::optional<CursorRecord> record, store::fromStore<CursorRecord>(before));
  if (!record) {
    record = CursorRecord{
        std::to_string(project), projectId.str(), static_cast<int64_t>(project), static_cast<int64_t>(after), "", 0};
  }
  ++record->generation;
  return store::Change::put(doc::encode(*record));
}

Task<Dispatcher::Joining> Dispatcher::join(snapshot::ProjectInfo project) {
  CO_TRY(const uint64_t after, co_await impl_->deps.feed.frontier(project.number));
  co_return Joining{project.number, std::move(project.id), after};
}

void Dispatcher::resumed(store::ProjectNo project) {
  impl_->wake(project);
}

void Dispatcher::joined(const Joining& joining) {
  if (impl_->cursors->renew(joining.project, joining.after)) impl_->startWorker();
}

}  // namespace mb::events
