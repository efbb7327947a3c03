// Settings of the file store.
#pragma once

#include <string>

#include "base/settings.h"

namespace mb::storage {

struct StorageSettings {
  explicit StorageSettings(Settings& settings);
  StorageSettings() = default;
  enum class Kind { off, local, s3 } kind = Kind::local;
  // An S3-compatible store with path-style addresses (https://host/bucket/key).
  struct S3 {
    std::string endpoint;  // an origin, perhaps with a path; without a slash at its end
    std::string region = "us-east-1";
    std::string bucket;
    std::string accessKey;
    Secret secretKey;
  } s3;
};

}  // namespace mb::storage
