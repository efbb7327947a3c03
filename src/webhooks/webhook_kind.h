// Webhooks in a project's configuration: their collection, events and receiver. Whether one is enabled, and its secret,
// are not included: a new one is created disabled and without a secret.
#pragma once

#include "configuration/named_kind.h"
#include "webhooks/webhooks.h"

namespace mb::webhooks {

// A webhook in a document. `enabled` is accepted and ignored.
struct WebhookEntry {
  std::string name;
  std::string collection;
  std::vector<std::string> events;
  std::string url;
  std::optional<doc::Document> headers;
  std::optional<std::vector<std::string>> fields;
  std::optional<bool> enabled;
  static constexpr auto shape() {
    return doc::shape<WebhookEntry>(
        "WebhookEntry", doc::field("name", &WebhookEntry::name), doc::field("collection", &WebhookEntry::collection),
        doc::field("events", &WebhookEntry::events), doc::field("url", &WebhookEntry::url),
        doc::field("headers", &WebhookEntry::headers), doc::field("fields", &WebhookEntry::fields),
        doc::field("enabled", &WebhookEntry::enabled));
  }
};

class WebhookKind final : public configuration::NamedKind<WebhookEntry> {
 public:
  explicit WebhookKind(Webhooks& webhooks);

  // Headers that name secret variables need variables:manage, as in the routes.
  Result<> mayApply(const configuration::Target& target, const configuration::Change& change) const override;

 private:
  std::vector<WebhookEntry> stored(const snapshot::ProjectSnapshot& project) const override;
  std::vector<ErrorDetail> problemsIn(const WebhookEntry& webhook) const override;
  void complete(WebhookEntry& webhook, const Incoming& incoming) const override;
  WebhookEntry canonical(WebhookEntry webhook) const override;
  Task<> save(configuration::Target target, WebhookEntry webhook, bool exists) override;

  Webhooks& webhooks_;
};

}  // namespace mb::webhooks
