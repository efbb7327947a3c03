#include "billing/provider.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cores.h"
#include "base/url_text.h"
#include "document/json.h"

namespace mb::billing {

namespace {

using namespace std::chrono_literals;

// Of a call with all its attempts: below the time that the provider waits for the response to an event.
constexpr auto kCallLimit = 8s;
constexpr auto kConnectLimit = 3s;
// A page of subscriptions with their items is about 1 MiB.
constexpr size_t kMaxResponseBytes = 8 << 20;
constexpr size_t kMaxDepth = 40;
constexpr int kAttempts = 3;
constexpr auto kPause = 300ms;
constexpr int kConflict = 409;
constexpr int kNotFound = 404;

// A word of the provider for the log. Its messages are never logged: they may repeat what was sent.
std::string_view wordOf(doc::DocumentView error, std::string_view field) {
  const std::string_view word = error.stringOr(field);
  const bool plain = !word.empty() && word.size() <= 64 && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain ? word : "unknown";
}

doc::DocumentView errorOf(doc::DocumentView body) {
  const auto error = body.find("error");
  return error && error->type() == doc::BsonType::document ? error->asDocument() : doc::DocumentView();
}

// Whether another call with the same key is in progress, which has the result of this one when it ends.
bool isInProgress(int status, doc::DocumentView body) {
  return status == kConflict && errorOf(body).stringOr("code") == "idempotency_key_in_use";
}

// A failure whose cause is for the log.
Error unusable(const std::string& path, std::string_view why) {
  return Error(ErrorCode::upstreamFailed, "request failed")
      .withCause(fmt::format("the payment provider's response to {} {}", path, why));
}

// The URL of a session, to which the client is sent.
Result<std::string> urlOf(doc::DocumentView session, const std::string& path) {
  const std::string_view url = session.stringOr("url");
  if (outbound::originOf(url)) return std::string(url);
  return fail(unusable(path, "has no URL"));
}

std::optional<doc::DocumentView> listOf(doc::DocumentView body) {
  const auto data = body.find("data");
  if (!data || data->type() != doc::BsonType::array) return std::nullopt;
  return data->asDocument();
}

std::string formOf(const CheckoutRequest& request, std::string_view price) {
  std::string form;
  addField(form, "mode", "subscription");
  addField(form, "line_items[0][price]", price);
  addField(form, "line_items[0][quantity]", "1");
  addField(form, "client_reference_id", request.userId);
  // Both: an event of the session has the first, each event of the subscription the second.
  for (const std::string_view metadata : {"metadata", "subscription_data[metadata]"}) {
    addField(form, fmt::format("{}[plan]", metadata), request.plan);
    addField(form, fmt::format("{}[userId]", metadata), request.userId);
  }
  if (request.customer) {
    addField(form, "customer", *request.customer);
  } else if (!request.email.empty()) {
    addField(form, "customer_email", request.email);
  }
  addField(form, "success_url", request.successUrl);
  addField(form, "cancel_url", request.cancelUrl);
  return form;
}

// The provider refuses a key that is repeated with other fields, so the fields are part of it.
std::string keyOf(std::string_view key, std::string_view form) {
  return fmt::format("{}-{}", key, toHex(sha256(form)).substr(0, 32));
}

}  // namespace

Task<std::string> Provider::checkout(CheckoutRequest request, std::string idempotencyKey) {
  CO_TRY(const std::string price, co_await priceOf(request.plan));
  Call call{.method = "POST", .path = "/v1/checkout/sessions", .form = formOf(request, price)};
  call.idempotencyKey = keyOf(idempotencyKey, call.form);
  CO_TRY(const Reply reply, co_await send(call));
  // The price may have been replaced since it was found.
  if (!reply.ok()) forgetPrice(request.plan);
  if (!reply.ok()) co_return fail(failure(call, reply));
  co_return urlOf(reply.body, call.path);
}

Task<std::string> Provider::portal(std::string customer, std::string returnUrl, std::string idempotencyKey) {
  Call call{.method = "POST", .path = "/v1/billing_portal/sessions"};
  addField(call.form, "customer", customer);
  addField(call.form, "return_url", returnUrl);
  call.idempotencyKey = keyOf(idempotencyKey, call.form);
  const std::string path = call.path;
  CO_TRY(const doc::Document session, co_await succeed(std::move(call)));
  co_return urlOf(session, path);
}

Task<std::optional<RemoteSubscription>> Provider::subscription(std::string id) {
  if (!isProviderId(id)) co_return std::nullopt;
  const Call call{.method = "GET", .path = "/v1/subscriptions/" + id};
  CO_TRY(const Reply reply, co_await send(call));
  if (reply.status == kNotFound && errorOf(reply.body).stringOr("code") == "resource_missing") co_return std::nullopt;
  if (!reply.ok()) co_return fail(failure(call, reply));
  auto found = subscriptionOf(reply.body);
  if (!found || found->id != id) co_return fail(unusable(call.path, "is not that subscription"));
  co_return *std::move(found);
}

Task<Provider::Page> Provider::subscriptions(std::string after) {
  Call call{.method = "GET", .path = "/v1/subscriptions"};
  addQuery(call.path, "status", "all");
  addQuery(call.path, "limit", std::to_string(kProviderPage));
  if (!after.empty()) addQuery(call.path, "starting_after", after);
  const std::string path = call.path;
  CO_TRY(const doc::Document body, co_await succeed(std::move(call)));
  const auto list = listOf(body);
  if (!list) co_return fail(unusable(path, "is not a list"));
  Page page;
  for (const doc::Element& element : *list) {
    if (element.value.type() != doc::BsonType::document) co_return fail(unusable(path, "lists no subscriptions"));
    auto each = subscriptionOf(element.value.asDocument());
    if (!each) co_return fail(unusable(path, "lists no subscriptions"));
    page.subscriptions.push_back(*std::move(each));
  }
  const auto more = body.view().find("has_more");
  page.more = more && more->type() == doc::BsonType::boolean && more->asBool();
  // Else the next page would be the same again.
  if (page.more && page.subscriptions.empty()) co_return fail(unusable(path, "is an empty page of a longer list"));
  co_return page;
}

Task<std::string> Provider::priceOf(std::string plan) {
  if (auto kept = keptPrice(plan)) co_return *std::move(kept);
  Call call{.method = "GET", .path = "/v1/prices"};
  addQuery(call.path, "active", "true");
  addQuery(call.path, "limit", "1");
  addQuery(call.path, "lookup_keys[]", plan);
  const std::string path = call.path;
  CO_TRY(const doc::Document body, co_await succeed(std::move(call)));
  const auto list = listOf(body);
  if (!list) co_return fail(unusable(path, "is not a list"));
  if (list->empty()) co_return fail(unusable(path, "is empty: no active price has this lookup_key"));
  const doc::ValueView first = list->begin()->value;
  const doc::DocumentView price = first.type() == doc::BsonType::document ? first.asDocument() : doc::DocumentView();
  const std::string id(price.stringOr("id"));
  if (!isProviderId(id) || price.stringOr("lookup_key", plan) != plan) {
    co_return fail(unusable(path, "is not that price"));
  }
  keepPrice(plan, id);
  co_return id;
}

std::optional<std::string> Provider::keptPrice(const std::string& plan) {
  const Timestamp now = clock_.now();
  const std::lock_guard lock(mutex_);
  const auto found = prices_.find(plan);
  if (found == prices_.end()) return std::nullopt;
  // A clock that was set back would keep it for longer.
  if (now < found->second.foundAt || now.ms - found->second.foundAt.ms >= kPriceMs) {
    prices_.erase(found);
    return std::nullopt;
  }
  return found->second.id;
}

void Provider::keepPrice(const std::string& plan, std::string id) {
  const Timestamp now = clock_.now();
  const std::lock_guard lock(mutex_);
  if (prices_.size() >= kMaxPrices) prices_.clear();
  prices_.insert_or_assign(plan, Price{std::move(id), now});
}

void Provider::forgetPrice(const std::string& plan) {
  const std::lock_guard lock(mutex_);
  prices_.erase(plan);
}

Task<Provider::Reply> Provider::send(Call call) {
  const auto until = std::chrono::steady_clock::now() + kCallLimit;
  for (int attempt = 1;; ++attempt) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    CO_TRY(Reply reply, co_await sendOnce(call, std::max(left, std::chrono::milliseconds(1))));
    if (!isInProgress(reply.status, reply.body) || attempt == kAttempts) co_return reply;
    co_await sleepFor(kPause * attempt);
  }
}

Task<Provider::Reply> Provider::sendOnce(Call call, std::chrono::milliseconds timeout) {
  outbound::Request request;
  request.method = call.method;
  request.url = settings_.apiUrl + call.path;
  request.headers = {{"accept", "application/json"}, {"Stripe-Version", std::string(kApiVersion)}};
  request.headers.push_back(
      {"Authorization", fmt::format("Bearer {}", settings_.secretKey ? settings_.secretKey->reveal() : "")});
  if (!call.idempotencyKey.empty()) request.headers.push_back({"Idempotency-Key", call.idempotencyKey});
  if (call.method == "POST") request.headers.push_back({"content-type", "application/x-www-form-urlencoded"});
  request.body = call.form;
  request.trust = outbound::Trust::deployment;
  request.timeout = timeout;
  request.connectTimeout = std::min<std::chrono::milliseconds>(kConnectLimit, timeout);
  request.maxResponseBytes = kMaxResponseBytes;
  request.keys = {"", "billing"};
  auto response = co_await outbound_.send(std::move(request));
  if (!response) {
    // What cannot be sent is the operator's setting, not an input of the caller.
    if (response.error().code() != ErrorCode::validation) co_return fail(std::move(response).error());
    co_return fail(unusable(call.path, "is missing: SERVICE_BILLING_API_URL or the key cannot be sent"));
  }
  Reply reply{.status = response->status, .body = {}, .requestId = std::string(response->header("request-id"))};
  auto body = doc::parseJson(response->body, {.maxDepth = kMaxDepth, .extended = doc::ExtendedJson::refuse});
  if (body) {
    reply.body = *std::move(body);
  } else if (reply.ok()) {
    co_return fail(unusable(call.path, "is not a JSON object"));
  }
  co_return reply;
}

Task<doc::Document> Provider::succeed(Call call) {
  CO_TRY(Reply reply, co_await send(call));
  if (!reply.ok()) co_return fail(failure(call, reply));
  co_return std::move(reply.body);
}

Error Provider::failure(const Call& call, const Reply& reply) {
  const doc::DocumentView error = errorOf(reply.body);
  return Error(ErrorCode::upstreamFailed, "request failed")
      .withCause(fmt::format("the payment provider responded to {} {} with status {}, type {}, code {}, request {}",
                             call.method, call.path, reply.status, wordOf(error, "type"), wordOf(error, "code"),
                             isProviderId(reply.requestId) ? reply.requestId : "unknown"));
}

}  // namespace mb::billing
