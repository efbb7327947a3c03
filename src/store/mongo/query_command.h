// What commands that read have in common.
#pragma once

#include "store/mongo/connection.h"

namespace mb::store::mongo {

// The time that a query may take.
inline constexpr std::chrono::seconds kQueryTime{10};
// The work of evaluating what the server returns.
inline constexpr int64_t kQueryWork = 2'000'000'000;
// The largest batch of a cursor, in documents.
inline constexpr uint64_t kMaxBatch = 1000;

// `maxTimeMS` of a command that is to end at the deadline, at most kQueryTime.
int64_t remainingMs(Deadline deadline);
Error tooSlow();
// Of a command that reads.
Error queryError(const CommandError& error);

}  // namespace mb::store::mongo
