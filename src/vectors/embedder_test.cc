#include "vectors/embedder.h"

#include <gtest/gtest.h>

namespace mb::vectors {
namespace {

TEST(VectorsIn, StandInTheOrderOfTheTexts) {
  const auto vectors = vectorsIn(
      R"({"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2.5]}],"model":"m","usage":{}})", 2, 2);
  ASSERT_TRUE(vectors) << vectors.error().cause();
  EXPECT_EQ(*vectors, (TextVectors{{1, 2.5}, {3, 4}}));
}

TEST(VectorsIn, TakeTheirPlaceWhereNoneIsSaid) {
  const auto vectors = vectorsIn(R"({"data":[{"embedding":[1]},{"embedding":[2]}]})", 2, 1);
  ASSERT_TRUE(vectors);
  EXPECT_EQ(*vectors, (TextVectors{{1}, {2}}));
}

TEST(VectorsIn, RefuseWhatIsNoAnswer) {
  for (const char* body :
       {"", "[]", "{}", R"({"data":{}})", R"({"data":[]})", R"({"data":[1,2]})", R"({"data":[{"embedding":[1]}]})",
        R"({"data":[{"embedding":[1]},{"embedding":[1,2]}]})", R"({"data":[{"embedding":"AAAA"},{"embedding":[1]}]})",
        R"({"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]})",
        R"({"data":[{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]})",
        R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
        R"({"data":[{"embedding":[1]},{"embedding":[1e300]}]})"}) {
    const auto vectors = vectorsIn(body, 2, 1);
    ASSERT_FALSE(vectors) << body;
    EXPECT_EQ(vectors.error().code(), ErrorCode::upstreamFailed);
    EXPECT_EQ(vectors.error().message(), "request failed");
  }
}

}  // namespace
}  // namespace mb::vectors
