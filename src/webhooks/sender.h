// One attempt at a delivery: body, headers, call.
#pragma once

#include "base/clock.h"
#include "base/crypto.h"
#include "outbound/outbound.h"
#include "webhooks/hook_table.h"

namespace mb::webhooks {

// The JSON body: {id, event, project, collection, documentId, document?, at}. `document` is null in a test and absent
// in a delete; it has only the webhook's fields, if it names any.
std::string bodyOf(const SentEvent& event, const ProjectId& project, const doc::FieldSet& fields);

struct Attempt {
  bool delivered = false;
  std::optional<int64_t> status;     // of the response
  std::optional<std::string> error;  // "request failed" or "request timed out"
  std::string cause;                 // for the log
  int64_t durationMs = 0;
};

// References outlive it. Any core.
class Sender {
 public:
  Sender(outbound::Outbound& outbound, const MasterSecret& master, const Clock& clock)
      : outbound_(outbound), master_(master), clock_(clock) {}

  // Ends after at most ten seconds. Fails for a webhook without a secret, without a request.
  Async<Attempt> send(HookPtr hook, ProjectId project, SentEvent event, std::string trace);

  // Seals a webhook's secret for storage, and opens it.
  std::string seal(const ProjectId& project, std::string_view hookId, std::string_view secret) const;
  Result<Secret> unseal(const ProjectId& project, const WebhookRecord& record) const;

 private:
  Result<outbound::Request> requestOf(const Hook& hook, const ProjectId& project, const SentEvent& event,
                                      const std::string& trace) const;

  outbound::Outbound& outbound_;
  const MasterSecret& master_;
  const Clock& clock_;
};

// Logs an attempt that failed and is not retried; nothing for a successful one.
void logUndelivered(const ProjectId& project, const Hook& hook, const Attempt& attempt);

// The context that seals a webhook's secret.
std::string sealContext(std::string_view project, std::string_view hookId);

}  // namespace mb::webhooks
