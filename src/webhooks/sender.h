// One attempt at a delivery: body, headers, call.
#pragma once

#include "base/clock.h"
#include "base/crypto.h"
#include "outbound/outbound.h"
#include "variables/variables.h"
#include "webhooks/hook_table.h"

namespace mb::webhooks {

// The JSON body: {id, event, project, collection, documentId, document?, at}. `document` is null in a test and absent
// in a delete; it has only the webhook's fields, if it names any.
std::string bodyOf(const SentEvent& event, const ProjectId& project, const doc::FieldSet& fields);

struct Attempt {
  bool delivered = false;
  std::optional<int64_t> status;     // of the response
  std::optional<std::string> error;  // "request failed", "request timed out", or why its variables prevent it
  std::string cause;                 // for the log
  int64_t durationMs = 0;
};

// References outlive it. Any core.
class Sender {
 public:
  Sender(outbound::Outbound& outbound, const MasterSecret& master, const variables::Variables& variables,
         const Clock& clock)
      : outbound_(outbound), master_(master), variables_(variables), clock_(clock) {}

  // Ends after at most ten seconds. Fails for a webhook without a secret, or with a variable that has no valid value,
  // without a request.
  Async<Attempt> send(HookPtr hook, snapshot::SnapshotPtr project, SentEvent event, std::string trace);

  // Seals a webhook's secret for storage, and opens it.
  std::string seal(const ProjectId& project, std::string_view hookId, std::string_view secret) const;
  Result<Secret> unseal(const ProjectId& project, const WebhookRecord& record) const;

 private:
  // URL and headers, with the values of their variables. Fails with conflict, naming the variable.
  Result<> setTarget(const Hook& hook, const snapshot::ProjectSnapshot& project, outbound::Request& request) const;
  Result<outbound::Request> requestOf(const Hook& hook, const snapshot::ProjectSnapshot& project,
                                      const SentEvent& event, const std::string& trace) const;

  outbound::Outbound& outbound_;
  const MasterSecret& master_;
  const variables::Variables& variables_;
  const Clock& clock_;
};

// Logs an attempt that failed and is not retried; nothing for a successful one.
void logUndelivered(const ProjectId& project, const Hook& hook, const Attempt& attempt);

// The context that seals a webhook's secret.
std::string sealContext(std::string_view project, std::string_view hookId);

}  // namespace mb::webhooks
