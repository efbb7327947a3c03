#include "pages/template.h"

#include <gtest/gtest.h>

namespace mb::pages {
namespace {

TEST(Template, EscapesWhatMatters) {
  EXPECT_EQ(escapeHtml(R"(<a href="x" id='y'>&amp;)"), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escapeHtml("Gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\xB1"), "Gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\xB1");
  EXPECT_EQ(escapeHtml(""), "");
}

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
  EXPECT_DEATH(fill("{{a}}", {{"b", "x"}}), "place without a value");
}

}  // namespace
}  // namespace mb::pages
