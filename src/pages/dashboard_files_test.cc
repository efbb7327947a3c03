#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pages/embedded.h"
#include "pages/pages.h"

namespace mb::pages {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DashboardFiles, ThePageFindsThemBelowEveryRoot) {
  for (const std::string root : {"", "/prefix", "/a\"b"}) {
    const std::string page = dashboardPage(root);
    EXPECT_THAT(page, Not(HasSubstr("\"./")));
    EXPECT_THAT(page, Not(HasSubstr("{{")));
    EXPECT_THAT(page, Not(HasSubstr("/a\"b")));
  }
  const std::string page = dashboardPage("/prefix");
  EXPECT_THAT(page, HasSubstr("<meta name=\"manybase-root\" content=\"/prefix\""));
  const std::string start = "src=\"/prefix/dashboard/assets/";
  size_t scripts = 0;
  for (size_t at = page.find(start); at != std::string::npos; at = page.find(start, at + 1)) {
    const size_t from = at + start.size();
    const std::string name = page.substr(from, page.find('"', from) - from);
    EXPECT_EQ(findDashboardFile(name).contentType, "text/javascript; charset=utf-8") << name;
    ++scripts;
  }
  EXPECT_EQ(scripts, 2u);  // the colour scheme, which is set before the first paint, and the application
}

TEST(DashboardFiles, EachHasATypeAndIsCompressed) {
  EXPECT_GT(embeddedDashboard().size(), 5u);
  for (const EmbeddedFile& file : embeddedDashboard()) {
    if (file.name == "index.html") continue;
    const Asset found = findDashboardFile(file.name);
    EXPECT_FALSE(found.contentType.empty()) << file.name;
    EXPECT_TRUE(found.bytes.empty()) << file.name;
    EXPECT_TRUE(found.gzip.starts_with("\x1f\x8b")) << file.name;
  }
}

TEST(DashboardFiles, OtherNamesAreNone) {
  for (const std::string_view name : {"", "index.html", "index", "../index.html", "index.js.gz", "pages.css"}) {
    EXPECT_TRUE(findDashboardFile(name).contentType.empty()) << name;
  }
}

}  // namespace
}  // namespace mb::pages
