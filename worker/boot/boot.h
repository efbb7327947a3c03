// The scripts of this folder. Each is a function (native, shared); the last returns Realm::bridge.
#pragma once

#include <array>
#include <string_view>

namespace mb::worker {

struct BootScript {
  const char* name;
  std::string_view source;
};
extern const std::array<BootScript, 8> kBootScripts;

}  // namespace mb::worker
