// What buckets, paths and content types may be, and what of it a browser may see as what it is.
#pragma once

#include "base/error.h"
#include "storage/storage_types.h"

namespace mb::storage {

inline constexpr size_t kMaxPathBytes = 900;
inline constexpr size_t kMaxTypeBytes = 255;
inline constexpr int kShelves = 64;
inline constexpr std::string_view kUntyped = "application/octet-stream";

std::vector<ErrorDetail> problemsOf(const NewBucket& bucket);
Result<> check(const NewBucket& bucket);
Result<> checkAccess(std::string_view access);
// The name's key in the store.
std::string bucketKey(std::string_view name);

// A file's path, as it came out of one percent-decoding: 1 to kMaxPathBytes bytes, segments that are not empty, "." or
// "..", whatever they were encoded as, and no control characters or backslashes. Fails with invalidParam.
Result<> checkPath(std::string_view path);
// What was sent as content-type, trimmed; kUntyped for none. Fails with invalidParam.
Result<std::string> contentTypeOf(std::string_view header);
// Whether a browser that shows it runs nothing of it.
bool isInert(std::string_view contentType);

// The path as it stands in a URL: each segment percent-encoded.
std::string encodedPath(std::string_view path);

std::string fileKey(std::string_view bucketId, std::string_view path);
// Ascends with the offset.
std::string pieceKey(std::string_view upload, int64_t offset);
// A key behind all that begin with `key`, for a range.
std::string behind(std::string_view key);
// Which of a project's counts the file of this key is in.
std::string shelfOf(std::string_view fileKey);
// That count, with what is added to it or taken from it.
doc::Document counted(const std::optional<doc::Document>& before, std::string shelf, int64_t files, int64_t bytes);

}  // namespace mb::storage
