// A project with webhooks on an in-memory store, and scripted receivers, for this module's tests.
#pragma once

#include "base/log.h"
#include "base/testing.h"
#include "configuration/random_configuration_fixture.h"
#include "store/testing/writing.h"
#include "webhooks/webhook_kind.h"
#include "webhooks/webhooks.h"

namespace mb::webhooks {

// Records requests and returns scripted responses: by URL a list of statuses, the last one repeated; 0: no response,
// -1 a timeout. 200 without a script.
class Receivers final : public outbound::Outbound {
 public:
  Task<outbound::Response> send(outbound::Request request) override {
    int status = 200;
    {
      const std::scoped_lock lock(mutex_);
      std::vector<int>& told = answers_[request.url];
      if (!told.empty()) status = told.front();
      if (told.size() > 1) told.erase(told.begin());
      sent_.push_back(std::move(request));
    }
    if (status == 0) co_return fail(Error(ErrorCode::upstreamFailed, "request failed").withCause("no route"));
    if (status < 0) co_return fail(ErrorCode::upstreamTimeout, "request timed out");
    co_return outbound::Response{status, {}, "", ""};
  }
  Task<> mail(outbound::MailMessage) override { co_return fail(ErrorCode::upstreamFailed, "request failed"); }

  void answer(std::string url, std::vector<int> statuses) {
    const std::scoped_lock lock(mutex_);
    answers_[std::move(url)] = std::move(statuses);
  }
  std::vector<outbound::Request> sent() const {
    const std::scoped_lock lock(mutex_);
    return sent_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<int>> answers_;
  std::vector<outbound::Request> sent_;
};

class WebhooksFixture : public configuration::RandomConfigurationFixture {
 protected:
  static constexpr std::string_view kUrl = "https://example.com/hook";

  WebhooksFixture() : RandomConfigurationFixture(events::systemCollections()) {
    configureLog(LogLevel::off, LogFormat::text);
    configuration_->add(std::make_unique<WebhookKind>(webhooks_));
    EXPECT_TRUE(run(dispatcher_.start()));
    queue_.start();
  }
  ~WebhooksFixture() override {
    store_.stopAfter(-1);
    dispatcher_.stop(std::chrono::seconds(20));
    queue_.stop(std::chrono::seconds(20));
  }

  Access access(store::ProjectNo project) { return {admin(), snapshot(project), soon()}; }
  Access access() { return access(shop_); }
  static NewWebhook hook(std::string name, std::string collection = "orders") {
    return {std::move(name), std::move(collection), {"insert", "update", "delete"}, std::string(kUrl), {}, {}, {}};
  }
  std::string create(NewWebhook input) {
    auto made = run(webhooks_.create(access(), std::move(input)));
    EXPECT_TRUE(made) << made.error().message();
    return made ? made->secret : "";
  }
  Result<> change(std::string name, WebhookPatch patch) {
    return run(webhooks_.change(access(), std::move(name), std::move(patch)));
  }
  WebhookView view(std::string_view name) {
    auto found = webhooks_.get(*snapshot(shop_), name);
    EXPECT_TRUE(found);
    return found ? *std::move(found) : WebhookView();
  }

  store::CollectionInfo collection(std::string name) {
    auto made = run(memory_.createCollection(shop_, std::move(name), {}, {}));
    EXPECT_TRUE(made);
    return *std::move(made);
  }
  // Writes a document of a collection, as a client does.
  void put(const store::CollectionInfo& collection, std::string id, std::string_view json) {
    doc::BsonWriter out;
    out.appendString("id", id);
    const doc::Document given = *doc::parseJson(json);
    for (const doc::Element& element : given.view()) out.append(element.key, element.value);
    write(collection, std::move(id), store::Change::put(out.finish()));
  }
  void remove(const store::CollectionInfo& collection, std::string id) {
    write(collection, std::move(id), store::Change::remove());
  }
  std::vector<DeliveryView> log(std::string name) {
    auto found = run(webhooks_.deliveries(snapshot(shop_), std::move(name), kMaxDeliveries));
    EXPECT_TRUE(found);
    return found ? *std::move(found) : std::vector<DeliveryView>();
  }
  // Advances the clock, so that waiting jobs become due.
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time.count());
    queue_.wake();
  }
  size_t jobs() const { return memory_.all({store::kControlProject, jobs::kJobs, 0}).size(); }

  Receivers receivers_;
  jobs::Queue queue_{{store_, cores_, ids_, clock_, master_}};
  events::Dispatcher dispatcher_{{store_, memory_.feed(), queue_, snapshots_, cores_}};
  Webhooks webhooks_{
      {store_, snapshots_, queue_, dispatcher_, receivers_, *data_, ids_, clock_, auditor_, master_, variables_}};

 private:
  void write(const store::CollectionInfo& collection, std::string id, store::Change change) {
    const store::CollectionRef ref{shop_, collection.number, collection.version};
    EXPECT_TRUE(run(store::testing::change(memory_, ref, std::move(id), std::move(change))));
  }
};

}  // namespace mb::webhooks
