#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace mb {
namespace {

TEST(WithSeparators, BetweenThousands) {
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
}  // namespace mb
