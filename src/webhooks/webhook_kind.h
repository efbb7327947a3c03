// Webhooks in a project's configuration: their collection, events and receiver. Whether one is enabled, and its secret,
// are not included: a new one is created disabled and without a secret.
#pragma once

#include "configuration/listed_kind.h"
#include "webhooks/webhooks.h"

namespace mb::webhooks {

class WebhookKind final : public configuration::ListedKind {
 public:
  explicit WebhookKind(Webhooks& webhooks) : webhooks_(webhooks) {}

  std::string_view section() const override { return "webhooks"; }
  Task<std::vector<configuration::Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<configuration::Entry>> merged(Source source, const std::vector<configuration::Entry>& current,
                                                 configuration::Problems& problems) override;

 private:
  policy::RequiredPermission permission() const override { return "webhooks:manage"; }
  Task<> applyOne(configuration::Target target, configuration::Change change) override;
  Webhooks& webhooks_;
};

}  // namespace mb::webhooks
