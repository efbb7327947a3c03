#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "vectors/index/graph_probe.h"
#include "vectors/index/vectors_fixture.h"

namespace mb::vectors {

namespace {

class IndexFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // With removed vectors that are still walked through, and free slots.
  static void fill(VectorIndex& index, size_t count) {
    const auto vectors = noise(3 * count, index.options().dimensions, 31);
    for (size_t i = 0; i < count; ++i) ASSERT_TRUE(index.put(fmt::format("id{}", i), vectors[i]));
    for (size_t i = 0; i < count; i += 2) ASSERT_TRUE(index.put(fmt::format("id{}", i), vectors[count + i]));
    for (size_t i = 0; i < count; i += 3) ASSERT_TRUE(index.remove(fmt::format("id{}", i)));
  }
  std::string text() const { return readWhole(file_, 100 << 20).value(); }
  void overwrite(std::string_view bytes) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void expectRefused(const std::string& how) const {
    const auto loaded = VectorIndex::load(file_);
    ASSERT_FALSE(loaded) << how;
    EXPECT_EQ(loaded.error().code(), ErrorCode::validation) << how;
  }
  // Writes a file of `body` with its correct checksum.
  void summed(std::string body) const {
    body += sha256Hex(body);
    overwrite(body);
  }
  static std::string sha256Hex(std::string_view body) {
    Sha256 sum;
    sum.add(body);
    return sum.finish();
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("index_file_test.{}", ::getpid());
  std::filesystem::path file_ = folder_ / "index";
};

TEST_F(IndexFile, GivesBackWhatWasSaved) {
  for (const Metric metric : {Metric::cosine, Metric::dot, Metric::euclidean}) {
    VectorIndex index({.dimensions = 17, .metric = metric, .m = 5, .efConstruction = 33, .efSearch = 44});
    fill(index, 700);
    const std::string position("log\0 17", 7);
    ASSERT_TRUE(index.save(file_, position));
    auto loaded = VectorIndex::load(file_);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->position, position);
    EXPECT_EQ(loaded->index->options(), index.options());
    EXPECT_EQ(loaded->index->size(), index.size());
    EXPECT_EQ(GraphProbe::problem(*loaded->index), "");
    const View view = loaded->index->view();
    for (const Floats& query : noise(20, 17, 41)) {
      const auto before = index.view().walk(query, {}).value();
      const auto after = view.walk(query, {}).value();
      ASSERT_EQ(after.size(), before.size());
      for (size_t i = 0; i < after.size(); ++i) {
        EXPECT_EQ(after[i].id, before[i].id);
        EXPECT_EQ(after[i].score, before[i].score);
      }
      EXPECT_EQ(view.exact(query, {.limit = 5000}).value().size(), index.size());
    }
    // A loaded index takes further writes.
    fill(*loaded->index, 700);
    EXPECT_EQ(GraphProbe::problem(*loaded->index), "");
    EXPECT_EQ(GraphProbe::reachable(*loaded->index), loaded->index->size());
  }
}

TEST_F(IndexFile, SavesAnEmptyIndexAndOneWithoutLiveVectors) {
  VectorIndex index({.dimensions = 3});
  ASSERT_TRUE(index.save(file_, ""));
  EXPECT_EQ(VectorIndex::load(file_).value().index->size(), 0U);
  ASSERT_TRUE(index.put("a", Floats{1, 2, 3}));
  ASSERT_TRUE(index.remove("a"));
  ASSERT_TRUE(index.save(file_, ""));
  auto loaded = VectorIndex::load(file_).value();
  EXPECT_TRUE(loaded.index->view().walk(Floats{1, 2, 3}, {}).value().empty());
  ASSERT_TRUE(loaded.index->put("b", Floats{1, 2, 3}));
  EXPECT_EQ(loaded.index->view().walk(Floats{1, 2, 3}, {}).value().front().id, "b");
}

TEST_F(IndexFile, IsWholeOrNotThere) {
  VectorIndex index({.dimensions = 3});
  fill(index, 20);
  EXPECT_EQ(VectorIndex::load(file_).error().code(), ErrorCode::notFound);
  EXPECT_FALSE(index.save(folder_ / "missing" / "index", ""));
  EXPECT_EQ(index.save(file_, std::string((64 << 10) + 1, 'x')).error().code(), ErrorCode::validation);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  // A temporary file left by a crash does no harm, and is removed.
  std::ofstream(file_.string() + ".partial") << "half";
  ASSERT_TRUE(index.save(file_, std::string(64 << 10, 'x')));
  EXPECT_EQ(VectorIndex::load(file_).value().position.size(), size_t{64} << 10);
  EXPECT_FALSE(std::filesystem::exists(file_.string() + ".partial"));
  struct stat about{};
  ASSERT_EQ(::stat(file_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
}

TEST_F(IndexFile, RefusesEveryTruncationAndWhatIsAppended) {
  VectorIndex index({.dimensions = 3, .m = 2});
  fill(index, 30);
  ASSERT_TRUE(index.save(file_, "position"));
  const std::string whole = text();
  for (size_t size = 0; size < whole.size(); ++size) {
    overwrite(std::string_view(whole).substr(0, size));
    ASSERT_NO_FATAL_FAILURE(expectRefused(fmt::format("truncated at {} of {}", size, whole.size())));
  }
  overwrite(whole + "x");
  expectRefused("one byte more");
  overwrite(whole);
  EXPECT_TRUE(VectorIndex::load(file_));
}

TEST_F(IndexFile, RefusesFlippedBits) {
  VectorIndex index({.dimensions = 3, .m = 2});
  fill(index, 20);
  ASSERT_TRUE(index.save(file_, "position"));
  std::string bytes = text();
  // Each bit of bytes in turn: thirteen and eight have no common factor.
  for (size_t bit = 0; bit < bytes.size() * 8; bit += 13) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    overwrite(bytes);
    ASSERT_NO_FATAL_FAILURE(expectRefused(fmt::format("bit {}", bit)));
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
}

TEST_F(IndexFile, TakesNoHarmFromWrongContentWithARightSum) {
  VectorIndex index({.dimensions = 3, .m = 2});
  fill(index, 40);
  ASSERT_TRUE(index.save(file_, "position"));
  const std::string whole = text();
  const std::string body = whole.substr(0, whole.size() - 64);
  std::mt19937 random(51);
  size_t taken = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string wrong = body;
    for (uint32_t i = 0; i <= random() % 3; ++i) wrong[random() % wrong.size()] = static_cast<char>(random());
    summed(wrong);
    auto loaded = VectorIndex::load(file_);
    if (!loaded) continue;
    ++taken;
    ASSERT_EQ(GraphProbe::problem(*loaded->index), "");
    const Floats query(loaded->index->options().dimensions, 1);
    EXPECT_TRUE(loaded->index->view().walk(query, {}));
    EXPECT_TRUE(loaded->index->put("another", query));
  }
  // The numbers of a vector may have any value.
  EXPECT_GT(taken, 0U);
}

TEST_F(IndexFile, RefusesAnotherVersion) {
  VectorIndex index({.dimensions = 3, .m = 2});
  fill(index, 10);
  ASSERT_TRUE(index.save(file_, "position"));
  const std::string whole = text();
  std::string body = whole.substr(0, whole.size() - 64);
  body[8] = 2;
  summed(body);
  expectRefused("version 2");
  // Refused before memory is allocated: a file of a few bytes that claims four thousand million slots.
  body[8] = 1;
  body.replace(8 + 6 * 4 + 2 * 4, 4, "\xff\xff\xff\xfe");
  summed(body);
  expectRefused("too many slots");
}

}  // namespace

}  // namespace mb::vectors
