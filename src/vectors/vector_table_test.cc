#include "vectors/vector_table.h"

#include <gtest/gtest.h>

#include "data/collection_config.h"
#include "data/vector_fields.h"
#include "document/json.h"
#include "store/testing/memory_store.h"
#include "vectors/vector_rules.h"

namespace mb::vectors {
namespace {

FieldConfig automatic() {
  return {"meaning", 2, "cosine", SourceConfig{{"title"}, {}}, "auto", {}};
}

store::CollectionInfo collectionWith(std::vector<StoredField> fields) {
  data::CollectionConfig config;
  config.vectors = doc::encode(StoredConfig{std::move(fields)});
  store::CollectionInfo collection;
  collection.number = 1000;
  collection.name = "posts";
  collection.config = config.write();
  return collection;
}

VectorFieldPtr fieldOf(const FieldConfig& config, std::string model = "m") {
  store::testing::MemoryStore store{{}};
  const auto vectors = VectorTables(store, std::move(model)).vectorsOf(collectionWith({{"vec_1", config}}));
  return vectors->fields.front();
}

TEST(VectorTables, ReadWhatStandsInTheCollection) {
  store::testing::MemoryStore store{{}};
  const VectorTables tables(store, "m");
  EXPECT_EQ(tables.vectorsOf({}), nullptr);
  const FieldConfig manual{"embedding", 3, "dot", {}, "manual", GraphConfig{8, {}, {}}};
  const auto vectors = tables.vectorsOf(collectionWith({{"vec_1", manual}, {"vec_2", automatic()}}));
  ASSERT_NE(vectors, nullptr);
  EXPECT_EQ(vectors->config(), (VectorConfig{{manual, automatic()}}));
  EXPECT_EQ(vectors->find("embedding")->id, "vec_1");
  EXPECT_FALSE(vectors->find("embedding")->automatic);
  EXPECT_TRUE(vectors->find("meaning")->automatic);
  EXPECT_EQ(vectors->find("other"), nullptr);
}

TEST(VectorTables, TellTextsOfOneConfigFromThoseOfAnother) {
  FieldConfig other = automatic();
  other.source->fields = {"body"};
  FieldConfig metric = automatic();
  metric.metric = "dot";
  const auto field = fieldOf(automatic());
  EXPECT_EQ(field->hashOf("x"), fieldOf(metric)->hashOf("x"));
  EXPECT_NE(field->hashOf("x"), field->hashOf("y"));
  EXPECT_NE(field->hashOf("x"), fieldOf(other)->hashOf("x"));
  EXPECT_NE(field->hashOf("x"), fieldOf(automatic(), "another")->hashOf("x"));
}

// data/ reads the rules that it validates documents against from the same bytes.
TEST(VectorFields, HoldDocumentsToTheConfig) {
  const auto collection = collectionWith({{"vec_1", {"v", 2, "cosine", {}, "manual", {}}}, {"vec_2", automatic()}});
  const auto pathsOf = [&](std::string_view after, std::optional<std::string_view> before = {}) {
    const doc::Document held = before ? *doc::parseJson(*before) : doc::Document();
    std::vector<std::string> paths;
    const doc::Document given = *doc::parseJson(after);
    for (const auto& each : data::vectorProblems(collection, before ? &held : nullptr, given))
      paths.push_back(each.path);
    return paths;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(pathsOf(R"({"a":1})"), Paths());
  EXPECT_EQ(pathsOf(R"({"v":[1,2.5]})"), Paths());
  EXPECT_EQ(pathsOf(R"({"v":null,"meaning":null})"), Paths());
  EXPECT_EQ(pathsOf(R"({"v":[1],"meaning":[1,2]})"), (Paths{"/v", "/meaning"}));
  EXPECT_EQ(pathsOf(R"({"v":[1,"2"]})"), Paths{"/v"});
  EXPECT_EQ(pathsOf(R"({"v":[1,1e39]})"), Paths{"/v"});
  EXPECT_EQ(pathsOf(R"({"v":[1],"meaning":"x"})", R"({"v":[1],"meaning":"x"})"), Paths());
  EXPECT_EQ(pathsOf(R"({"v":[2]})", R"({"v":[1]})"), Paths{"/v"});
  EXPECT_TRUE(data::vectorProblems({}, nullptr, *doc::parseJson(R"({"v":"x"})")).empty());
}

TEST(VectorRules, SayWhatIsNotSaid) {
  const VectorConfig config = canonical({{{"v", 2, {}, {}, {}, GraphConfig()}}});
  EXPECT_EQ(config, (VectorConfig{{{"v", 2, "cosine", {}, "manual", {}}}}));
}

TEST(VectorRules, NeedAnEndpointForTexts) {
  EXPECT_TRUE(check({{automatic()}}, true));
  const auto refused = check({{automatic()}}, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().details().front().path, "/fields/0/mode");
}

}  // namespace
}  // namespace mb::vectors
