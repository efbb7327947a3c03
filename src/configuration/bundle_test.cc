#include "configuration/bundle.h"

#include <gmock/gmock.h>

#include "document/json.h"

namespace mb::configuration {
namespace {

using ::testing::ElementsAre;

doc::Document json(std::string_view text) {
  return *doc::parseJson(text, {.maxDepth = 100, .extended = doc::ExtendedJson::refuse});
}

constexpr std::string_view kWhole =
    R"({"formatVersion":1,"project":{"name":"Shop"},"collections":[{"name":"*","policy":{"read":{}}},
    {"name":"a","schema":{"const":{"$date":"2026-01-31T09:30:00.000Z"}},"indexes":[]},{"name":"a-b","indexes":[]}],
    "roles":[],"enduserRoles":[{"name":"Guest","permissions":["x:read"]}],
    "functions":[{"name":"greet","trigger":{"type":"http"},"code":"export {}\n","timeoutMs":null}],
    "integrations":[],"webhooks":[],"vectors":[{"collection":"a","fields":[]}],
    "buckets":[{"name":"pics","access":"private"}],"oauth":{"providers":[],"allowedRedirects":["https://x.example"]}})";

std::vector<std::string> pathsOf(const Bundle& bundle) {
  std::vector<std::string> paths;
  for (const BundleFile& file : bundle) paths.push_back(file.path);
  return paths;
}
std::string contentOf(const Bundle& bundle, std::string_view path) {
  for (const BundleFile& file : bundle) {
    if (file.path == path) return file.content;
  }
  return "no such file";
}
template <class T>
std::vector<std::string> pathsOf(const Result<T>& result) {
  std::vector<std::string> paths;
  if (result) return paths;
  for (const ErrorDetail& each : result.error().details()) paths.push_back(each.path);
  return paths;
}

TEST(Bundle, IsOneFileForEachThing) {
  const auto bundle = bundleOf(json(kWhole));
  ASSERT_TRUE(bundle) << bundle.error().message();
  EXPECT_THAT(pathsOf(*bundle),
              ElementsAre("buckets/pics.json", "collections/__default.json", "collections/a-b.json",
                          "collections/a.json", "enduser-roles.json", "functions/greet.json", "functions/greet.ts",
                          "meta.json", "oauth.json", "roles.json", "vectors/a.json"));
  EXPECT_EQ(contentOf(*bundle, "meta.json"),
            "{\n  \"formatVersion\": 1,\n  \"project\": {\n    \"name\": \"Shop\"\n  }\n}\n");
  EXPECT_EQ(contentOf(*bundle, "roles.json"), "[]\n");
  EXPECT_EQ(contentOf(*bundle, "functions/greet.ts"), "export {}\n");
  EXPECT_EQ(contentOf(*bundle, "functions/greet.json"),
            "{\n  \"name\": \"greet\",\n  \"trigger\": {\n    \"type\": \"http\"\n  },\n  \"codeFile\": \"greet.ts\",\n"
            "  \"timeoutMs\": null\n}\n");
  EXPECT_EQ(contentOf(*bundle, "collections/__default.json"),
            "{\n  \"name\": \"*\",\n  \"policy\": {\n    \"read\": {}\n  }\n}\n");
  const auto back = documentOf(*bundle);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(doc::toJson(*back), doc::toJson(json(kWhole)));
}

TEST(Bundle, LeavesOutWhenAndByWhatItWasExported) {
  const auto a = bundleOf(json(R"({"formatVersion":1,"exportedAt":"2026-01-31T09:30:00.000Z","serverVersion":"1.0",
      "project":{"name":"S"},"collections":[],"roles":[],"enduserRoles":[],"functions":[],"integrations":[],"webhooks":[]})"));
  ASSERT_TRUE(a);
  EXPECT_THAT(pathsOf(*a), ElementsAre("enduser-roles.json", "meta.json", "roles.json"));
  EXPECT_EQ(doc::toJson(*documentOf(*a)), R"({"formatVersion":1,"project":{"name":"S"},"collections":[],"roles":[],)"
                                          R"("enduserRoles":[],"functions":[],"integrations":[],"webhooks":[]})");
}

TEST(Bundle, CodeEndsInOneLineBreak) {
  for (const auto* code : {R"("x")", R"("x\n")", R"("x\n\n\r\n")"}) {
    const auto bundle = bundleOf(json(fmt::format(
        R"({{"formatVersion":1,"project":{{"name":"S"}},"collections":[],"roles":[],"enduserRoles":[],
            "functions":[{{"name":"f","code":{}}}],"integrations":[],"webhooks":[]}})",
        code)));
    ASSERT_TRUE(bundle);
    EXPECT_EQ(contentOf(*bundle, "functions/f.ts"), "x\n");
  }
}

TEST(Bundle, RefusesWhatIsNoExport) {
  const struct {
    const char* document;
    std::vector<std::string> pointers;
  } cases[] = {
      {R"({})",
       {"/formatVersion", "/collections", "/roles", "/enduserRoles", "/functions", "/integrations", "/webhooks"}},
      {R"({"formatVersion":1,"project":{},"collections":[{"name":"../x"},{"name":""},5,{"name":".."}],"roles":{},
          "enduserRoles":[],"functions":[],"integrations":[],"webhooks":[],"news":[]})",
       {"/collections/0", "/collections/1", "/collections/2", "/collections/3", "/roles", "/news"}},
  };
  for (const auto& each : cases) EXPECT_EQ(pathsOf(bundleOf(json(each.document))), each.pointers) << each.document;
}

TEST(Bundle, TellsEveryBrokenFileAtOnce) {
  const Bundle bundle = {
      {"README.md", "hello"},
      {"buckets/a.json", "[]"},
      {"collections/a.json", R"({"name": "b"})"},
      {"collections/b.json", "{"},
      {"collections/deep/c.json", "{}"},
      {"collections/d.txt", "{}"},
      {"collections/e f.json", R"({"name": "e f"})"},
      {"enduser-roles.json", "{}"},
      {"functions/f.json", R"({"name": "f", "codeFile": "../../etc/passwd"})"},
      {"functions/g.json", R"({"name": "g", "codeFile": "g.ts"})"},
      {"functions/lone.ts", "x"},
      {"meta.json", R"({"formatVersion": 7})"},
      {"roles.json", "[] []"},
  };
  EXPECT_THAT(pathsOf(documentOf(bundle)),
              ElementsAre("README.md", "buckets/a.json", "collections/a.json", "collections/b.json",
                          "collections/d.txt", "collections/deep/c.json", "collections/e f.json", "enduser-roles.json",
                          "functions/f.json", "functions/g.json", "functions/lone.ts", "meta.json", "roles.json"));
  EXPECT_THAT(pathsOf(documentOf({{"roles.json", "[]"}})), ElementsAre("meta.json"));
  EXPECT_THAT(pathsOf(documentOf({{"meta.json", "{\"formatVersion\": 1}"}, {"meta.json", "{}"}})),
              ElementsAre("meta.json"));
}

TEST(Bundle, KnowsWhatIsForeign) {
  for (const auto* foreign :
       {"README.md", ".gitignore", "notes/a.json", "collections/.DS_Store", ".x/roles.json", "a"}) {
    EXPECT_TRUE(isForeign(foreign)) << foreign;
  }
  for (const auto* own : {"meta.json", "roles.json", "oauth.json", "collections/a.json", "collections/a/b.json",
                          "functions/x.ts", "vectors/readme.txt"}) {
    EXPECT_FALSE(isForeign(own)) << own;
  }
}

}  // namespace
}  // namespace mb::configuration
