#include "store/mongo/log_entry.h"

#include "document/fields.h"
#include "store/big_endian.h"

namespace mb::store::mongo {

std::string logId(ProjectNo project, uint64_t position) {
  std::string id;
  appendU32(id, project);
  appendU64(id, position);
  return id;
}

uint64_t bytesOf(const ChangeEntry& entry) {
  constexpr uint64_t kOtherFields = 200;
  return (entry.before ? entry.before->size() : 0) + (entry.after ? entry.after->size() : 0) + kOtherFields;
}

doc::Document encodeLogEntry(ProjectNo project, const ChangeEntry& entry, uint64_t logged) {
  doc::BsonWriter out(bytesOf(entry) + 64);
  out.appendBinary("_id", logId(project, entry.position));
  out.appendInt64("c", entry.collection);
  out.appendInt32("k", static_cast<int32_t>(entry.kind));
  out.appendString("id", entry.id);
  if (entry.before) out.appendBinary("b", entry.before->bytes());
  if (entry.after) out.appendBinary("a", entry.after->bytes());
  if (entry.actor.kind != ActorKind::none) {
    out.appendString("ak", nameOf(entry.actor.kind));
    out.appendString("ai", entry.actor.id);
  }
  out.appendDate("at", entry.at);
  out.appendInt64("s", static_cast<int64_t>(logged));
  if (!entry.trace.empty()) out.appendString("t", entry.trace);
  return out.finish();
}

uint64_t positionOf(doc::DocumentView entry) {
  const auto id = entry.find("_id");
  const bool valid = id && id->type() == doc::BsonType::binary && id->asBinary().size() == 12;
  return valid ? readU64(id->asBinary().data() + 4) : 0;
}

Result<ChangeEntry> decodeLogEntry(doc::DocumentView view) {
  const auto at = view.find("at");
  const uint64_t position = positionOf(view);
  if (position == 0 || !at || at->type() != doc::BsonType::date) {
    return fail(ErrorCode::internal, "an entry of the change log is corrupt");
  }
  ChangeEntry entry;
  entry.position = position;
  entry.kind = static_cast<ChangeEntry::Kind>(doc::integerOr(view, "k"));
  entry.collection = static_cast<CollectionNo>(doc::integerOr(view, "c"));
  entry.id = view.stringOr("id");
  entry.actor = {actorKindOf(view.stringOr("ak")), std::string(view.stringOr("ai"))};
  entry.at = at->asDate();
  entry.trace = view.stringOr("t");
  for (const auto& [key, document] : {std::pair("b", &entry.before), std::pair("a", &entry.after)}) {
    const auto bytes = view.find(key);
    if (!bytes || bytes->type() != doc::BsonType::binary) continue;
    TRY(*document, doc::Document::fromUntrusted(std::string(bytes->asBinary())));
  }
  return entry;
}

}  // namespace mb::store::mongo
