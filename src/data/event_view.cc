#include "data/event_view.h"

#include "store/record_query.h"

namespace mb::data {
namespace {

// Whether the collection stores one of the strings as another type at this path.
bool convertsAny(const doc::FilterCoercion& coercion, const doc::FieldPath& path, const policy::SetValue& values) {
  for (const doc::Element& each : values.list().asDocument()) {
    if (coercion.coerce(path.dotted(), each.value)) return true;
  }
  return false;
}

}  // namespace

Task<EventView> eventViewFor(const Grants& grants, const policy::Caller& caller, snapshot::SnapshotPtr project,
                             std::string collection, Authority authority) {
  const bool asAdmin = authority == Authority::admin;
  const bool mayBeAdmin = caller.kind == policy::CallerKind::member || caller.kind == policy::CallerKind::apiKey;
  if (asAdmin && !(mayBeAdmin && caller.adminOf(collection))) {
    co_return fail(ErrorCode::forbidden, "only members and API keys with data:<collection>:admin pass its policy");
  }
  const Access access{caller, std::move(project), authority, store::readDeadline()};
  CO_TRY(Grant grant, grants.find(access, collection, asAdmin ? policy::Operation::admin : policy::Operation::read));
  EventView view;
  view.collection = *grants.table(*access.project).find(collection);
  view.reader = grant.reader;
  if (grant.awaitsSets) {
    view.sets = grants.setMarks(grant, caller);  // from before the read
    const Result<> completed = co_await grants.complete(grant, caller, access.deadline);
    view.refused = !completed && completed.error().code() == ErrorCode::forbidden;
    if (view.refused) co_return view;
    if (!completed) co_return fail(completed.error().clone());
  }
  view.filter = std::move(grant.filter);
  view.sets = std::move(grant.sets);
  const policy::SetCondition* condition = grant.rule ? grant.rule->setCondition() : nullptr;
  if (condition == nullptr) co_return view;
  const policy::SetValuePtr& values = view.sets.shared(condition->set);
  const doc::FilterCoercion& coercion = view.collection->coercion();
  if (!values || convertsAny(coercion, condition->path, *values)) co_return view;
  CO_TRY(view.filter, grant.rule->filterBesideSet({caller, &view.sets}, coercion));
  view.inSet = EventView::InSet{condition->path, values};
  co_return view;
}

}  // namespace mb::data
