#include "store/embedded/backup.h"

#include <fstream>

#include "document/json.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {
namespace {

class CountingProgress final : public Progress {
 public:
  void at(std::string_view, uint64_t, uint64_t) override { ++signs; }
  int signs = 0;
};

doc::Document json(const std::string& text) {
  return *doc::parseJson(text);
}

class Backup : public ::testing::Test {
 protected:
  Backup() : opened_({{7, "__notes", {}, false, "t"}}) {
    project_ = opened_.must(opened_.store().allocateProject());
    const CollectionInfo made = opened_.must(opened_.store().createCollection(project_, "things", {}, {}));
    IndexSpec spec;
    spec.keys = {{"n", 1}};
    opened_.must(opened_.store().createIndex({project_, made.number, made.version}, spec, {}));
    things_ = {project_, made.number, made.version + 1};
  }

  void put(CollectionRef collection, int from, int to, bool logged = true) {
    for (int n = from; n < to; n += 50) {
      std::vector<doc::Document> documents;
      for (int i = n; i < std::min(n + 50, to); ++i) {
        const std::string id = fmt::format("d{:06}", i);
        documents.push_back(json(fmt::format(R"({{"id":"{}","n":{},"t":"{}"}})", id, i % 97, std::string(200, 'x'))));
      }
      WriteOptions options{std::chrono::steady_clock::now() + std::chrono::seconds(30), {}, WritePriority::normal, {}};
      options.logged = logged;
      opened_.must(testing::putAll(opened_.store(), collection, std::move(documents), std::move(options)));
    }
  }
  std::unique_ptr<StoreImage> image(const std::string& name) {
    const std::filesystem::path path = opened_.path() / name;
    EXPECT_TRUE(opened_.store().checkpoint(path));
    auto image = StoreImage::open(path);
    if (!image) ADD_FAILURE() << image.error().message();
    return image ? *std::move(image) : nullptr;
  }
  uint64_t countIn(const StoreImage& image, CollectionNo collection) {
    uint64_t count = 0;
    std::string last;
    EXPECT_TRUE(image.each(project_, collection, [&](doc::DocumentView document) -> Result<> {
      EXPECT_LT(last, document.stringOr("id"));
      last = document.stringOr("id");
      ++count;
      return {};
    }));
    return count;
  }

  OpenedStore opened_;
  ProjectNo project_ = 0;
  CollectionRef things_;
};

TEST_F(Backup, AnImageIsTheStoreAtItsMoment) {
  put(things_, 0, 500);
  put({project_, 7, 0}, 0, 3);
  const auto before = image("a");
  put(things_, 500, 700);
  const auto after = image("b");
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->projects(), (std::vector<ProjectNo>{kControlProject, project_}));
  EXPECT_EQ(countIn(*before, things_.number), 500U);
  EXPECT_EQ(countIn(*after, things_.number), 700U);
  EXPECT_EQ(before->stats(project_, things_.number)->documents, 500U);
  EXPECT_EQ(countIn(*before, 7), 3U);
  const auto collections = before->collections(project_);
  ASSERT_EQ(collections.size(), 2U);
  EXPECT_EQ(collections[0].name, "__notes");
  EXPECT_EQ(collections[1].name, "things");
  EXPECT_EQ(collections[1].indexes.size(), 1U);
  EXPECT_TRUE(*before->get(project_, things_.number, "d000499"));
  EXPECT_FALSE(*before->get(project_, things_.number, "d000500"));
  CountingProgress progress;
  const auto report = after->check(progress);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->problems, std::vector<std::string>());
  EXPECT_EQ(report->documents, 703U);
  EXPECT_EQ(report->indexEntries, 700U);
  EXPECT_GT(progress.signs, 0);
}

TEST_F(Backup, AnIndexIsFollowedWhateverItsEntriesHold) {
  put(things_, 0, 10);
  const auto index = [&](bool unique, bool covering) {
    IndexSpec spec;
    spec.name = unique ? "unique" : covering ? "covering" : "including";
    spec.keys = {{"id", 1}};
    spec.unique = unique;
    spec.covering = covering;
    if (!covering) spec.include = {"n"};
    opened_.must(opened_.store().createIndex(things_, spec, {}));
    things_.version = opened_.must(opened_.store().collections(project_)).front().version;
  };
  index(false, false);
  index(false, true);
  index(true, false);
  const auto picture = image("a");
  ASSERT_TRUE(picture);
  for (const char* name : {"including", "covering", "unique"}) {
    uint64_t count = 0;
    EXPECT_TRUE(picture->eachBy(project_, things_.number, name, [&](doc::DocumentView) -> Result<> {
      ++count;
      return {};
    })) << name;
    EXPECT_EQ(count, 10u) << name;
  }
}

TEST_F(Backup, WhatIsStoppedSaysSo) {
  put(things_, 0, 100);
  const auto picture = image("a");
  ASSERT_TRUE(picture);
  CountingProgress progress;
  progress.stop();
  const auto checked = picture->check(progress);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(opened_.store().compact({}, progress).error().code(), ErrorCode::unavailable);
}

TEST_F(Backup, AVisitThatFailsEndsTheReading) {
  put(things_, 0, 100);
  const auto picture = image("a");
  ASSERT_TRUE(picture);
  int seen = 0;
  const auto ended = picture->each(project_, things_.number, [&](doc::DocumentView) -> Result<> {
    return ++seen < 5 ? Result<>() : fail(ErrorCode::conflict, "enough");
  });
  EXPECT_EQ(ended.error().message(), "enough");
  EXPECT_EQ(seen, 5);
}

TEST_F(Backup, NoStoreIsNoImage) {
  const std::filesystem::path empty = opened_.path() / "empty";
  std::filesystem::create_directory(empty);
  EXPECT_FALSE(StoreImage::open(empty));
  EXPECT_TRUE(std::filesystem::is_empty(empty));
  EXPECT_FALSE(StoreImage::open(opened_.path() / "none"));
  EXPECT_FALSE(std::filesystem::exists(opened_.path() / "none"));
  const std::filesystem::path taken = opened_.path() / "taken";
  std::filesystem::create_directory(taken);
  std::ofstream(taken / "x") << "x";
  EXPECT_FALSE(opened_.store().checkpoint(taken));
}

TEST_F(Backup, ADamagedImageIsFound) {
  put(things_, 0, 3000);
  const std::filesystem::path path = opened_.path() / "a";
  ASSERT_TRUE(opened_.store().checkpoint(path));
  for (const auto& file : std::filesystem::directory_iterator(path)) {
    if (file.path().extension() != ".sst" || file.file_size() < 100'000) continue;
    // A copy, since the checkpoint hard-links the store's files.
    const std::filesystem::path copy = path / "copy";
    std::filesystem::copy_file(file.path(), copy);
    std::filesystem::rename(copy, file.path());
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(50'000);
    bytes << "not what was there";
  }
  const auto picture = StoreImage::open(path);
  CountingProgress progress;
  if (picture) EXPECT_FALSE((*picture)->check(progress)->problems.empty());
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
}

TEST_F(Backup, CompactionLosesNothing) {
  put(things_, 0, 3000);
  for (const ProjectNo only : {ProjectNo{0}, project_}) {
    CountingProgress progress;
    const auto report = opened_.store().compact(only == 0 ? std::nullopt : std::optional(only), progress);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_GT(report->bytesBefore, 0U);
    EXPECT_GT(report->bytesAfter, 0U);
    EXPECT_GT(progress.signs, 0);
  }
  CountingProgress progress;
  EXPECT_EQ(opened_.store().compact(project_ + 1, progress).error().code(), ErrorCode::notFound);
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
  EXPECT_EQ(opened_.must(opened_.store().stats(things_)).documents, 3000U);
}

TEST_F(Backup, WhatIsRestoredLeavesNoTraceInTheChangeLog) {
  put(things_, 0, 10);
  EXPECT_EQ(opened_.store().lastPosition(project_), 10U);
  put(things_, 10, 20, false);
  EXPECT_EQ(opened_.store().lastPosition(project_), 10U);
  EXPECT_EQ(opened_.must(opened_.store().changes(project_, 0, 100)).entries.size(), 10U);
  EXPECT_EQ(opened_.must(opened_.store().stats(things_)).documents, 20U);
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
}

std::vector<std::string> changesIn(const Image& image, ProjectNo project) {
  std::vector<std::string> changes;
  EXPECT_TRUE(image.eachChange(project, [&](const ChangeEntry& entry) -> Result<> {
    changes.push_back(fmt::format("{} {} {} {} {} {}", entry.position, static_cast<int>(entry.kind), entry.collection,
                                  entry.id, entry.at.ms, entry.after ? entry.after->size() : 0));
    return {};
  }));
  return changes;
}

TEST_F(Backup, AStoreIsCreatedLikeAnother) {
  put(things_, 0, 120);
  opened_.must(opened_.store().dropProject(opened_.must(opened_.store().allocateProject())));
  const auto source = image("source");
  ASSERT_TRUE(source);
  NullProgress progress;
  ASSERT_TRUE(EmbeddedStore::createLike(*source, opened_.path() / "like", progress));
  const auto like = StoreImage::open(opened_.path() / "like" / "store");
  ASSERT_TRUE(like);
  EXPECT_EQ((*like)->projects(), source->projects());
  EXPECT_EQ((*like)->numbers().nextProject, source->numbers().nextProject);
  EXPECT_EQ((*like)->numbersOf(project_).nextNumber, source->numbersOf(project_).nextNumber);
  EXPECT_EQ((*like)->numbersOf(project_).epoch, source->numbersOf(project_).epoch);
  EXPECT_EQ((*like)->numbersOf(project_).lastPosition, 120U);
  const std::vector<std::string> changes = changesIn(*source, project_);
  EXPECT_EQ(changes.size(), 120U);
  EXPECT_EQ(changesIn(**like, project_), changes);
  EXPECT_EQ(countIn(**like, things_.number), 0U);
  const std::vector<CollectionInfo> collections = (*like)->collections(project_);
  const auto found = std::ranges::find(collections, things_.number, &CollectionInfo::number);
  ASSERT_TRUE(found != collections.end() && found->indexes.size() == 1);
  EXPECT_EQ(found->version, things_.version);
  EXPECT_TRUE(found->indexes.front().ready);
}

TEST_F(Backup, ASourceThatCannotBeReadCreatesNothingThatOpens) {
  put(things_, 0, 10);
  const auto source = image("source");
  ASSERT_TRUE(source);
  NullProgress progress;
  progress.stop();
  EXPECT_FALSE(EmbeddedStore::createLike(*source, opened_.path() / "like", progress));
  EXPECT_FALSE(StoreImage::open(opened_.path() / "like" / "store"));
}

}  // namespace
}  // namespace mb::store::embedded
