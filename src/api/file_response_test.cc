#include "api/file_response.h"

#include <gtest/gtest.h>

namespace mb::api {
namespace {

std::string told(std::string_view range, uint64_t size) {
  const ByteRange found = byteRangeOf(range, size);
  if (found.kind == ByteRange::Kind::whole) return "whole";
  if (found.kind == ByteRange::Kind::unsatisfiable) return "416";
  return fmt::format("{}+{}", found.offset, found.length);
}

TEST(ByteRange, IsAPartOfTheFile) {
  EXPECT_EQ(told("bytes=0-0", 10), "0+1");
  EXPECT_EQ(told("bytes=2-5", 10), "2+4");
  EXPECT_EQ(told("bytes=2-", 10), "2+8");
  EXPECT_EQ(told("bytes=2-99", 10), "2+8");
  EXPECT_EQ(told("bytes=-3", 10), "7+3");
  EXPECT_EQ(told("bytes=-99", 10), "0+10");
  EXPECT_EQ(told("BYTES = 1 - 2", 10), "1+2");
  EXPECT_EQ(told("bytes=0-99999999999999999999999", 10), "0+10");
  EXPECT_EQ(told("bytes=-99999999999999999999999", 10), "0+10");
}

TEST(ByteRange, OutsideOfItIsRefused) {
  EXPECT_EQ(told("bytes=10-", 10), "416");
  EXPECT_EQ(told("bytes=10-20", 10), "416");
  EXPECT_EQ(told("bytes=99999999999999999999999-", 10), "416");
  EXPECT_EQ(told("bytes=-0", 10), "416");
  EXPECT_EQ(told("bytes=0-", 0), "416");
  EXPECT_EQ(told("bytes=-1", 0), "416");
}

TEST(ByteRange, WhatIsNoneGivesAll) {
  for (const char* none : {"", "bytes", "bytes=", "bytes=-", "bytes=x-1", "bytes=1-x", "bytes=5-2", "bytes=--1",
                           "bytes=+1-2", "bytes=1-2,4-5", "lines=1-2", "=1-2", "bytes=1", "bytes=0x1-2"}) {
    EXPECT_EQ(told(none, 10), "whole") << none;
  }
}

TEST(HttpDate, IsAsTheStandardHasIt) {
  EXPECT_EQ(httpDateOf(Timestamp{784'111'777'000}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(httpDateOf(Timestamp{784'111'777'999}), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace mb::api
