#include "pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pages/embedded.h"

namespace mb::pages {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Frame frame() {
  Frame frame;
  frame.root = "/here";
  frame.project = "proj_1";
  frame.name = "Cats & <Dogs>";
  frame.colour = "teal";
  frame.icon = "\xF0\x9F\x90\x88";
  return frame;
}

std::vector<std::string> allPages(const Frame& frame) {
  return {loginPage(frame, {"https://app.example/?a=1&b=2", {{"Google", "/start?a=1&b=\"2\""}}, true}),
          resetPasswordPage(frame),
          verifyEmailPage(frame),
          oauthExamplePage(frame),
          referencePage(frame),
          graphiqlPage(frame),
          problemPage(frame, "No <way>", "Because \"so\"")};
}

TEST(Pages, AllAreWholeAndEscaped) {
  for (const std::string& html : allPages(frame())) {
    EXPECT_TRUE(html.starts_with("<!doctype html>"));
    EXPECT_THAT(html, HasSubstr("Cats &amp; &lt;Dogs&gt;"));
    EXPECT_THAT(html, Not(HasSubstr("<Dogs>")));
    EXPECT_THAT(html, ContainsRegex("<body class=\"[a-z ]*accent-teal\""));
    EXPECT_THAT(html, HasSubstr("\xF0\x9F\x90\x88"));
    EXPECT_THAT(html, HasSubstr("<noscript>"));
    EXPECT_THAT(html, HasSubstr("role=\"alert\""));
    EXPECT_THAT(html, Not(HasSubstr("{{")));
  }
}

TEST(Pages, NothingInlineAndNothingFromElsewhere) {
  for (const std::string& html : allPages(frame())) {
    for (const std::string_view banned : {"<style", " style=", " onclick", " onload", " onsubmit",
                                          "javascript:", "src=\"http", "<img", "<base", "@import"}) {
      EXPECT_THAT(html, Not(HasSubstr(std::string(banned)))) << banned;
    }
    EXPECT_THAT(html, HasSubstr("src=\"/here/auth/assets/" + assetVersion() + "/"));
    EXPECT_THAT(html, HasSubstr("href=\"/here/auth/assets/" + assetVersion() + "/colours.css\""));
  }
}

TEST(Pages, LoginSaysWhereItLeads) {
  const std::string html = loginPage(frame(), {"https://app.example/?a=1&b=2", {{"Google", "/start?a=1&b=\"2\""}}});
  EXPECT_THAT(html, HasSubstr("data-redirect=\"https://app.example/?a=1&amp;b=2\""));
  EXPECT_THAT(html, HasSubstr("href=\"/start?a=1&amp;b=&quot;2&quot;\""));
  EXPECT_THAT(html, HasSubstr("Continue with Google"));
  EXPECT_THAT(html, HasSubstr("data-project=\"proj_1\""));
  EXPECT_THAT(loginPage(frame(), {}), Not(HasSubstr("id=\"providers\"")));
}

TEST(Pages, LoginAsksForTheSetUpCodeWhereItIsNeeded) {
  EXPECT_THAT(loginPage(frame(), {.setupCode = true}), HasSubstr("name=\"setupCode\""));
  EXPECT_THAT(loginPage(frame(), {}), Not(HasSubstr("setupCode")));
}

TEST(Pages, ToolsLeadToEachOther) {
  const std::string reference = referencePage(frame());
  EXPECT_THAT(reference, HasSubstr("href=\"/here/p/proj_1/docs\" aria-current=\"page\""));
  EXPECT_THAT(reference, HasSubstr("href=\"/here/p/proj_1/graphiql\" aria-current=\"false\""));
  EXPECT_THAT(reference, HasSubstr("/swagger-ui.css\""));
  const std::string graphiql = graphiqlPage(Frame());
  EXPECT_THAT(graphiql, HasSubstr("href=\"/docs\" aria-current=\"false\""));
  EXPECT_THAT(graphiql, HasSubstr("href=\"/graphiql\" aria-current=\"page\""));
  EXPECT_THAT(graphiql, HasSubstr("data-project=\"\""));
}

// All assets that a page names exist.
TEST(Pages, ToolsFindTheirFiles) {
  for (const std::string& html : {referencePage(Frame()), graphiqlPage(Frame())}) {
    const std::string folder = std::string(kAssetPath) + "/" + assetVersion() + "/";
    size_t found = 0;
    for (size_t at = html.find(folder); at != std::string::npos; at = html.find(folder, at + 1), found++) {
      const size_t start = at + folder.size();
      const std::string name = html.substr(start, html.find('"', start) - start);
      EXPECT_FALSE(findAsset(name).contentType.empty()) << name;
    }
    EXPECT_EQ(found, 6u);
  }
}

TEST(Pages, ProblemSaysWhy) {
  const std::string html = problemPage(Frame(), "No <way>", "Because \"so\"");
  EXPECT_THAT(html, HasSubstr(">No &lt;way&gt;</h1>"));
  EXPECT_THAT(html, HasSubstr("Because &quot;so&quot;"));
  EXPECT_THAT(html, HasSubstr("Manybase"));
}

TEST(Pages, HomeLeadsToTheTools) {
  const std::string html = homePage(frame(), true);
  for (const std::string_view path : {"/here/docs", "/here/graphiql", "/here/dashboard"}) {
    EXPECT_THAT(html, HasSubstr("href=\"" + std::string(path) + "\""));
  }
  EXPECT_THAT(homePage(frame(), false), Not(HasSubstr("/dashboard")));
  EXPECT_THAT(missingPage(frame()), HasSubstr("href=\"/here/\""));
  for (const std::string& page : {html, missingPage(frame())}) {
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    EXPECT_THAT(page, HasSubstr("rel=\"icon\" href=\"/here/auth/assets/" + assetVersion() + "/icon.svg\""));
    EXPECT_THAT(page, Not(HasSubstr("{{")));
    EXPECT_THAT(page, Not(HasSubstr("<script")));
  }
}

TEST(Pages, OddColoursStayOutOfThePage) {
  for (const std::string_view colour : {"", "#ff0000", "red green", "\"><b>", "Red"}) {
    Frame odd = frame();
    odd.colour = colour;
    EXPECT_THAT(resetPasswordPage(odd), HasSubstr("class=\"accent-default\"")) << colour;
  }
}

TEST(Pages, ProvidersHaveNames) {
  EXPECT_EQ(providerLabel("google"), "Google");
  EXPECT_EQ(providerLabel("github"), "GitHub");
  EXPECT_EQ(providerLabel("oidc-acme"), "acme");
}

TEST(Assets, NoPagesAmongThem) {
  for (const EmbeddedFile& file : embeddedFiles()) {
    const Asset asset = findAsset(file.name);
    EXPECT_EQ(asset.contentType.empty(), file.name.ends_with(".html")) << file.name;
    EXPECT_FALSE(file.bytes.empty()) << file.name;
  }
  EXPECT_EQ(findAsset("pages.css").contentType, "text/css; charset=utf-8");
  EXPECT_EQ(findAsset("icon.svg").contentType, "image/svg+xml");
  EXPECT_EQ(findAsset("licenses.txt").contentType, "text/plain; charset=utf-8");
  EXPECT_THAT(std::string(findAsset("login.js").bytes), HasSubstr("import"));
  for (const std::string_view none : {"", "no.js", "layout.html", "../pages.css", "login.js/", "Login.js"}) {
    EXPECT_TRUE(findAsset(none).contentType.empty()) << none;
  }
}

// A JS module imports others from its own folder: each of them exists.
TEST(Assets, ModulesFindEachOther) {
  for (const EmbeddedFile& file : embeddedFiles()) {
    const std::string_view text = file.bytes;
    for (size_t at = text.find("from \"./"); at != std::string_view::npos; at = text.find("from \"./", at + 1)) {
      const size_t start = at + 8;
      const std::string_view name = text.substr(start, text.find('"', start) - start);
      EXPECT_FALSE(findAsset(name).contentType.empty()) << file.name << " needs " << name;
    }
  }
}

TEST(Assets, LargeOnesAreCompressed) {
  constexpr std::string_view kMagic = "\x1f\x8b";
  for (const EmbeddedFile& file : embeddedFiles()) {
    EXPECT_FALSE(file.name.ends_with(".gz"));
    if (file.gzip.empty()) {
      EXPECT_LT(file.bytes.size(), 32u << 10) << file.name;
      continue;
    }
    EXPECT_TRUE(file.gzip.starts_with(kMagic)) << file.name;
    EXPECT_LT(file.gzip.size() * 2, file.bytes.size()) << file.name;
    EXPECT_EQ(findAsset(file.name).gzip, file.gzip) << file.name;
  }
  EXPECT_FALSE(findAsset("swagger-ui.js").gzip.empty());
  EXPECT_TRUE(findAsset("api.js").gzip.empty());
}

TEST(Sdk, IsAModuleAndAPackage) {
  constexpr std::string_view kMagic = "\x1f\x8b";
  const Asset module = sdkModule();
  EXPECT_THAT(std::string(module.bytes), HasSubstr("export{"));
  EXPECT_TRUE(module.gzip.starts_with(kMagic));
  EXPECT_LT(module.gzip.size() * 2, module.bytes.size());
  EXPECT_TRUE(sdkPackage().bytes.starts_with(kMagic));
  EXPECT_TRUE(sdkPackage().gzip.empty());
  // It is served at its own addresses only.
  for (const EmbeddedFile& file : embeddedSdk()) EXPECT_TRUE(findAsset(file.name).contentType.empty()) << file.name;
}

TEST(Assets, VersionIsShortAndPlain) {
  EXPECT_EQ(assetVersion().size(), 16u);
  EXPECT_EQ(assetVersion().find_first_not_of("0123456789abcdef"), std::string::npos);
}

}  // namespace
}  // namespace mb::pages
