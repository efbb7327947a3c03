#include "webhooks/delivery_log.h"

#include <algorithm>

#include "store/records.h"

namespace mb::webhooks {

namespace {

using namespace std::chrono_literals;
using Before = std::span<const std::optional<doc::Document>>;
using Changes = std::vector<store::Change>;

// The others that add at the same time are at most those in flight, and a few by hand.
constexpr int kMostTries = 50;

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
  return fmt::format("{}/{:02}", hookId, seq % kMostDeliveries);
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
  filter.appendString("$lt", hookId + "0");  // the next character
  filter.end();
  store::Query query;
  query.collection = in(project, kDeliveries);
  query.filter = *doc::Filter::parse(filter.finish());
  query.limit = kMostDeliveries;
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
    // Another may have taken the place since.
    if (sent && sent->delivery == deliveryId) co_return std::move(sent->event);
  }
  co_return fail(ErrorCode::notFound, "no such delivery");
}

Task<> DeliveryLog::add(store::ProjectNo project, WebhookRecord hook, DeliveryView delivery, SentEvent event,
                        std::optional<store::WriteTarget> done) {
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    CO_TRY(const auto stored, co_await store_.get(in(project, kDeliveries), hook.hookId));
    CO_TRY(const std::optional<Counter> counter, store::fromStore<Counter>(stored));
    const int64_t added = counter ? counter->added : 0;
    const std::string place = placeOf(hook.hookId, added);
    std::vector<store::WriteTarget> targets{{in(project, kDeliveries), hook.hookId},
                                            {in(project, kDeliveries), place},
                                            {in(project, kSentEvents), place},
                                            {in(project, kWebhooks), hook.id}};
    if (done) targets.push_back(*done);
    bool overtaken = false;
    store::Judge judge = [&](Before before) -> Result<Changes> {
      TRY(const std::optional<Counter> now, store::fromStore<Counter>(before[0]));
      overtaken = (now ? now->added : 0) != added;
      const bool there = before[3] && before[3]->view().stringOr("hookId") == hook.hookId;
      const bool adds = there && !overtaken && (!done || before[4]);
      Changes changes;
      if (adds) {
        changes.push_back(store::Change::put(doc::encode(Counter{hook.hookId, added + 1})));
        changes.push_back(store::Change::put(doc::encode(LoggedDelivery{place, added, delivery})));
        changes.push_back(store::Change::put(doc::encode(Sent{place, delivery.id, event})));
        changes.push_back(store::Change::keep());
      } else {
        for (int i = 0; i < 4; ++i) changes.push_back(store::Change::keep());
      }
      if (done) changes.push_back(overtaken ? store::Change::keep() : store::Change::remove());
      return changes;
    };
    store::WriteOptions options{.deadline = soon(), .actor = {"server", ""}, .bumpEpochs = {}};
    CO_CHECK(co_await store_.write(std::move(targets), std::move(judge), std::move(options)));
    if (!overtaken) co_return Result<>();
  }
  co_return fail(ErrorCode::unavailable, "the log of deliveries is being written, try again");
}

std::vector<store::WriteTarget> DeliveryLog::allOf(store::ProjectNo project, const std::string& hookId) {
  std::vector<store::WriteTarget> targets{{in(project, kDeliveries), hookId}};
  for (int64_t seq = 0; seq < kMostDeliveries; ++seq) {
    targets.push_back({in(project, kDeliveries), placeOf(hookId, seq)});
    targets.push_back({in(project, kSentEvents), placeOf(hookId, seq)});
  }
  return targets;
}

}  // namespace mb::webhooks
