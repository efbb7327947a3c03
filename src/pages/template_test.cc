#include "pages/template.h"

#include <gtest/gtest.h>

namespace mb::pages {
namespace {

TEST(Template, FillsPlaces) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"no places", "no places"},
      {"{{a}}", "&lt;1&gt;"},
      {"{{{a}}}", "<1>"},
      {"x{{a}}{{b}}{{{a}}}y", "x&lt;1&gt;two<1>y"},
      {"{ {a} }", "{ {a} }"},
      {"{{b}} and {{b}}", "two and two"},
  };
  for (const auto& [text, filled] : cases) EXPECT_EQ(fill(text, {{"a", "<1>"}, {"b", "two"}}), filled) << text;
}

TEST(Template, ValuesAreNotFilledAgain) {
  EXPECT_EQ(fill("{{a}}{{{a}}}", {{"a", "{{b}}"}, {"b", "no"}}), "{{b}}{{b}}");
}

TEST(TemplateDeathTest, APlaceWithoutAValueIsABug) {
  EXPECT_DEATH(fill("{{a}}", {{"b", "x"}}), "placeholder without a value");
}

}  // namespace
}  // namespace mb::pages
