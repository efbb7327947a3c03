#include "configuration/listed_kind.h"

#include <gmock/gmock.h>

#include "base/text.h"

namespace mb::configuration {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "<pointer>: <message>" of each problem.
std::vector<std::string> textsOf(Problems problems) {
  std::vector<std::string> texts;
  if (problems.empty()) return texts;
  const Error error = std::move(problems).asError();
  for (const ErrorDetail& each : error.details()) texts.push_back(each.path + ": " + each.message);
  return texts;
}

TEST(UniqueNameSetTest, FindsTheEntriesOfTheProjectAndNamesThatClash) {
  const std::vector<Entry> current = {{"Photos", {}}, {"docs", {}}};
  UniqueNameSet names(current, lowerAscii);
  Problems problems;
  EXPECT_EQ(names.take("docs", "/buckets/0", problems), &current[1]);
  EXPECT_EQ(names.take("photos", "/buckets/1", problems), &current[0]);
  EXPECT_EQ(names.take("new", "/buckets/2", problems), nullptr);
  EXPECT_EQ(names.take("new", "/buckets/3", problems), nullptr);
  EXPECT_EQ(names.take("NEW", "/buckets/4", problems), nullptr);
  EXPECT_THAT(textsOf(std::move(problems)), ElementsAre("/buckets/1/name: is too similar to \"Photos\" of the project",
                                                        "/buckets/3/name: \"new\" occurs twice",
                                                        "/buckets/4/name: \"new\" and \"NEW\" are too similar"));
}

TEST(UniqueNameSetTest, CountsEachNewNameOnce) {
  const std::vector<Entry> current = {{"a", {}}};
  UniqueNameSet names(current, UniqueNameSet::exact, "collection", {.twice = "again", .tooMany = "more than"});
  Problems none;
  Problems problems;
  names.checkCount("vectors", 0, "configs", none);
  names.take("b", "/vectors/0", none);
  names.checkCount("vectors", 2, "configs", none);
  names.take("b", "/vectors/1", problems);
  names.checkCount("vectors", 2, "configs", problems);
  names.checkCount("vectors", 1, "configs", problems);
  EXPECT_THAT(textsOf(std::move(none)), IsEmpty());
  EXPECT_THAT(textsOf(std::move(problems)),
              ElementsAre("/vectors/1/collection: \"b\" again", "/vectors: more than 1 configs"));
}

}  // namespace
}  // namespace mb::configuration
