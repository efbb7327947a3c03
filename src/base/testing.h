// What unit tests of all modules share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

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

// The number of random cases of a test: `usual`, or what this environment variable says. ./test long sets it to more.
inline uint64_t randomCases(const char* variable, uint64_t usual) {
  const char* given = std::getenv(variable);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

}  // namespace mb
