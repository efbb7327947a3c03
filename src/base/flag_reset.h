// Clears a flag that says "at work" when the work's scope ends, by an exception too.
#pragma once

namespace mb {

struct FlagReset {
  bool& flag;
  explicit FlagReset(bool& held) : flag(held) {}
  FlagReset(const FlagReset&) = delete;
  FlagReset& operator=(const FlagReset&) = delete;
  ~FlagReset() { flag = false; }
};

}  // namespace mb
