// The entries of the change log.
//
//   value = time(i64) logged(u64) head before after
//   head  = kind(u8) collection(u32) idSize(u16) actorKindSize(u8) actorIdSize(u16) id actorKind actorId
//   beforeSize(u32)
//
// `logged` is the number of bytes of all entries of the project up to this one, inclusive; numbers are big-endian.
// beforeSize is 2^32 - 1 without a document before; `after` is empty for a remove. Time and position ascend together.
#pragma once

#include "store/change_feed.h"

namespace mb::store::embedded {

inline constexpr size_t kLogStampBytes = 16;

// Appends a head; `before` is null for none. Names longer than the format allows are truncated.
void appendLogHead(std::string& out, ChangeEntry::Kind kind, CollectionNo collection, std::string_view id,
                   const Actor& actor, const doc::Document* before);

struct LogStamp {
  Timestamp at;
  uint64_t logged = 0;
};
LogStamp readLogStamp(std::string_view value);
// Fails with internal for a malformed entry.
Result<ChangeEntry> decodeLogEntry(uint64_t position, std::string_view value);

}  // namespace mb::store::embedded
