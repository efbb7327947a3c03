// The digests of tokens that this process signed recently: verifying its own signature would be most of the cost of a
// token's first use. Does not check the claims or the expiry. Private to identity/.
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "base/crypto.h"

namespace mb::identity {

// Any thread. Bounded: a later token may evict an earlier one, whose signature is then verified like any other.
class MintedTokens {
 public:
  void note(std::string_view token) {
    const Digest digest = sha256(token);
    const std::lock_guard lock(mutex_);
    digests_[slot(digest)] = digest;
  }
  // True only for exactly the bytes of a noted token.
  bool knows(std::string_view token) const {
    const Digest digest = sha256(token);
    const std::lock_guard lock(mutex_);
    return digests_[slot(digest)] == digest;
  }

 private:
  static constexpr size_t kTokens = 8192;
  static size_t slot(const Digest& digest) { return (size_t{digest[0]} << 8 | digest[1]) % kTokens; }

  mutable std::mutex mutex_;
  std::vector<Digest> digests_ = std::vector<Digest>(kTokens);
};

}  // namespace mb::identity
