// Incremental SHA-256. For data that is complete use sha256() of crypto.h.
#pragma once

#include <memory>

#include "base/crypto.h"

namespace mb {

class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();
  void add(std::string_view data);
  // The hash of all added data, in hex. Call once.
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb
