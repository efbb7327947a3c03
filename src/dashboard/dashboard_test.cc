#include "dashboard/dashboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dashboard/embedded.h"

namespace mb::dashboard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Dashboard, ThePageFindsItsFilesBelowEveryRoot) {
  for (const std::string root : {"", "/prefix", "/a\"b"}) {
    const std::string page = indexPage(root);
    EXPECT_THAT(page, Not(HasSubstr("\"./")));
    EXPECT_THAT(page, Not(HasSubstr("{{")));
    EXPECT_THAT(page, Not(HasSubstr("/a\"b")));
  }
  const std::string page = indexPage("/prefix");
  EXPECT_THAT(page, HasSubstr("<meta name=\"manybase-root\" content=\"/prefix\""));
  const std::string start = "src=\"/prefix/dashboard/assets/";
  size_t scripts = 0;
  for (size_t at = page.find(start); at != std::string::npos; at = page.find(start, at + 1)) {
    const size_t from = at + start.size();
    const std::string name = page.substr(from, page.find('"', from) - from);
    EXPECT_EQ(findAsset(name).contentType, "text/javascript; charset=utf-8") << name;
    ++scripts;
  }
  EXPECT_EQ(scripts, 2u);  // the colour scheme, which is set before the first paint, and the application
}

TEST(Dashboard, EachFileHasATypeAndIsCompressed) {
  EXPECT_GT(embeddedFiles().size(), 5u);
  for (const EmbeddedFile& file : embeddedFiles()) {
    if (file.name == "index.html") continue;
    EXPECT_FALSE(findAsset(file.name).contentType.empty()) << file.name;
    EXPECT_TRUE(file.bytes.starts_with("\x1f\x8b")) << file.name;
    const auto plain = inflate(file.bytes);
    ASSERT_TRUE(plain) << file.name;
    EXPECT_FALSE(plain->empty()) << file.name;
  }
}

TEST(Dashboard, OtherNamesAreNoFiles) {
  for (const std::string_view name : {"", "index.html", "index", "../index.html", "index.js.gz"}) {
    EXPECT_TRUE(findAsset(name).contentType.empty()) << name;
  }
}

TEST(Dashboard, WhatIsNotGzipIsNotInflated) {
  EXPECT_FALSE(inflate("no gzip"));
  for (const EmbeddedFile& file : embeddedFiles()) {
    if (file.name.ends_with(".css")) {
      EXPECT_FALSE(inflate(file.bytes.substr(0, file.bytes.size() / 2)));
    }
  }
}

}  // namespace
}  // namespace mb::dashboard
