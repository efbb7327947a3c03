// The entries of the change log.
//
//   value = time(i64) logged(u64) head before after
//   head  = kind(u8) collection(u32) idSize(u16) actorKindSize(u8) actorIdSize(u16) id actorKind actorId
//   beforeSize(u32)
//
// `logged` is the bytes of all entries of the project up to and with this one; numbers are big-endian. beforeSize is
// 2^32 - 1 where there is no document before; there is none after a remove. Time and position ascend together.
#pragma once

#include "store/change_feed.h"

namespace mb::store::embedded {

inline constexpr size_t kLogStampBytes = 16;

// Appends a head; `before` null for none. Names longer than the grammar holds are cut.
void appendLogHead(std::string& out, ChangeEntry::Kind kind, CollectionNo collection, std::string_view id,
                   const Actor& actor, const doc::Document* before);

struct LogStamp {
  Timestamp at;
  uint64_t logged = 0;
};
LogStamp readLogStamp(std::string_view value);
// Fails with internal for bytes that are no entry.
Result<ChangeEntry> decodeLogEntry(uint64_t position, std::string_view value);

}  // namespace mb::store::embedded
