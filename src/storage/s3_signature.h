// Requests to S3-compatible stores, signed as AWS has it (Signature Version 4).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "storage/storage_settings.h"

namespace mb::storage {

using S3Query = std::vector<std::pair<std::string, std::string>>;  // not encoded

// "a=b&c=d", sorted and encoded.
std::string canonicalQuery(S3Query query);

// What is signed of a request.
struct S3Request {
  std::string_view method;
  std::string_view host;     // as the host header has it
  std::string_view path;     // encoded
  std::string_view query;    // canonical
  std::string_view bodySum;  // SHA-256 in hex
};
// The headers that go along with it: x-amz-date, x-amz-content-sha256, authorization.
std::vector<std::pair<std::string, std::string>> signedHeaders(const StorageSettings::S3& settings,
                                                               const S3Request& request, Timestamp at);

}  // namespace mb::storage
