// Links by which any holder can read one file until they expire. The signature covers project, bucket, path and expiry,
// each with its length, under a separate key.
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
  // Verifies in constant time. Does not check the expiry.
  bool verify(std::string_view project, std::string_view bucketId, std::string_view path, int64_t expires,
              std::string_view signature) const;

 private:
  const Secret key_;
};

}  // namespace mb::storage
