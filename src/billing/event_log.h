// The stored events of the payment provider. Private to billing/.
#pragma once

#include "billing/billing_types.h"
#include "billing/provider_event.h"

namespace mb::billing {

// References outlive it. Any core.
class EventLog {
 public:
  EventLog(store::DocumentStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  // nullopt where the event was never taken.
  Task<std::optional<EventRecord>> find(std::string id);
  // The record of an event that is applied in the commit that gets it. `known`: it is stored already, as not applied;
  // then markApplied() follows.
  store::Insert insertOf(const ProviderEvent& event, bool known) const;
  // Stores that the event was taken. One that was applied stays so.
  Task<> record(ProviderEvent event, bool applied, store::Deadline deadline);
  // The events of this customer that waited for its user are applied.
  Task<> markApplied(std::string customer, store::Deadline deadline);
  // Removes the records that are older than kEventDays, those that wait too; returns how many.
  Task<uint64_t> prune();

 private:
  EventRecord recordOf(const ProviderEvent& event, bool applied) const;

  store::DocumentStore& store_;
  const Clock& clock_;
};

}  // namespace mb::billing
