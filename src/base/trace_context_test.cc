#include "base/trace_context.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kParent = "00f067aa0ba902b7";
const std::string kValid = "00-" + kTrace + "-" + kParent + "-01";

TEST(TraceContextTest, KeepsAValidHeader) {
  EXPECT_EQ(kValid.size(), kTraceparentBytes);
  EXPECT_EQ(traceContext(kValid), kValid);
  EXPECT_EQ(traceContext("00-" + kTrace + "-" + kParent + "-ff"), "00-" + kTrace + "-" + kParent + "-ff");
}

TEST(TraceContextTest, TakesTheKnownFieldsOfALaterVersion) {
  EXPECT_EQ(traceContext("cc-" + kTrace + "-" + kParent + "-03"), kValid);
  EXPECT_EQ(traceContext("cc-" + kTrace + "-" + kParent + "-02-more"), "00-" + kTrace + "-" + kParent + "-00");
}

TEST(TraceContextTest, RefusesAnythingElse) {
  const std::string zeros(32, '0');
  for (const std::string& header :
       {std::string(), std::string("00"), kValid.substr(1), kValid + "0", kValid + "-more", "ff" + kValid.substr(2),
        "0g" + kValid.substr(2), "00-" + zeros + "-" + kParent + "-01", "00-" + kTrace + "-" + zeros.substr(16) + "-01",
        "00_" + kTrace + "-" + kParent + "-01", "00-" + kTrace + "_" + kParent + "-01",
        "00-" + kTrace + "-" + kParent + "_01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + kParent + "-01",
        "cc-" + kTrace + "-" + kParent + "-01more", "00-" + kTrace + "-" + kParent + "-\r\n"}) {
    EXPECT_EQ(traceContext(header), "") << header;
  }
}

}  // namespace
}  // namespace mb
