#include "billing/provider_event.h"

#include <array>

#include "billing/provider.h"
#include "document/json.h"

namespace mb::billing {

namespace {

constexpr size_t kMaxEventDepth = 40;
constexpr size_t kMaxUserIdBytes = 200;
constexpr std::string_view kCheckoutCompleted = "checkout.session.completed";
constexpr std::array<std::string_view, 3> kSubscriptionTypes = {
    "customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted"};

Error invalid(std::string path, std::string message) {
  std::string text = path + " " + message;
  return Error(ErrorCode::validation, std::move(text)).withDetail(std::move(path), std::move(message));
}

std::string_view metadataOf(doc::DocumentView object, std::string_view field) {
  const auto metadata = object.find("metadata");
  if (!metadata || metadata->type() != doc::BsonType::document) return "";
  return metadata->asDocument().stringOr(field);
}

// A reference of the event's object, which has to be there.
Result<std::string> idAt(doc::DocumentView object, std::string_view field) {
  const std::string_view id = referenceOf(object, field);
  if (isProviderId(id)) return std::string(id);
  return fail(invalid("/data/object/" + std::string(field), "must be an id"));
}

Result<> readObject(ProviderEvent& event, doc::DocumentView object) {
  const bool isSession = event.type == kCheckoutCompleted;
  if (!isSession && std::ranges::find(kSubscriptionTypes, event.type) == kSubscriptionTypes.end()) return {};
  if (isSession && object.stringOr("mode", "subscription") != "subscription") return {};
  TRY(event.customer, idAt(object, "customer"));
  TRY(event.subscription, idAt(object, isSession ? "subscription" : "id"));
  std::string_view user = isSession ? object.stringOr("client_reference_id") : "";
  if (user.empty()) user = metadataOf(object, "userId");
  // Longer than any user's id: then no user has it.
  event.userId = user.substr(0, kMaxUserIdBytes);
  event.isHandled = true;
  return {};
}

}  // namespace

Result<ProviderEvent> providerEventOf(std::string_view body) {
  if (body.size() > kMaxEventBytes) return fail(ErrorCode::validation, "an event is at most 256 KiB long");
  auto parsed = doc::parseJson(body, {.maxDepth = kMaxEventDepth, .extended = doc::ExtendedJson::refuse});
  if (!parsed) {
    return fail(Error(ErrorCode::validation, "an event is a JSON object: " + parsed.error().message()));
  }
  const doc::DocumentView view = *parsed;
  ProviderEvent event;
  event.id = view.stringOr("id");
  if (!isProviderId(event.id)) return fail(invalid("/id", "must be an id"));
  event.type = view.stringOr("type");
  if (event.type.empty()) return fail(invalid("/type", "must be the type of the event"));
  const auto created = secondsOf(view, "created");
  if (!created) return fail(invalid("/created", "must be a time in seconds"));
  event.created = *created;
  const auto object = view.findPath("data.object");
  if (!object || object->type() != doc::BsonType::document) return fail(invalid("/data/object", "must be an object"));
  RETURN_IF_ERROR(readObject(event, object->asDocument()));
  return event;
}

}  // namespace mb::billing
