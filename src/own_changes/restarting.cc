#include "own_changes/copier.h"
#include "store/own/pending_writes.h"
#include "store/record_query.h"

namespace mb::own_changes {

namespace own = store::own;

Task<> restartCopying(store::DocumentStore& store, store::ProjectNo project) {
  CO_TRY(const auto stored, co_await store.get(own::streamOf(project), std::string(own::kStreamId)));
  if (!stored) co_return Result<>();
  store::Write write(
      {.deadline = store::readDeadline(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}, .logged = false});
  const store::Target stream = write.change(own::streamOf(project), std::string(own::kStreamId));
  const auto callback = [stream](const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(doc::Document restored, own::restoredStream(before[stream]));
    changes.put(stream, std::move(restored));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await store.write(std::move(write), callback));
  co_return Result<>();
}

}  // namespace mb::own_changes
