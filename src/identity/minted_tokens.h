// The tokens that this process signed of late, by their digests: checking a signature of our own again would be most of
// what the first use of a token costs. Says nothing of what a token claims or whether it has expired. Private to
// identity/.
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "base/crypto.h"

namespace mb::identity {

// Any thread. Bounded: a token may be forgotten for a later one, and is then checked like any other.
class MintedTokens {
 public:
  void note(std::string_view token) {
    const Digest digest = sha256(token);
    const std::lock_guard lock(mutex_);
    digests_[slot(digest)] = digest;
  }
  // True only for the very bytes of a token that was noted.
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
