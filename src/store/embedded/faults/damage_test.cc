// Corrupt files: the start refuses them with a message that names the file, or the check finds them; they are never
// taken for the end of the data.
#include <gmock/gmock.h>

#include <fstream>

#include "document/json.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

namespace fs = std::filesystem;
using testing::runOn;

constexpr int kDocuments = 200;

EmbeddedSettings settings() {
  EmbeddedSettings result;
  result.minFreeDiskBytes = 0;
  return result;
}

std::string contentOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void setContent(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}
void flipByte(const fs::path& file, size_t at) {
  std::string content = contentOf(file);
  content.at(at) = static_cast<char>(content.at(at) ^ 0x5A);
  setContent(file, content);
}

class CorruptionTest : public ::testing::Test {
 protected:
  CorruptionTest() { cores_.start(); }
  ~CorruptionTest() override {
    cores_.stop();
    cores_.join();
  }

  Result<std::unique_ptr<EmbeddedStore>> open(const fs::path& directory) {
    return EmbeddedStore::open(directory, settings(), cores_, {}, clock_);
  }
  // Sets `image_` to the directory after a kill: documents in tables (of a first run) and in the log.
  void makeImage() {
    const fs::path live = folder_.path() / "live";
    for (int run = 0; run < 2; ++run) {
      auto store = open(live).value();
      if (run == 0) runOn(cores_, 0, store->createCollection(kControlProject, "posts", {}, {})).value();
      const CollectionInfo info = runOn(cores_, 0, store->collections(kControlProject)).value().front();
      for (int i = 0; i < kDocuments; ++i) {
        const std::string id = fmt::format("{}-{:04}", run, i);
        runOn(cores_, 0, put(*store, {kControlProject, info.number, info.version}, id)).value();
      }
      if (run == 1) fs::copy(live, image_, fs::copy_options::recursive);
    }
  }
  Task<WriteOutcome> put(EmbeddedStore& store, CollectionRef collection, const std::string& id) {
    const std::string text = fmt::format(R"({{"id":"{}","t":"{}"}})", id, std::string(400, 'x'));
    return testing::put(store, collection, id, doc::parseJson(text).value());
  }
  std::vector<fs::path> files(const std::string& start, const std::string& kind) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(image_ / "store")) {
      const std::string name = entry.path().filename();
      if (name.starts_with(start) && name.ends_with(kind) && fs::file_size(entry.path()) > 0) found.push_back(entry);
    }
    return found;
  }
  // Opens the image and returns the error message; empty if it opened, with the documents and problems that were found.
  std::string refusal(size_t* documents = nullptr, std::vector<std::string>* problems = nullptr) {
    auto opened = open(image_);
    if (!opened) return opened.error().message();
    const CollectionInfo info = runOn(cores_, 0, (*opened)->collections(kControlProject)).value().front();
    const CollectionRef posts{kControlProject, info.number, info.version};
    if (documents) *documents = runOn(cores_, 0, (*opened)->stats(posts)).value().documents;
    if (problems) *problems = (*opened)->check().problems;
    return {};
  }

  const TemporaryFolder folder_;
  const fs::path image_ = folder_.path() / "image";
  const SystemClock clock_;
  Cores cores_{1};
};

MATCHER_P(names, file, "") {
  return arg.find(file.filename().string()) != std::string::npos;
}

}  // namespace

TEST_F(CorruptionTest, AnIntactImageOpens) {
  makeImage();
  size_t documents = 0;
  std::vector<std::string> problems;
  EXPECT_EQ(refusal(&documents, &problems), "");
  EXPECT_EQ(documents, 2u * kDocuments);
  EXPECT_EQ(problems, std::vector<std::string>());
}

TEST_F(CorruptionTest, ALogThatIsBrokenBeforeItsEndIsRefused) {
  makeImage();
  const auto logs = files("", ".log");
  ASSERT_FALSE(logs.empty());
  const fs::path& log = logs.back();
  const std::string whole = contentOf(log);
  // In a record's bytes, in its size, and in the next block.
  for (const size_t at : {whole.size() / 2, size_t{4}, size_t{40'000}}) {
    flipByte(log, at);
    EXPECT_THAT(refusal(), names(log)) << at;
    setContent(log, whole);
  }
}

TEST_F(CorruptionTest, ALogThatIsTornAtItsEndIsTakenUpToThere) {
  makeImage();
  const fs::path log = files("", ".log").back();
  const std::string whole = contentOf(log);
  for (const auto& torn :
       {whole.substr(0, whole.size() - 10), whole.substr(0, whole.size() - 100) + std::string(100, '\0'),
        whole + std::string(5000, '\0')}) {
    const fs::path before = folder_.path() / "before";
    fs::copy(image_, before, fs::copy_options::recursive);
    setContent(log, torn);
    size_t documents = 0;
    std::vector<std::string> problems;
    EXPECT_EQ(refusal(&documents, &problems), "");
    EXPECT_GE(documents, 2u * kDocuments - 1);
    EXPECT_EQ(problems, std::vector<std::string>());
    fs::remove_all(image_);
    fs::rename(before, image_);
  }
}

TEST_F(CorruptionTest, OtherCorruptFilesAreNamed) {
  makeImage();
  const fs::path manifest = files("MANIFEST", "").back();
  const fs::path table = files("", ".sst").front();
  const fs::path current = image_ / "store" / "CURRENT";
  struct Case {
    fs::path file;
    std::function<void(const fs::path&)> corrupt;
  };
  const std::vector<Case> cases = {
      {manifest, [](const fs::path& file) { flipByte(file, 20); }},
      {manifest, [](const fs::path& file) { fs::remove(file); }},
      {current, [](const fs::path& file) { fs::remove(file); }},
      {current, [](const fs::path& file) { setContent(file, "MANIFEST-99"); }},
      {table, [](const fs::path& file) { fs::remove(file); }},
      {table, [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }},
      {table, [](const fs::path& file) { flipByte(file, fs::file_size(file) - 3); }},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    const fs::path before = folder_.path() / "before";
    fs::copy(image_, before, fs::copy_options::recursive);
    cases[i].corrupt(cases[i].file);
    const std::string message = refusal();
    EXPECT_THAT(message, names(cases[i].file)) << "case " << i;
    fs::remove_all(image_);
    fs::rename(before, image_);
  }
}

TEST_F(CorruptionTest, TheCheckFindsCorruptionInATable) {
  makeImage();
  std::vector<std::string> problems;
  for (const fs::path& table : files("", ".sst")) flipByte(table, 100);
  if (const std::string message = refusal(nullptr, &problems); message.empty()) EXPECT_FALSE(problems.empty());
}

}  // namespace mb::store::embedded
