#include "data/backed_up_config.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::data {
namespace {

doc::Document configDocument(std::string_view text) {
  return *doc::parseJson(text);
}

const doc::Document kStored = configDocument(R"({
  "schema":{"type":"object","properties":{"by":{"x-ref":"people"},"in":{"x-ref":"gone"},
    "of":{"x-ref":"free"},"with":{"x-ref":{"collection":"people","check":"exists"}}}},
  "policy":{"list":{}},"vectors":{"fields":[]},"policyTests":[{"name":"a"}],
  "refs":[{"name":"people","number":1003},{"name":"gone","number":1004}]})");

TEST(BackedUpConfigTest, NamesWhatItRefersToAsThatIsCalledNow) {
  const std::vector<store::CollectionInfo> collections = {{1000, "people", 1, {}, {}}, {1003, "authors", 1, {}, {}}};
  EXPECT_EQ(backedUpConfig(kStored, collections), configDocument(R"({
    "schema":{"type":"object","properties":{"by":{"x-ref":"authors"},"in":{"x-ref":"gone"},
      "of":{"x-ref":"free"},"with":{"x-ref":{"collection":"authors","check":"exists"}}}},
    "policy":{"list":{}},"vectors":{"fields":[]},"policyTests":[{"name":"a"}]})"));
  EXPECT_EQ(backedUpConfig(doc::Document(), collections), doc::Document());
}

TEST(BackedUpConfigTest, NumbersOfAnEarlierVersionsBackupBindNothing) {
  const CollectionConfig config = restoredConfig(kStored);
  EXPECT_TRUE(config.references.empty());
  EXPECT_EQ(config.schema, doc::Document(kStored.view().find("schema")->asDocument()));
  EXPECT_TRUE(config.policy && config.vectors);
  EXPECT_EQ(config.policyTests.size(), 1);
}

}  // namespace
}  // namespace mb::data
