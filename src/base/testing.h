// What unit tests of all modules share.
#pragma once

#include <gtest/gtest.h>

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
