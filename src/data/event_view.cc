#include "data/event_view.h"

#include "data/grant.h"

namespace mb::data {

Result<EventView> eventViewFor(const policy::Caller& caller, const snapshot::SnapshotPtr& project,
                               snapshot::SlotKey<CollectionTable> slot, std::string_view collection) {
  TRY(Grant grant, grantFor(caller, project, slot, collection, policy::Operation::read, Authority::policies));
  const CollectionPtr* found = project->get(slot).find(collection);
  return EventView{*found, std::move(grant.filter)};
}

}  // namespace mb::data
