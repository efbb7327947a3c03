// What unit tests of all modules share.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <thread>

// Skips the test where a part of the machine that it uses is missing. Where MB_REQUIRE_ALL is set, as ./test does, it
// fails instead: a suite that skips has not tested. In a test's body or in SetUp().
#define MB_REQUIRE_PART(present, part)                                               \
  do {                                                                               \
    if (!(present)) {                                                                \
      if (std::getenv("MB_REQUIRE_ALL") != nullptr) FAIL() << part << " is missing"; \
      GTEST_SKIP() << part << " is missing";                                         \
    }                                                                                \
  } while (false)

namespace mb {

// Waits until the condition holds, for a minute at most. Returns whether it does.
inline bool until(const std::function<bool()>& condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

// The number of random cases of a test: `usual`, or what this environment variable says. ./test long sets it to more.
inline uint64_t randomCases(const char* variable, uint64_t usual) {
  const char* given = std::getenv(variable);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

}  // namespace mb
