// Reads the provider's JSON objects.
#include <algorithm>

#include "billing/provider.h"

namespace mb::billing {

namespace {

constexpr size_t kMaxIdBytes = 255;
constexpr int64_t kMaxSeconds = 253'402'300'799;  // the end of the year 9999

doc::DocumentView objectAt(doc::DocumentView object, std::string_view field) {
  const auto value = object.find(field);
  return value && value->type() == doc::BsonType::document ? value->asDocument() : doc::DocumentView();
}

// The items of a subscription; later versions of the interface keep the period there.
doc::DocumentView itemsOf(doc::DocumentView subscription) {
  const auto data = objectAt(subscription, "items").find("data");
  return data && data->type() == doc::BsonType::array ? data->asDocument() : doc::DocumentView();
}

std::optional<Timestamp> latestOfItems(doc::DocumentView subscription, std::string_view field) {
  std::optional<Timestamp> latest = secondsOf(subscription, field);
  for (const doc::Element& item : itemsOf(subscription)) {
    if (item.value.type() != doc::BsonType::document) continue;
    latest = std::max(latest, secondsOf(item.value.asDocument(), field));
  }
  return latest;
}

std::string planOf(doc::DocumentView subscription) {
  for (const doc::Element& item : itemsOf(subscription)) {
    if (item.value.type() != doc::BsonType::document) continue;
    const std::string_view key = objectAt(item.value.asDocument(), "price").stringOr("lookup_key");
    if (!key.empty()) return std::string(key);
  }
  return std::string(objectAt(subscription, "metadata").stringOr("plan"));
}

}  // namespace

bool isProviderId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string_view referenceOf(doc::DocumentView object, std::string_view field) {
  const std::string_view id = object.stringOr(field);
  return id.empty() ? objectAt(object, field).stringOr("id") : id;
}

std::optional<Timestamp> secondsOf(doc::DocumentView object, std::string_view field) {
  const auto value = object.find(field);
  const auto seconds = value && value->isNumber() ? value->toInteger() : std::nullopt;
  if (!seconds || *seconds < 0 || *seconds > kMaxSeconds) return std::nullopt;
  return Timestamp{*seconds * 1000};
}

Result<RemoteSubscription> subscriptionOf(doc::DocumentView object) {
  RemoteSubscription out;
  out.id = object.stringOr("id");
  out.customer = referenceOf(object, "customer");
  out.status = object.stringOr("status");
  const auto created = secondsOf(object, "created");
  if (object.stringOr("object", "subscription") != "subscription" || !isProviderId(out.id) ||
      !isProviderId(out.customer) || !isProviderId(out.status) || !created) {
    return fail(ErrorCode::validation, "not a subscription: it needs id, customer, status and created");
  }
  out.plan = planOf(object);
  out.userId = objectAt(object, "metadata").stringOr("userId");
  out.currentPeriodEnd = latestOfItems(object, "current_period_end");
  const auto cancels = object.find("cancel_at_period_end");
  out.cancelAtPeriodEnd = cancels && cancels->type() == doc::BsonType::boolean && cancels->asBool();
  out.created = *created;
  out.dated = *created;
  for (const std::string_view field : {"start_date", "trial_start", "canceled_at", "ended_at"}) {
    out.dated = std::max(out.dated, secondsOf(object, field).value_or(*created));
  }
  out.dated = std::max(out.dated, latestOfItems(object, "current_period_start").value_or(*created));
  return out;
}

}  // namespace mb::billing
