#include "projects/missed_changes.h"

#include "store/own/pending_writes.h"

namespace mb::projects {

namespace own = store::own;

namespace {

bool isRecent(const std::optional<Timestamp>& at) {
  return at && SystemClock().now().ms - at->ms <= std::chrono::milliseconds(own::kMissedTime).count();
}

}  // namespace

Task<std::vector<ProjectWarning>> missedChanges(store::DocumentStore& store, store::ProjectNo project) {
  CO_TRY(const auto stored, co_await store.get(own::streamOf(project), std::string(own::kStreamId)));
  CO_TRY(const auto record, fromStore<own::StreamRecord>(stored));
  std::vector<ProjectWarning> warnings;
  if (record && isRecent(record->missedAt)) {
    warnings.push_back({"changes-missed", fmt::format("what others changed in the database before {} may not have "
                                                      "reached subscribers, webhooks and functions",
                                                      toRfc3339(*record->missedAt))});
  }
  if (record && isRecent(record->unnamedAt)) {
    warnings.push_back(
        {"deletes-missed", fmt::format("others deleted documents whose ids were not known, {} of them, the last at {}: "
                                       "subscribers, webhooks and functions did not get these deletions",
                                       record->unnamed.value_or(0), toRfc3339(*record->unnamedAt))});
  }
  co_return warnings;
}

}  // namespace mb::projects
