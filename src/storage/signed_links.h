// Links by which one file can be read until a time, by whoever holds them. What is signed is project, bucket, path and
// expiry, each with its length, under a key of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/crypto.h"

namespace mb::storage {

inline constexpr int64_t kLongestLink = 604'800;  // seconds

class SignedLinks {
 public:
  explicit SignedLinks(const MasterSecret& master) : key_(master.subkey("filelink")) {}
  // `expires` in seconds since 1970.
  std::string sign(std::string_view project, std::string_view bucketId, std::string_view path, int64_t expires) const;
  // In constant time. Whether the link has expired is not asked.
  bool verify(std::string_view project, std::string_view bucketId, std::string_view path, int64_t expires,
              std::string_view signature) const;

 private:
  const Secret key_;
};

}  // namespace mb::storage
