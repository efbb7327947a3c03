#include "webhooks/delivery_log.h"

#include <algorithm>

#include "store/records.h"
#include "store/retry.h"

namespace mb::webhooks {

namespace {

using namespace std::chrono_literals;

// At most the deliveries in flight, and a few manual ones, add concurrently.
constexpr int kMaxAttempts = 50;

struct Counter {
  std::string id;  // the webhook's
  int64_t added = 0;
  static constexpr auto shape() {
    return doc::shape<Counter>("DeliveryCounter", doc::field("id", &Counter::id), doc::field("added", &Counter::added));
  }
};

struct LoggedDelivery {
  std::string id;  // placeOf()
  int64_t seq = 0;
  DeliveryView delivery;
  static constexpr auto shape() {
    return doc::shape<LoggedDelivery>("DeliveryEntry", doc::field("id", &LoggedDelivery::id),
                                      doc::field("seq", &LoggedDelivery::seq),
                                      doc::field("delivery", &LoggedDelivery::delivery));
  }
};

struct Sent {
  std::string id;  // placeOf()
  std::string delivery;
  SentEvent event;
  static constexpr auto shape() {
    return doc::shape<Sent>("DeliverySent", doc::field("id", &Sent::id), doc::field("delivery", &Sent::delivery),
                            doc::field("event", &Sent::event));
  }
};

std::string placeOf(const std::string& hookId, int64_t seq) {
  return fmt::format("{}/{:02}", hookId, seq % kMaxDeliveries);
}

store::CollectionRef in(store::ProjectNo project, store::CollectionNo collection) {
  return {project, collection, 0};
}

store::Deadline soon() {
  return std::chrono::steady_clock::now() + 10s;
}

store::Query entriesOf(store::ProjectNo project, const std::string& hookId) {
  doc::BsonWriter filter;
  filter.beginDocument("id");
  filter.appendString("$gte", hookId + "/");
  filter.appendString("$lt", hookId + "0");  // the next character after "/"
  filter.end();
  store::Query query;
  query.collection = in(project, kDeliveries);
  query.filter = *doc::Filter::parse(filter.finish());
  query.limit = kMaxDeliveries;
  query.deadline = soon();
  return query;
}

}  // namespace

Task<std::vector<DeliveryView>> DeliveryLog::list(store::ProjectNo project, std::string hookId, int64_t limit) {
  CO_TRY(const store::QueryResult found, co_await store_.find(entriesOf(project, hookId)));
  CO_TRY(std::vector<LoggedDelivery> entries, store::fromStore<LoggedDelivery>(found.documents));
  std::ranges::sort(entries, std::greater(), &LoggedDelivery::seq);
  std::vector<DeliveryView> views;
  for (LoggedDelivery& entry : entries) {
    if (std::ssize(views) >= limit) break;
    views.push_back(std::move(entry.delivery));
  }
  co_return views;
}

Task<SentEvent> DeliveryLog::sentBy(store::ProjectNo project, std::string hookId, std::string deliveryId) {
  CO_TRY(const store::QueryResult found, co_await store_.find(entriesOf(project, hookId)));
  CO_TRY(const std::vector<LoggedDelivery> entries, store::fromStore<LoggedDelivery>(found.documents));
  const auto entry =
      std::ranges::find(entries, deliveryId, [](const LoggedDelivery& each) { return each.delivery.id; });
  if (entry != entries.end()) {
    CO_TRY(const auto stored, co_await store_.get(in(project, kSentEvents), entry->id));
    CO_TRY(std::optional<Sent> sent, store::fromStore<Sent>(stored));
    // The entry may have been overwritten since.
    if (sent && sent->delivery == deliveryId) co_return std::move(sent->event);
  }
  co_return fail(ErrorCode::notFound, "no such delivery");
}

Task<> DeliveryLog::add(store::ProjectNo project, WebhookRecord hook, DeliveryView delivery, SentEvent event,
                        std::optional<store::WriteTarget> done) {
  co_return co_await store::retryWrite(kMaxAttempts,
                                       Error(ErrorCode::unavailable, "the delivery log is being written: try again"),
                                       [&] { return addAt(project, hook, delivery, event, done); });
}

Task<> DeliveryLog::addAt(store::ProjectNo project, WebhookRecord hook, DeliveryView delivery, SentEvent event,
                          std::optional<store::WriteTarget> done) {
  CO_TRY(const auto stored, co_await store_.get(in(project, kDeliveries), hook.hookId));
  CO_TRY(const std::optional<Counter> known, store::fromStore<Counter>(stored));
  const int64_t added = known ? known->added : 0;
  const std::string place = placeOf(hook.hookId, added);
  store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const store::Target counter = write.change(in(project, kDeliveries), hook.hookId);
  const store::Target entry = write.change(in(project, kDeliveries), place);
  const store::Target sent = write.change(in(project, kSentEvents), place);
  const store::Target webhook = write.hold(in(project, kWebhooks), hook.id);
  std::optional<store::Target> job;
  if (done) job = write.change(*std::move(done));
  CO_RETURN_IF_ERROR(co_await store_.write(
      std::move(write),
      [counter, entry, sent, webhook, job, added, &hook = std::as_const(hook), &place = std::as_const(place),
       &delivery = std::as_const(delivery),
       &event = std::as_const(event)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(const std::optional<Counter> now, store::fromStore<Counter>(before[counter]));
        if ((now ? now->added : 0) != added) return fail(ErrorCode::retry, "another entry was added");
        if (job) changes.remove(*job);
        const bool exists = before[webhook] && before[webhook]->view().stringOr("hookId") == hook.hookId;
        if (!exists || (job && !before[*job])) return {};
        changes.put(counter, doc::encode(Counter{hook.hookId, added + 1}));
        changes.put(entry, doc::encode(LoggedDelivery{place, added, delivery}));
        changes.put(sent, doc::encode(Sent{place, delivery.id, event}));
        return {};
      }));
  co_return Result<>();
}

std::vector<store::WriteTarget> DeliveryLog::allOf(store::ProjectNo project, const std::string& hookId) {
  std::vector<store::WriteTarget> targets{{in(project, kDeliveries), hookId}};
  for (int64_t seq = 0; seq < kMaxDeliveries; ++seq) {
    targets.push_back({in(project, kDeliveries), placeOf(hookId, seq)});
    targets.push_back({in(project, kSentEvents), placeOf(hookId, seq)});
  }
  return targets;
}

}  // namespace mb::webhooks
