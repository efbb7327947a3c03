#include "identity/audited_write.h"

#include "identity/records.h"

namespace mb::identity {

Task<store::JudgeOutcome> writeAudited(store::DocumentStore& store, audit::Auditor& auditor, store::ProjectNo project,
                                       policy::Caller by, store::Deadline deadline,
                                       std::vector<store::WriteTarget> targets, store::Judge judge, Audited audited) {
  auto entries = auditor.entry(project, std::move(audited.action), auditActorOf(by), std::move(audited.target), by.ip,
                               by.requestId, std::move(audited.details));
  for (const store::Insert& entry : entries) targets.push_back({entry.collection, entry.id(), true});
  store::Judge whole =
      [judge = std::move(judge), entries = std::move(entries)](
          std::span<const std::optional<doc::Document>> before) mutable -> Result<std::vector<store::Change>> {
    TRY(std::vector<store::Change> changes, judge(before));
    for (store::Insert& entry : entries) changes.push_back(store::Change::put(std::move(entry.document)));
    return changes;
  };
  store::WriteOptions options{.deadline = deadline, .actor = policy::actorOf(by), .bumpEpochs = {project}};
  co_return co_await store.write(std::move(targets), std::move(whole), std::move(options));
}

store::Write auditedWrite(audit::Auditor& auditor, store::ProjectNo project, const policy::Caller& by,
                          store::Deadline deadline, Audited audited) {
  store::Write write({.deadline = deadline, .actor = policy::actorOf(by), .bumpEpochs = {project}});
  write.insert(auditor.entry(project, std::move(audited.action), auditActorOf(by), std::move(audited.target), by.ip,
                             by.requestId, std::move(audited.details)));
  return write;
}

}  // namespace mb::identity
