#include "store/mongo/query_command.h"

#include <algorithm>

#include "store/mongo/query_page.h"

namespace mb::store::mongo {

namespace {

constexpr int kSortMemory = 292;    // QueryExceededMemoryLimitNoDiskUseAllowed
constexpr int kParallelArrays = 2;  // BadValue, of a sort by two arrays
constexpr int kAmbiguousPath = 16746;

}  // namespace

int64_t remainingMs(Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return std::clamp<int64_t>(left.count(), 1, std::chrono::milliseconds(kQueryTime).count());
}

Error tooSlow() {
  return Error(ErrorCode::unavailable, "the query takes too long: create an index or narrow the filter");
}

Error queryError(const CommandError& error) {
  if (error.code == kSortMemory) {
    return Error(ErrorCode::payloadTooLarge, "the sort takes too much memory: create an index or narrow the filter");
  }
  if (error.isTime()) return tooSlow();
  if (error.code == kParallelArrays && error.message.find("parallel arrays") != std::string::npos) {
    return Error(ErrorCode::validation, std::string(kTwoArrays));
  }
  if (error.code == kAmbiguousPath) {
    return Error(ErrorCode::validation,
                 "the sort names a position of an array in which a document has a field of that name");
  }
  return unavailableError(error);
}

}  // namespace mb::store::mongo
