// The entries of the change logs: {_id, c, k, id, b?, a?, ak?, ai?, at, s, t?}. `_id` is 12 bytes: the project's number
// and the position, big-endian, so that a read is a range. `b` and `a` are the documents before and after, as bytes.
#pragma once

#include "store/change_feed.h"

namespace mb::store::mongo {

std::string logId(ProjectNo project, uint64_t position);
// `logged`: the bytes of all entries of the project up to this one, for the limits of the log (log_limits.h).
doc::Document encodeLogEntry(ProjectNo project, const ChangeEntry& entry, uint64_t logged);
uint64_t bytesOf(const ChangeEntry& entry);
// The position of an entry, of which only the `_id` is needed.
uint64_t positionOf(doc::DocumentView entry);
// Fails with internal for what encodeLogEntry() did not make.
Result<ChangeEntry> decodeLogEntry(doc::DocumentView view);

// The server's name of an index of a user collection.
std::string indexName(IndexNo number);
// The catalogue's name of an index of the server: "" for that of `_id`, and the server's own for one that `info` (null
// for a system collection) does not have.
std::string catalogueName(std::string_view server, const CollectionInfo* info);

}  // namespace mb::store::mongo
