#include "cli/text_table.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mb::cli
