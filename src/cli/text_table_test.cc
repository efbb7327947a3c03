#include "cli/text_table.h"

#include <gtest/gtest.h>

#include <limits>

namespace mb::cli {
namespace {

TEST(TextTable, AlignsColumnsByCharacters) {
  EXPECT_EQ(tableOf({}), "");
  EXPECT_EQ(tableOf({{"name", "plan"}, {"Käse", "free"}, {"日本語の店", "x"}, {"alone"}}),
            "name   plan\n"
            "Käse   free\n"
            "日本語の店  x\n"
            "alone\n");
  // No blanks at the ends of lines.
  EXPECT_EQ(tableOf({{"a", "b"}, {"c", "longer"}}), "a  b\nc  longer\n");
}

TEST(TextTable, SeparatesThousands) {
  const std::pair<int64_t, std::string_view> cases[] = {
      {0, "0"},
      {999, "999"},
      {1000, "1,000"},
      {-999, "-999"},
      {-1000, "-1,000"},
      {123456, "123,456"},
      {5000000, "5,000,000"},
      {std::numeric_limits<int64_t>::min(), "-9,223,372,036,854,775,808"},
  };
  for (const auto& [number, text] : cases) EXPECT_EQ(withSeparators(number), text);
}

}  // namespace
}  // namespace mb::cli
