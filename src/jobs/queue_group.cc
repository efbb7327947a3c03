// The load of a group of jobs, and its oldest ones.
#include "jobs/queue_impl.h"

namespace mb::jobs {

namespace {
constexpr uint64_t kMaxOldest = 200;
}  // namespace

Task<GroupLoad> Queue::load(std::string kind, store::ProjectNo project, std::string group) {
  const FairnessKey fairnessKey(kind, project, group);
  CO_TRY(const store::CollectionStats stats,
         co_await impl_->deps.store.statsByField(kRows, std::string(fairnessKey.stored())));
  co_return GroupLoad{stats.documents, stats.bytes};
}

Async<std::unordered_set<std::string>> Queue::Impl::idsRunning() {
  auto self = shared_from_this();
  co_return co_await suspend<std::unordered_set<std::string>>([self](Resumer<std::unordered_set<std::string>> resumer) {
    asio::post(self->home, [self, resumer = std::move(resumer)]() mutable { resumer.resume(self->running); });
  });
}

Task<std::vector<WaitingJob>> Queue::oldest(std::string kind, store::ProjectNo project, std::string group,
                                            uint64_t limit) {
  limit = std::min(limit, kMaxOldest);
  const std::unordered_set<std::string> running = co_await impl_->idsRunning();
  const FairnessKey fairnessKey(kind, project, group);
  std::vector<WaitingJob> jobs;
  std::string at = fairnessKey.all();
  while (jobs.size() < limit) {
    CO_TRY(const Page page, co_await rowsBetween(impl_->deps.store, kPlacePath, at, behind(fairnessKey.all()),
                                                 limit - jobs.size() + running.size()));
    for (const doc::Document& document : page.rows) {
      at = next(std::string(document.view().stringOr(kPlacePath)));
      CO_TRY(const Row row, Row::fromDocument(document));
      if (jobs.size() == limit || running.contains(row.id)) continue;
      CO_TRY(doc::Document payload, impl_->payloadOf(row));
      jobs.push_back({row.id, std::move(payload), row.failedAttempts, row.createdAt});
    }
    if (page.whole) break;
  }
  co_return jobs;
}

}  // namespace mb::jobs
