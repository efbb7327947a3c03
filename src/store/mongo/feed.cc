#include "store/mongo/engine.h"
#include "store/mongo/log_entry.h"

namespace mb::store::mongo {

Task<ChangeBatch> Engine::changes(ProjectNo project, uint64_t after, size_t limit) {
  limit = std::min(limit, kMaxChanges);
  co_return co_await pool_.run(
      project, orDefault({}), [this, project, after, limit](Connection& connection) -> Result<ChangeBatch> {
        ChangeBatch batch{.entries = {}, .through = after};
        auto state = states_.state(connection, project);
        if (!state) return fail(unavailableError(state.error()));
        if (!*state || (*state)->head.dead || limit == 0) return batch;
        const auto begin = [&batch, after](uint64_t lost) {
          batch.through = std::max(after, lost);
          batch.lostUpTo = lost > after ? lost : 0;
        };
        begin((*state)->head.lostUpTo);
        size_t bytes = 0;
        while (batch.entries.size() < limit && bytes < kMaxChangesBytes) {
          doc::BsonWriter out;
          out.appendString("find", kLog);
          out.beginDocument("filter");
          out.beginDocument("_id");
          out.appendBinary("$gt", logId(project, batch.through));
          out.appendBinary("$lte", logId(project, UINT64_MAX));
          out.end();
          out.end();
          out.beginDocument("sort");
          out.appendInt32("_id", 1);
          out.end();
          const auto wanted = static_cast<int32_t>(std::min<size_t>(limit - batch.entries.size(), 32));
          out.appendInt32("limit", wanted);
          out.appendInt32("batchSize", wanted);
          out.appendBool("singleBatch", true);
          const auto reply = connection.read(names_.shared(), out.finish());
          if (!reply) return fail(unavailableError(reply.error()));
          const Batch found = batchOf(*reply);
          // Positions are dense: what is missing was trimmed since this instance read the head.
          const uint64_t next =
              found.documents.empty() ? states_.lastPosition(project) + 1 : positionOf(found.documents.front());
          if (next > batch.through + 1) {
            if (!batch.entries.empty()) return batch;
            auto fresh = states_.reload(connection, project);
            if (!fresh) return fail(unavailableError(fresh.error()));
            const uint64_t lost = *fresh ? (*fresh)->head.lostUpTo : 0;
            if (lost <= batch.through) return batch;
            begin(lost);
            continue;
          }
          for (const doc::DocumentView each : found.documents) {
            if (bytes >= kMaxChangesBytes) return batch;
            TRY(ChangeEntry entry, decodeLogEntry(each));
            batch.through = entry.position;
            batch.entries.push_back(std::move(entry));
            bytes += each.bytes().size();
          }
          if (found.documents.size() < static_cast<size_t>(wanted)) break;
        }
        return batch;
      });
}

Task<std::optional<Head>> Engine::headNow(ProjectNo project) {
  using MaybeHead = std::optional<Head>;
  co_return co_await pool_.run(project, orDefault({}), [this, project](Connection& connection) -> Result<MaybeHead> {
    // Linearizable, so that a primary that was replaced does not return what held before.
    doc::BsonWriter out;
    out.appendString("find", kHeads);
    out.beginDocument("filter");
    out.appendInt64("_id", project);
    out.end();
    out.appendInt32("limit", 1);
    out.appendBool("singleBatch", true);
    out.appendInt32("maxTimeMS", 5000);
    out.beginDocument("readConcern");
    out.appendString("level", "linearizable");
    out.end();
    const auto reply = connection.run(names_.shared(), out.finish());
    if (!reply) return fail(unavailableError(reply.error()));
    const Batch found = batchOf(*reply);
    if (found.documents.empty()) return MaybeHead();
    states_.noteHead(project, found.documents.front());
    return MaybeHead(decodeHead(found.documents.front()));
  });
}

Task<uint64_t> Engine::frontier(ProjectNo project) {
  CO_TRY(const std::optional<Head> head, co_await headNow(project));
  co_return head ? head->position : 0;
}

Task<uint64_t> Engine::epochNow(ProjectNo project) {
  CO_TRY(const std::optional<Head> head, co_await headNow(project));
  co_return head ? head->epoch : 0;
}

}  // namespace mb::store::mongo
