// One attempt at a delivery: body, headers, call.
#pragma once

#include "base/clock.h"
#include "base/crypto.h"
#include "outbound/outbound.h"
#include "webhooks/hook_table.h"

namespace mb::webhooks {

// The JSON that is sent: {id, event, project, collection, documentId, document?, at}. `document` is null in a test and
// left out of a delete; of the fields that the webhook names, where it names any.
std::string bodyOf(const SentEvent& event, const ProjectId& project, const doc::FieldSet& fields);

struct Attempt {
  bool delivered = false;
  std::optional<int64_t> status;     // of the answer
  std::optional<std::string> error;  // "request failed" or "request timed out"
  std::string cause;                 // for the log
  int64_t durationMs = 0;
};

// References outlive it. Any core.
class Sender {
 public:
  Sender(outbound::Outbound& outbound, const MasterSecret& master, const Clock& clock)
      : outbound_(outbound), master_(master), clock_(clock) {}

  // Done after ten seconds at most. A webhook without a secret is not sent to.
  Async<Attempt> send(HookPtr hook, ProjectId project, SentEvent event);

  // A webhook's secret, and what is kept of it.
  std::string seal(const ProjectId& project, std::string_view hookId, std::string_view secret) const;
  Result<Secret> unseal(const ProjectId& project, const WebhookRecord& record) const;

 private:
  Result<outbound::Request> requestOf(const Hook& hook, const ProjectId& project, const SentEvent& event) const;

  outbound::Outbound& outbound_;
  const MasterSecret& master_;
  const Clock& clock_;
};

// The log's line of an attempt that none follows; of a delivered one none.
void logUndelivered(const ProjectId& project, const Hook& hook, const Attempt& attempt);

// What a sealed secret is bound to.
std::string sealContext(std::string_view project, std::string_view hookId);

}  // namespace mb::webhooks
