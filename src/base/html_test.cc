#include "base/html.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

TEST(EscapeHtml, EscapesWhatMatters) {
  EXPECT_EQ(escapeHtml(R"(<a href="x" id='y'>&amp;)"), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escapeHtml("Gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\xB1"), "Gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\xB1");
  EXPECT_EQ(escapeHtml(""), "");
}

}  // namespace
}  // namespace mb
