// Types of webhooks: stored records, request bodies, responses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"
#include "store/store.h"

namespace mb::webhooks {

// Numbers 86 to 89 of the system collections belong to this module.
inline constexpr store::CollectionNo kWebhooks = 86;    // id: the name in lower case
inline constexpr store::CollectionNo kDeliveries = 87;  // delivery_log.h
inline constexpr store::CollectionNo kSentEvents = 88;  // delivery_log.h

struct WebhookRecord {
  std::string id;  // the name in lower case: names are unique without regard to case
  std::string name;
  std::string hookId;  // its own: a new webhook of the same name has another id
  std::string collection;
  // The collection of that name when the webhook was last bound: at its creation, at a change of `collection`, or by
  // Webhooks::bind(). It is followed while it exists, also after a rename. 0 if it did not exist.
  int64_t collectionNo = 0;
  std::vector<std::string> events;
  std::string url;
  doc::Document headers;
  bool enabled = false;
  std::string secret;  // sealed, base64; "" none
  std::optional<std::vector<std::string>> fields;
  int64_t after = 0;  // changes up to and including this position are not delivered
  Timestamp createdAt;
  Timestamp updatedAt;
  // Those that URL and headers name; absent without any: then the texts are used unchanged.
  std::optional<std::vector<std::string>> variables;
  static constexpr auto shape() {
    return doc::shape<WebhookRecord>(
        "WebhookRecord", doc::field("id", &WebhookRecord::id), doc::field("name", &WebhookRecord::name),
        doc::field("hookId", &WebhookRecord::hookId), doc::field("collection", &WebhookRecord::collection),
        doc::field("collectionNo", &WebhookRecord::collectionNo), doc::field("events", &WebhookRecord::events),
        doc::field("url", &WebhookRecord::url), doc::field("headers", &WebhookRecord::headers),
        doc::field("enabled", &WebhookRecord::enabled), doc::field("secret", &WebhookRecord::secret),
        doc::field("fields", &WebhookRecord::fields), doc::field("after", &WebhookRecord::after),
        doc::field("createdAt", &WebhookRecord::createdAt), doc::field("updatedAt", &WebhookRecord::updatedAt),
        doc::field("variables", &WebhookRecord::variables));
  }
};

struct SecretView {
  bool configured = false;
  static constexpr auto shape() {
    return doc::shape<SecretView>("WebhookSecretView", doc::field("configured", &SecretView::configured));
  }
};

struct WebhookView {
  std::string name;
  std::string collection;
  std::vector<std::string> events;
  std::string url;
  doc::Document headers;
  bool enabled = false;
  SecretView secret;
  std::optional<std::vector<std::string>> fields;
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<WebhookView>(
        "Webhook", doc::field("name", &WebhookView::name), doc::field("collection", &WebhookView::collection),
        doc::field("events", &WebhookView::events), doc::field("url", &WebhookView::url),
        doc::field("headers", &WebhookView::headers), doc::field("enabled", &WebhookView::enabled),
        doc::field("secret", &WebhookView::secret), doc::field("fields", &WebhookView::fields),
        doc::field("createdAt", &WebhookView::createdAt), doc::field("updatedAt", &WebhookView::updatedAt));
  }
};

struct NewWebhook {
  std::string name;
  std::string collection;
  std::vector<std::string> events;
  std::string url;
  std::optional<doc::Document> headers;
  std::optional<bool> enabled;  // true if absent
  std::optional<std::vector<std::string>> fields;
  static constexpr auto shape() {
    return doc::shape<NewWebhook>(
        "NewWebhook", doc::field("name", &NewWebhook::name), doc::field("collection", &NewWebhook::collection),
        doc::field("events", &NewWebhook::events), doc::field("url", &NewWebhook::url),
        doc::field("headers", &NewWebhook::headers), doc::field("enabled", &NewWebhook::enabled),
        doc::field("fields", &NewWebhook::fields));
  }
};

// Absent fields stay; null removes headers or fields.
struct WebhookPatch {
  std::optional<std::string> collection;
  std::optional<std::vector<std::string>> events;
  std::optional<std::string> url;
  doc::Patch<doc::Document> headers;
  std::optional<bool> enabled;
  doc::Patch<std::vector<std::string>> fields;
  static constexpr auto shape() {
    return doc::shape<WebhookPatch>("WebhookPatch", doc::field("collection", &WebhookPatch::collection),
                                    doc::field("events", &WebhookPatch::events), doc::field("url", &WebhookPatch::url),
                                    doc::field("headers", &WebhookPatch::headers),
                                    doc::field("enabled", &WebhookPatch::enabled),
                                    doc::field("fields", &WebhookPatch::fields));
  }
};

// The response to a creation: the only one that has the secret.
struct CreatedWebhook {
  WebhookView webhook;
  std::string secret;
  static constexpr auto shape() {
    return doc::shape<CreatedWebhook>("CreatedWebhook", doc::field("webhook", &CreatedWebhook::webhook),
                                      doc::field("secret", &CreatedWebhook::secret));
  }
};
struct RotatedSecret {
  std::string secret;
  static constexpr auto shape() {
    return doc::shape<RotatedSecret>("WebhookSecret", doc::field("secret", &RotatedSecret::secret));
  }
};

// The event of a change, stored for its delivery and for redeliveries.
struct SentEvent {
  std::string id;  // "evt_…": of the change
  std::string event;
  std::string collection;
  std::optional<std::string> documentId;
  std::optional<doc::Document> document;
  Timestamp at;
  static constexpr auto shape() {
    return doc::shape<SentEvent>(
        "WebhookEvent", doc::field("id", &SentEvent::id), doc::field("event", &SentEvent::event),
        doc::field("collection", &SentEvent::collection), doc::field("documentId", &SentEvent::documentId),
        doc::field("document", &SentEvent::document), doc::field("at", &SentEvent::at));
  }
};

// The log entry of a delivery.
struct DeliveryView {
  std::string id;  // "dlv_…"
  std::string event;
  doc::Nullable<std::string> documentId;
  std::string status;  // "delivered" or "failed"
  int64_t attempts = 0;
  std::optional<int64_t> responseStatus;
  std::optional<std::string> error;
  int64_t durationMs = 0;  // of the last attempt
  Timestamp at;            // when that ended
  static constexpr auto shape() {
    return doc::shape<DeliveryView>(
        "WebhookDelivery", doc::field("id", &DeliveryView::id), doc::field("event", &DeliveryView::event),
        doc::field("documentId", &DeliveryView::documentId), doc::field("status", &DeliveryView::status),
        doc::field("attempts", &DeliveryView::attempts), doc::field("responseStatus", &DeliveryView::responseStatus),
        doc::field("error", &DeliveryView::error), doc::field("durationMs", &DeliveryView::durationMs),
        doc::field("at", &DeliveryView::at));
  }
};

}  // namespace mb::webhooks
