#include "projects/missed_changes.h"

#include "store/own/pending_writes.h"

namespace mb::projects {

namespace own = store::own;

Task<std::optional<ProjectWarning>> missedChanges(store::DocumentStore& store, store::ProjectNo project) {
  CO_TRY(const auto stored, co_await store.get(own::streamOf(project), std::string(own::kStreamId)));
  CO_TRY(const auto record, fromStore<own::StreamRecord>(stored));
  if (!record || !record->missedAt) co_return std::nullopt;
  const int64_t shown = std::chrono::milliseconds(kMissedShown).count();
  if (SystemClock().now().ms - record->missedAt->ms > shown) co_return std::nullopt;
  co_return ProjectWarning{"changes-missed",
                           fmt::format("what others changed in the database before {} may not have reached "
                                       "subscribers, webhooks and functions",
                                       toRfc3339(*record->missedAt))};
}

}  // namespace mb::projects
