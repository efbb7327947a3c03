#include "functions/auth_trigger.h"

namespace mb::functions {

namespace {

// The user as in API responses.
doc::Document eventOf(const identity::UserRecord& user) {
  doc::BsonWriter out;
  out.appendString("type", "auth");
  out.appendString("event", "userCreated");
  doc::encodeValue(out, "user", identity::viewOf(user));
  return out.finish();
}

}  // namespace

Task<std::vector<store::Insert>> AuthTrigger::userCreated(store::ProjectNo number, identity::UserRecord user) {
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.byNumber(number));
  if (!project) co_return std::vector<store::Insert>{};
  std::vector<jobs::JobSpec> specs;
  for (const FunctionPtr& function : project->get(deps_.slot).userCreated) {
    jobs::JobSpec job = runJob(number, function->record.functionId, user.id.str());
    job.payload =
        doc::encode(WaitingRun{project->info().id.str(), function->record.functionId, "auth", 0, 0, eventOf(user)});
    specs.push_back(std::move(job));
  }
  co_return deps_.queue.insertsOf(std::move(specs));
}

}  // namespace mb::functions
