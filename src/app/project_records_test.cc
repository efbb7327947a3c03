#include "app/project_records.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "app/project_import.h"
#include "document/json.h"

namespace mb::app {
namespace {

doc::Document json(std::string_view text) {
  return *doc::parseJson(text);
}

class Records : public ::testing::Test {
 protected:
  Records() {
    std::string pattern = (std::filesystem::temp_directory_path() / "manybase-records-XXXXXX").string();
    path_ = pattern;
    ::close(::mkstemp(pattern.data()));
    path_ = pattern;
  }
  ~Records() override { std::filesystem::remove(path_); }

  // Kinds and contents of a file with these bytes, or the error.
  Result<std::vector<std::string>> read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    std::vector<std::string> seen;
    RETURN_IF_ERROR(readRecords(path_, [&](std::string_view kind, doc::DocumentView content) -> Result<> {
      seen.push_back(fmt::format("{} {}", kind, doc::toJson(content)));
      return {};
    }));
    return seen;
  }

  std::filesystem::path path_;
};

TEST_F(Records, ComeInTheirOrder) {
  const auto seen = read(encodeRecord("document", json(R"({"id":"a"})")) + encodeRecord("end", json("{}")));
  ASSERT_TRUE(seen);
  EXPECT_EQ(*seen, (std::vector<std::string>{R"(document {"id":"a"})", "end {}"}));
  EXPECT_EQ(read("")->size(), 0U);
}

TEST_F(Records, LargeOnesOverManyPieces) {
  std::string bytes;
  doc::BsonWriter out;
  out.appendString("id", std::string(900'000, 'x'));
  const doc::Document large = out.finish();
  for (int i = 0; i < 7; ++i) {
    bytes += encodeRecord("document", large);
    bytes += encodeRecord("document", json(R"({"small":1})"));
  }
  const auto seen = read(bytes);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->size(), 14U);
}

TEST_F(Records, DamagedBytesAreRefused) {
  const std::string good = encodeRecord("document", json(R"({"id":"a","n":{"m":[1,2]}})"));
  std::vector<std::string> cases = {"x",
                                    std::string(4, '\0'),
                                    std::string(5, '\0'),
                                    "\xff\xff\xff\x7f    ",
                                    std::string("\xff\xff\xff\xff\0", 5),
                                    json("{}").bytes(),
                                    json(R"({"a":{},"b":{}})").bytes(),
                                    json(R"({"document":1})").bytes()};
  for (size_t cut = 1; cut < good.size(); ++cut) cases.push_back(good.substr(0, cut));
  for (size_t at = 4; at < good.size(); ++at) cases.push_back(good + good.substr(at));
  for (const std::string& bytes : cases) EXPECT_FALSE(read(bytes)) << bytes.size();
}

TEST_F(Records, ASinkThatFailsEndsTheReading) {
  std::ofstream(path_, std::ios::binary) << encodeRecord("end", json("{}"));
  const auto ended = readRecords(path_, [](auto, auto) -> Result<> { return fail(ErrorCode::conflict, "no"); });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), ErrorCode::conflict);
  EXPECT_FALSE(readRecords(path_ / "none", [](auto, auto) -> Result<> { return {}; }));
}

TEST(CollectionRecord, KeepsNameConfigAndIndexes) {
  store::CollectionInfo info;
  info.name = "Things";
  info.config = json(R"({"schema":{"type":"object"}})");
  store::IndexSpec spec;
  spec.name = "a_1_b_-1";
  spec.keys = {{"a", 1}, {"b.c", -1}};
  spec.unique = spec.sparse = true;
  spec.partialFilter = json(R"({"a":{"$gt":1}})");
  info.indexes.emplace_back().spec = spec;
  spec = {};
  spec.name = "ttl";
  spec.keys = {{"at", 1}};
  spec.expireAfterSeconds = 60;
  spec.covering = true;
  info.indexes.emplace_back().spec = spec;
  info.indexes.front().spec.include = {"d", "e.f"};

  const auto back = decodeCollection(encodeCollection(info));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->name, info.name);
  EXPECT_EQ(back->config, info.config);
  ASSERT_EQ(back->indexes.size(), 2U);
  EXPECT_EQ(encodeCollection(*back), encodeCollection(info));
  EXPECT_EQ(back->indexes[0].spec.keys[1].path, "b.c");
  EXPECT_EQ(back->indexes[1].spec.expireAfterSeconds, 60);
  EXPECT_TRUE(back->indexes[1].spec.covering && !back->indexes[0].spec.covering);
  EXPECT_EQ(back->indexes[0].spec.include, (std::vector<std::string>{"d", "e.f"}));
  EXPECT_TRUE(back->indexes[1].spec.include.empty());
  for (const auto* bad : {"{}", R"({"name":1,"config":{},"indexes":[]})", R"({"name":"a","config":{},"indexes":[1]})",
                          R"({"name":"a","config":{},"indexes":[],"vectors":[]})"}) {
    EXPECT_FALSE(decodeCollection(json(bad))) << bad;
  }
}

TEST(ProjectId, FollowsInSystemData) {
  const struct {
    const char* before;
    const char* after;
  } cases[] = {
      {R"({"id":"x"})", R"({"id":"x"})"},
      {R"({"projectId":"proj_1"})", R"({"projectId":"proj_2"})"},
      {R"({"target":"projects/proj_1"})", R"({"target":"projects/proj_2"})"},
      {R"({"a":["proj_1",{"b":"proj_1"},7,null,[]]})", R"({"a":["proj_2",{"b":"proj_2"},7,null,[]]})"},
      {R"({"proj_1":"proj_12","t":"see proj_1"})", R"({"proj_1":"proj_12","t":"see proj_1"})"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(doc::toJson(withProjectId(json(each.before), "proj_1", "proj_2")), each.after);
  }
}

}  // namespace
}  // namespace mb::app
