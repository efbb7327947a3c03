#include "functions/file_trigger.h"

#include "functions/run_actor.h"

namespace mb::functions {

namespace {

// The file as in API responses, and its bucket.
doc::Document eventOf(std::string_view bucket, const storage::FileRecord& file) {
  doc::BsonWriter out;
  out.appendString("type", "storage");
  out.appendString("event", "fileUploaded");
  out.beginDocument("file");
  out.appendString("bucket", bucket);
  const doc::Document view = doc::encode(storage::viewOf(file));
  for (const doc::Element& field : view.view()) out.append(field.key, field.value);
  out.end();
  return out.finish();
}

}  // namespace

Task<std::vector<store::Insert>> FileTrigger::fileUploaded(store::ProjectNo number, std::string bucket,
                                                           storage::FileRecord file, store::Actor by) {
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.byNumber(number));
  if (!project) co_return std::vector<store::Insert>();
  const int depth = by.kind == store::ActorKind::function ? depthOf(by) + 1 : 0;
  std::vector<jobs::JobSpec> specs;
  for (const FunctionPtr& function : project->get(deps_.slot).fileUploaded) {
    jobs::JobSpec job = runJob(number, function->record.functionId, file.blob);
    job.payload = doc::encode(
        WaitingRun{project->info().id.str(), function->record.functionId, "storage", 0, depth, eventOf(bucket, file)});
    specs.push_back(std::move(job));
  }
  co_return deps_.queue.insertsOf(std::move(specs));
}

}  // namespace mb::functions
