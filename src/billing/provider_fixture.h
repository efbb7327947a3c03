// A payment provider in memory, behind an Outbound, and what billing runs on, for this module's tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>

#include "base/log.h"
#include "billing/checkout.h"
#include "billing/events.h"
#include "document/json.h"
#include "identity/identity.h"
#include "identity/realm.h"
#include "identity/user_types.h"
#include "mail/testing.h"
#include "store/records.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"
#include "store/testing/writing.h"

namespace mb::billing {

// A subscription at the provider. Times are in seconds.
struct Sold {
  std::string customer = {};
  std::string userId = {};  // metadata
  std::string status = "active";
  std::string plan = "pro";
  int64_t created = 1'800'000'000;
  int64_t periodEnd = 1'900'000'000;
  bool cancels = false;
  int64_t canceledAt = 0;
};

// Responds like the provider: prices by lookup_key, sessions by idempotency key, subscriptions. Any thread.
class FakePayments final : public outbound::Outbound {
 public:
  Task<outbound::Response> send(outbound::Request request) override { co_return respond(std::move(request)); }
  Task<> mail(outbound::MailMessage) override { co_return fail(ErrorCode::upstreamFailed, "request failed"); }

  void sell(const std::string& id, Sold sold) {
    const std::scoped_lock lock(mutex_);
    subscriptions_[id] = std::move(sold);
  }
  void forget(const std::string& id) {
    const std::scoped_lock lock(mutex_);
    subscriptions_.erase(id);
  }
  Sold sold(const std::string& id) const {
    const std::scoped_lock lock(mutex_);
    return subscriptions_.at(id);
  }
  // Every later call gets this response, or this error.
  void respondWith(std::optional<outbound::Response> response) {
    const std::scoped_lock lock(mutex_);
    scripted_ = std::move(response);
  }
  void failWith(std::optional<ErrorCode> code) {
    const std::scoped_lock lock(mutex_);
    failure_ = code;
  }
  // The next calls with an idempotency key are refused, as while another call with it is in progress.
  void holdKeys(int calls) {
    const std::scoped_lock lock(mutex_);
    held_ = calls;
  }
  // Runs before a subscription is returned: simulates a concurrent caller.
  void beforeNextSubscription(std::function<void()> hook) {
    const std::scoped_lock lock(mutex_);
    hook_ = std::move(hook);
  }
  std::vector<outbound::Request> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }
  size_t count(std::string_view pathPart) const {
    size_t found = 0;
    for (const outbound::Request& each : requests()) found += each.url.contains(pathPart) ? 1 : 0;
    return found;
  }
  std::map<std::string, std::string> prices{{"pro", "price_pro"}, {"scale", "price_scale"}};  // before the first call

 private:
  static outbound::Response json(int status, std::string body) {
    return {status, {{"request-id", "req_1"}}, std::move(body), ""};
  }
  static std::string bodyOf(const std::string& id, const Sold& sold) {
    return fmt::format(
        R"({{"id":"{0}","object":"subscription","customer":"{1}","status":"{2}","created":{4},"start_date":{4},)"
        R"("current_period_start":{4},"current_period_end":{5},"cancel_at_period_end":{6},"canceled_at":{7},)"
        R"("items":{{"data":[{{"id":"si_1","price":{{"id":"price_{3}","lookup_key":"{3}"}}}}]}},)"
        R"("metadata":{{"plan":"{3}","userId":"{8}"}}}})",
        id, sold.customer, sold.status, sold.plan, sold.created, sold.periodEnd, sold.cancels,
        sold.canceledAt > 0 ? std::to_string(sold.canceledAt) : "null", sold.userId);
  }

  Result<outbound::Response> respond(outbound::Request request) {
    std::function<void()> hook;
    {
      const std::scoped_lock lock(mutex_);
      if (request.url.contains("/v1/subscriptions/")) hook.swap(hook_);
    }
    if (hook) hook();
    const std::scoped_lock lock(mutex_);
    requests_.push_back(request);
    if (failure_) return fail(*failure_, "request failed");
    if (scripted_) return *scripted_;
    const std::string path = request.url.substr(std::string("https://pay.example.com").size());
    if (path.starts_with("/v1/prices")) {
      for (const auto& [plan, id] : prices) {
        if (path.ends_with("=" + plan)) {
          return json(200, fmt::format(R"({{"data":[{{"id":"{}","lookup_key":"{}"}}]}})", id, plan));
        }
      }
      return json(200, R"({"data":[]})");
    }
    if (path.starts_with("/v1/subscriptions/")) {
      const auto found = subscriptions_.find(path.substr(std::string("/v1/subscriptions/").size()));
      if (found != subscriptions_.end()) return json(200, bodyOf(found->first, found->second));
      return json(404, R"({"error":{"type":"invalid_request_error","code":"resource_missing"}})");
    }
    if (path.starts_with("/v1/subscriptions")) return list(path);
    if (held_ > 0) {
      --held_;
      return json(409, R"({"error":{"type":"idempotency_error","code":"idempotency_key_in_use"}})");
    }
    std::string key;
    for (const outbound::Header& header : request.headers) {
      if (header.name == "Idempotency-Key") key = header.value;
    }
    const auto [session, isNew] = sessions_.try_emplace(key, fmt::format("cs_{}", sessions_.size() + 1));
    return json(200, fmt::format(R"({{"id":"{0}","url":"https://pay.example.com/c/{0}"}})", session->second));
  }

  outbound::Response list(const std::string& path) const {
    constexpr size_t kPage = 100;
    const size_t at = path.find("starting_after=");
    auto next = at == std::string::npos ? subscriptions_.begin()
                                        : subscriptions_.upper_bound(path.substr(at + std::strlen("starting_after=")));
    std::string data;
    for (size_t i = 0; i < kPage && next != subscriptions_.end(); ++i, ++next) {
      data += (data.empty() ? "" : ",") + bodyOf(next->first, next->second);
    }
    return json(200, fmt::format(R"({{"data":[{}],"has_more":{}}})", data, next != subscriptions_.end()));
  }

  mutable std::mutex mutex_;
  std::map<std::string, Sold> subscriptions_;
  std::map<std::string, std::string> sessions_;  // by idempotency key
  std::vector<outbound::Request> requests_;
  std::optional<outbound::Response> scripted_;
  std::optional<ErrorCode> failure_;
  std::function<void()> hook_;
  int held_ = 0;
};

class ProviderFixture : public ::testing::Test {
 protected:
  static constexpr int64_t kNow = 1'800'000'000;  // seconds
  static constexpr std::string_view kKey = "sk_test_secret-of-the-test";
  static constexpr std::string_view kWebhookSecret = "whsec_secret-of-the-test";

  explicit ProviderFixture(bool audits = true)
      : store_(collections()), auditor_(audits, ids_, clock_), events_(eventsDeps()) {
    initCrypto();
    configureLog(LogLevel::off, LogFormat::text);
    cores_.start();
  }
  ~ProviderFixture() override {
    queue_.stop(std::chrono::seconds(20));
    cores_.stop();
    cores_.join();
  }

  static std::vector<store::SystemCollection> collections() {
    std::vector<store::SystemCollection> all = systemCollections();
    for (auto& each : identity::systemCollections()) all.push_back(std::move(each));
    for (auto& each : projects::systemCollections()) all.push_back(std::move(each));
    for (auto& each : jobs::systemCollections()) all.push_back(std::move(each));
    all.push_back(audit::auditCollection());
    return all;
  }
  static BillingSettings settingsOfTest() {
    BillingSettings settings;
    settings.on = true;
    settings.secretKey = Secret(std::string(kKey));
    settings.webhookSecret = Secret(std::string(kWebhookSecret));
    settings.apiUrl = "https://pay.example.com";
    return settings;
  }
  EventsDeps eventsDeps() { return {store_, accounts_, provider_, queue_, clock_, auditor_, settings_, mails_}; }

  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }
  template <class T>
  static std::string codeOf(const Result<T>& result) {
    return result ? std::string() : std::string(meaningOf(result.error().code()).wire);
  }
  static store::Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(30); }

  policy::Caller user(const std::string& id) {
    identity::UserRecord record;
    record.id = UserId(id);
    record.email = id + "@example.com";
    record.emailKey = record.email;
    record.createdAt = record.updatedAt = clock_.now();
    EXPECT_TRUE(
        run(store::testing::put(store_, {store::kControlProject, identity::kUsers, 0}, id, doc::encode(record))));
    policy::Caller caller;
    caller.kind = policy::CallerKind::platform;
    caller.id = id;
    caller.email = record.email;
    return caller;
  }
  void grant(const std::string& userId, std::string plan) {
    EXPECT_TRUE(run(accounts_.change(userId, soon(), {}, [plan, at = clock_.now()](AccountRecord& account) {
      account.grant = Grant{plan, at};
      return Result<bool>(true);
    })));
  }
  AccountRecord account(const std::string& userId) {
    const auto found = run(accounts_.find(userId));
    EXPECT_TRUE(found);
    return found && *found ? **found : AccountRecord{};
  }
  // "active pro", or "none".
  std::string subscriptionOfUser(const std::string& userId) {
    const AccountRecord found = account(userId);
    return found.subscription ? found.subscription->status + " " + found.subscription->plan : "none";
  }
  // "subscription pro".
  std::string planOf(const std::string& userId) {
    const auto plan = run(accounts_.planOf(userId));
    EXPECT_TRUE(plan);
    return plan ? fmt::format("{} {}", nameOf(plan->source), plan->plan.slug) : "";
  }

  static std::string sign(std::string_view body, std::string_view secret, int64_t seconds) {
    return fmt::format("t={},v1={}", seconds, toHex(hmacSha256(secret, fmt::format("{}.{}", seconds, body))));
  }
  Result<bool> takeBody(const std::string& body) {
    return run(events_.take(sign(body, kWebhookSecret, clock_.now().ms / 1000), body, soon()));
  }
  static std::string subscriptionEvent(std::string_view id, std::string_view subscription, const Sold& sold,
                                       int64_t created, std::string_view type = "updated") {
    return fmt::format(R"({{"id":"{}","type":"customer.subscription.{}","created":{},"data":{{"object":)"
                       R"({{"id":"{}","customer":"{}","metadata":{{"userId":"{}"}}}}}}}})",
                       id, type, created, subscription, sold.customer, sold.userId);
  }
  static std::string checkoutEvent(std::string_view id, std::string_view subscription, std::string_view customer,
                                   std::string_view userId, int64_t created) {
    return fmt::format(R"({{"id":"{}","type":"checkout.session.completed","created":{},"data":{{"object":)"
                       R"({{"id":"cs_1","mode":"subscription","customer":"{}","subscription":"{}",)"
                       R"("client_reference_id":"{}"}}}}}})",
                       id, created, customer, subscription, userId);
  }
  std::vector<std::string> auditTexts() const {
    std::vector<std::string> texts;
    for (const auto& entry : store_.all({store::kControlProject, audit::kAuditCollection, 0})) {
      texts.push_back(doc::toJson(entry));
    }
    return texts;
  }
  std::vector<EventRecord> eventRecords() const {
    return *store::fromStore<EventRecord>(store_.all({store::kControlProject, kEvents, 0}));
  }

  ManualClock clock_{kNow * 1000};
  Cores cores_{2};
  store::testing::MemoryStore store_;
  IdGenerator ids_{clock_};
  audit::Auditor auditor_;
  MasterSecret master_{Secret(std::string(32, 'k'))};
  jobs::Queue queue_{{store_, cores_, ids_, clock_, master_}};
  BillingSettings settings_ = settingsOfTest();
  FakePayments payments_;
  Accounts accounts_{{store_, clock_, auditor_}};
  Provider provider_{payments_, clock_, settings_};
  mail::testing::MailBox box_{store_, cores_, ids_, clock_, master_, true};
  PlanMails mails_{{store_, box_.mailer(), "https://api.example.com"}};
  Events events_;
  Checkout checkout_{{accounts_, provider_, store_, clock_, "https://api.example.com"}};
};

}  // namespace mb::billing
