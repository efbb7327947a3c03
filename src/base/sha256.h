// SHA-256 over what comes in pieces; sha256() of crypto.h is for what is there at once.
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
  // Of all that was added, in hex. Once.
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb
