#include "vectors/source_text.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::vectors {
namespace {

std::string textOf(const SourceConfig& source, std::string_view json) {
  EXPECT_TRUE(SourceText::problemsOf(source).empty());
  return SourceText(source).of(*doc::parseJson(json));
}

std::vector<std::string> pathsOf(const SourceConfig& source) {
  std::vector<std::string> paths;
  for (const ErrorDetail& each : SourceText::problemsOf(source)) paths.push_back(each.path);
  return paths;
}

TEST(SourceText, GivesAFieldALine) {
  const SourceConfig source{{"title", "body.text", "tags"}, {}};
  EXPECT_EQ(textOf(source, R"({"tags":["a","b"],"title":"T","body":{"text":"B"}})"), "T\nB\na, b");
  EXPECT_EQ(textOf(source, R"({"title":"T","tags":[]})"), "T");
  EXPECT_EQ(textOf(source, R"({"other":"x"})"), "");
  EXPECT_EQ(textOf(source, R"({"title":""})"), "");
}

TEST(SourceText, TakesNumbersAndTruthValuesAndNothingElse) {
  const SourceConfig source{{"a"}, {}};
  EXPECT_EQ(textOf(source, R"({"a":12})"), "12");
  EXPECT_EQ(textOf(source, R"({"a":true})"), "true");
  EXPECT_EQ(textOf(source, R"({"a":null})"), "");
  EXPECT_EQ(textOf(source, R"({"a":{"b":"x"}})"), "");
  EXPECT_EQ(textOf(source, R"({"a":["x",{"b":1},2]})"), "x, 2");
}

TEST(SourceText, ReachesThroughArrays) {
  EXPECT_EQ(textOf({{"lines.name"}, {}}, R"({"lines":[{"name":"x"},{"n":1},{"name":"y"}]})"), "x, y");
}

TEST(SourceText, FillsATemplate) {
  const SourceConfig source{{"title", "body"}, "{{title}}: {{ body }}! ({{title}})"};
  EXPECT_EQ(textOf(source, R"({"title":"T","body":"{{title}}"})"), "T: {{title}}! (T)");
  EXPECT_EQ(textOf(source, R"({"title":"T"})"), "T: ! (T)");
  EXPECT_EQ(textOf(source, R"({})"), "");
}

TEST(SourceText, CutsBetweenCharacters) {
  std::string json = R"({"a":"x)";
  for (size_t i = 0; i < kMaxTextBytes; ++i) json += "\xC3\xA4";
  json += "\"}";
  const std::string text = textOf({{"a"}, {}}, json);
  EXPECT_EQ(text.size(), kMaxTextBytes - 1);
  EXPECT_EQ(text.substr(text.size() - 2), "\xC3\xA4");
}

TEST(SourceText, NamesWhatIsWrong) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(pathsOf({{}, {}}), (Paths{"/fields"}));
  EXPECT_EQ(pathsOf({std::vector<std::string>(21, "a"), {}}), (Paths{"/fields"}));
  EXPECT_EQ(pathsOf({{"a", "$b", "a"}, {}}), (Paths{"/fields/1", "/fields/2"}));
  EXPECT_EQ(pathsOf({{"a"}, "plain"}), (Paths{"/template"}));
  EXPECT_EQ(pathsOf({{"a"}, "{{a"}), (Paths{"/template"}));
  EXPECT_EQ(pathsOf({{"a"}, "{{a}} {{b}}"}), (Paths{"/template"}));
  EXPECT_EQ(pathsOf({{"a"}, "{{a}}" + std::string(kMaxLayoutBytes, 'x')}), (Paths{"/template"}));
}

}  // namespace
}  // namespace mb::vectors
