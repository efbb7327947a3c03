#include "storage/storage_rules.h"

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "storage/signed_links.h"

namespace mb::storage {
namespace {

using namespace std::string_literals;

TEST(FilePath, IsWhatNamesAFile) {
  for (const std::string& path : {"a"s, "a/b/c"s, "..."s, ".a/b."s, "a b"s, "\xc3\xa4"s, "100%"s, "%zz"s, "a:b?c#d"s,
                                  "$x"s, "%"s, "a%2"s, std::string(kMaxPathBytes, 'x')}) {
    EXPECT_TRUE(checkPath(path)) << path;
  }
}

TEST(FilePath, IsNothingThatClimbs) {
  for (const std::string& path : {""s,
                                  "/"s,
                                  "/a"s,
                                  "a/"s,
                                  "a//b"s,
                                  "."s,
                                  ".."s,
                                  "./a"s,
                                  "a/./b"s,
                                  "../a"s,
                                  "a/.."s,
                                  "a/../b"s,
                                  "a\\b"s,
                                  "..\\a"s,
                                  "a\\..\\b"s,
                                  "%2e%2e"s,
                                  "%2E./a"s,
                                  "a/%2e%2E/b"s,
                                  "a%2f..%2fb"s,
                                  "%252e%252e"s,
                                  "%25252e%25252e/x"s,
                                  "..%5cx"s,
                                  "a\0b"s,
                                  "a\nb"s,
                                  "a%00b"s,
                                  "a%0ab"s,
                                  "a\x7f"s,
                                  "a%7f"s,
                                  std::string(kMaxPathBytes + 1, 'x')}) {
    const auto checked = checkPath(path);
    ASSERT_FALSE(checked) << path;
    EXPECT_EQ(checked.error().code(), ErrorCode::invalidParam);
  }
}

TEST(ContentType, IsTrimmedAndChecked) {
  EXPECT_EQ(*contentTypeOf(""), kUntyped);
  EXPECT_EQ(*contentTypeOf("  "), kUntyped);
  EXPECT_EQ(*contentTypeOf(" text/plain; charset=utf-8 "), "text/plain; charset=utf-8");
  for (const std::string& bad : {"text"s, "text/"s, "/plain"s, "a/b/c"s, "te xt/plain"s, "text/pl\nain"s,
                                 "t\xc3\xa4/x"s, "a/" + std::string(kMaxTypeBytes, 'b'), ";"s}) {
    EXPECT_FALSE(contentTypeOf(bad)) << bad;
  }
}

TEST(ContentType, OnlyWhatRunsNothingIsInert) {
  for (const char* inert : {"image/png", "IMAGE/JPEG", "audio/ogg", "video/webm", "text/plain;charset=x",
                            "application/json", " image/gif ; x=y"}) {
    EXPECT_TRUE(isInert(inert)) << inert;
  }
  for (const char* live : {"image/svg+xml", "Image/SVG+XML;x=y", "image/svg", "text/html", "text/plain2", "text/css",
                           "application/xml", "application/pdf", "application/json5", "application/octet-stream", ""}) {
    EXPECT_FALSE(isInert(live)) << live;
  }
}

TEST(FileKey, RangesHoldOneBucketAlone) {
  const std::string key = fileKey("bkt_1", "");
  EXPECT_LT(key, fileKey("bkt_1", "a"));
  EXPECT_LT(fileKey("bkt_1", "\xf0\x9f\x98\x80z"), behind(key));
  EXPECT_LT(behind(key), fileKey("bkt_10", ""));
  EXPECT_LT(behind(fileKey("bkt_1", "a")), fileKey("bkt_1", "b"));
}

TEST(SignedLinks, CoverEveryPart) {
  initCrypto();
  const MasterSecret master(Secret(std::string(32, 'k')));
  const SignedLinks links(master);
  const std::string signature = links.sign("proj_1", "bkt_1", "a/b", 1000);
  EXPECT_TRUE(links.verify("proj_1", "bkt_1", "a/b", 1000, signature));
  EXPECT_FALSE(links.verify("proj_2", "bkt_1", "a/b", 1000, signature));
  EXPECT_FALSE(links.verify("proj_1", "bkt_2", "a/b", 1000, signature));
  EXPECT_FALSE(links.verify("proj_1", "bkt_1", "a/c", 1000, signature));
  EXPECT_FALSE(links.verify("proj_1", "bkt_1", "a/b", 1001, signature));
  EXPECT_FALSE(links.verify("proj_1", "bkt_1", "a/b", 1000, ""));
  EXPECT_FALSE(links.verify("proj_1", "bkt_1", "a/b", 1000, signature.substr(1)));
  // A byte at a field's border belongs to one field only.
  EXPECT_NE(links.sign("proj_1", "bkt_1", "2:a", 1), links.sign("proj_1", "bkt_12:", "a", 1));
  EXPECT_NE(links.sign("p", "b", "a1", 1), links.sign("p", "b", "a", 11));
}

}  // namespace
}  // namespace mb::storage
