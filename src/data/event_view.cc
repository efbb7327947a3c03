#include "data/event_view.h"

#include "store/record_query.h"

namespace mb::data {

Task<EventView> eventViewFor(const Grants& grants, const policy::Caller& caller, snapshot::SnapshotPtr project,
                             std::string collection) {
  const Access access{caller, std::move(project), Authority::policies, store::readDeadline()};
  CO_TRY(Grant grant, grants.find(access, collection, policy::Operation::read));
  if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await grants.complete(grant, caller, access.deadline));
  co_return EventView{*grants.table(*access.project).find(collection), std::move(grant.filter), std::move(grant.sets)};
}

}  // namespace mb::data
