// Signs requests to S3-compatible stores (AWS Signature Version 4).
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

// The signed parts of a request.
struct S3Request {
  std::string_view method;
  std::string_view host;     // value of the host header
  std::string_view path;     // encoded
  std::string_view query;    // canonical
  std::string_view bodySum;  // SHA-256 in hex
};
// The headers to add to the request: x-amz-date, x-amz-content-sha256, authorization.
std::vector<std::pair<std::string, std::string>> signedHeaders(const StorageSettings::S3& settings,
                                                               const S3Request& request, Timestamp at);

}  // namespace mb::storage
