// Rules for buckets, paths and content types, and for content that browsers may display.
#pragma once

#include "base/error.h"
#include "storage/storage_types.h"

namespace mb::storage {

inline constexpr size_t kMaxPathBytes = 900;
inline constexpr size_t kMaxTypeBytes = 255;
inline constexpr size_t kMaxMetadataBytes = 2048;
inline constexpr int kCountRecords = 64;
inline constexpr std::string_view kUntyped = "application/octet-stream";

std::vector<ErrorDetail> problemsOf(const NewBucket& bucket);
Result<> check(const NewBucket& bucket);
Result<> checkAccess(std::string_view access);
// The name's key in the store.
std::string bucketKey(std::string_view name);

// Checks a file's path after one percent-decoding: 1 to kMaxPathBytes bytes, segments that are not empty, "." or "..",
// however they were encoded, and no control characters or backslashes. Fails with invalidParam.
Result<> checkPath(std::string_view path);
// The content-type header, trimmed; kUntyped for an empty one. Fails with invalidParam.
Result<std::string> contentTypeOf(std::string_view header);
// A file's metadata: at most kMaxMetadataBytes as JSON. Fails with validation at "/metadata".
Result<> checkMetadata(doc::DocumentView metadata);
// The same for JSON text, such as a header's.
Result<doc::Document> parseMetadata(std::string_view json);
// Whether a browser that displays it executes none of it.
bool isInert(std::string_view contentType);

// The path in a URL: each segment percent-encoded.
std::string encodedPath(std::string_view path);

std::string fileKey(std::string_view bucketId, std::string_view path);
// Keys ascend with the offset.
std::string pieceKey(std::string_view upload, int64_t offset);
// The upper bound of the range of keys that begin with `key`.
std::string behind(std::string_view key);
// The id of the count record for this file key.
std::string countIdOf(std::string_view fileKey);
// That count record after adding `files` and `bytes`, which may be negative.
doc::Document counted(const std::optional<doc::Document>& before, std::string countId, int64_t files, int64_t bytes);

}  // namespace mb::storage
