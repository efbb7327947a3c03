#include "store/embedded/change_log.h"

#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

constexpr uint32_t kNoDocument = UINT32_MAX;

// Takes bytes from the front of an entry; `ok` becomes false if too few are left.
struct Cursor {
  std::string_view rest;
  bool ok = true;

  std::string_view take(size_t bytes) {
    if (rest.size() < bytes) {
      ok = false;
      return {};
    }
    const std::string_view taken = rest.substr(0, bytes);
    rest.remove_prefix(bytes);
    return taken;
  }
  uint8_t u8() {
    const auto bytes = take(1);
    return ok ? static_cast<uint8_t>(bytes[0]) : 0;
  }
  uint16_t u16() {
    const auto bytes = take(2);
    return ok ? readU16(bytes.data()) : 0;
  }
  uint32_t u32() {
    const auto bytes = take(4);
    return ok ? readU32(bytes.data()) : 0;
  }
};

}  // namespace

void appendLogHead(std::string& out, ChangeEntry::Kind kind, CollectionNo collection, std::string_view id,
                   const Actor& actor, const doc::Document* before) {
  const std::string_view idKept = id.substr(0, UINT16_MAX);
  const std::string_view actorKind = nameOf(actor.kind);
  const std::string_view actorId = std::string_view(actor.id).substr(0, UINT16_MAX);
  out += static_cast<char>(kind);
  appendU32(out, collection);
  appendU16(out, static_cast<uint16_t>(idKept.size()));
  out += static_cast<char>(actorKind.size());
  appendU16(out, static_cast<uint16_t>(actorId.size()));
  out += idKept;
  out += actorKind;
  out += actorId;
  appendU32(out, before ? static_cast<uint32_t>(before->size()) : kNoDocument);
}

LogStamp readLogStamp(std::string_view value) {
  if (value.size() < kLogStampBytes) return {};
  return {{static_cast<int64_t>(readU64(value.data()))}, readU64(value.data() + 8)};
}

Result<ChangeEntry> decodeLogEntry(uint64_t position, std::string_view value) {
  ChangeEntry entry;
  entry.position = position;
  entry.at = readLogStamp(value).at;
  Cursor cursor{value};
  cursor.take(kLogStampBytes);
  const uint8_t kind = cursor.u8();
  entry.kind = static_cast<ChangeEntry::Kind>(kind);
  entry.collection = cursor.u32();
  const uint16_t idSize = cursor.u16();
  const uint8_t actorKindSize = cursor.u8();
  const uint16_t actorIdSize = cursor.u16();
  entry.id = cursor.take(idSize);
  entry.actor.kind = actorKindOf(cursor.take(actorKindSize));
  entry.actor.id = cursor.take(actorIdSize);
  const uint32_t beforeSize = cursor.u32();
  const std::string_view before = beforeSize == kNoDocument ? std::string_view() : cursor.take(beforeSize);
  if (!cursor.ok || kind > static_cast<uint8_t>(ChangeEntry::Kind::remove)) {
    return fail(Error(ErrorCode::internal, "the change log could not be read")
                    .withCause(fmt::format("the entry at {} is corrupt", position)));
  }
  if (beforeSize != kNoDocument) entry.before = doc::Document(doc::DocumentView(before));
  if (entry.kind != ChangeEntry::Kind::remove) entry.after = doc::Document(doc::DocumentView(cursor.rest));
  return entry;
}

}  // namespace mb::store::embedded
