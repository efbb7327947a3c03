#include "app/backup_manifest.h"

#include <gtest/gtest.h>

#include <fstream>

namespace mb::app {
namespace {

namespace fs = std::filesystem;

class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest() {
    initCrypto();
    std::string pattern = (fs::temp_directory_path() / "manybase-manifest-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    fs::create_directory(directory_ / "store");
    put("store/1.sst", "some bytes");
    put("secret", "");
    manifest_.kind = kWhole;
    manifest_.serverVersion = "1.2.3";
    manifest_.createdAt = {1'700'000'000'000};
    for (const auto* path : {"store/1.sst", "secret"}) {
      const Sum sum = *sumOf(directory_ / path, [](uint64_t) { return true; });
      manifest_.files.push_back({path, static_cast<int64_t>(sum.bytes), sum.sha256});
    }
  }
  ~ManifestTest() override { fs::remove_all(directory_); }
  void put(const std::string& path, std::string_view text) { std::ofstream(directory_ / path) << text; }
  std::string messageOf(const auto& result) { return result ? "" : result.error().message(); }

  fs::path directory_;
  Manifest manifest_;
  NullProgress progress_;
};

TEST_F(ManifestTest, ComesAsItWent) {
  ASSERT_TRUE(writeManifest(directory_, manifest_));
  const auto read = readManifest(directory_);
  ASSERT_TRUE(read) << messageOf(read);
  EXPECT_EQ(doc::encode(*read), doc::encode(manifest_));
  EXPECT_EQ(read->bytes(), 10U);
  EXPECT_TRUE(verifyFiles(directory_, *read, progress_));
}

TEST_F(ManifestTest, EveryDamageOfAFileIsSeen) {
  ASSERT_TRUE(writeManifest(directory_, manifest_));
  for (const auto* text : {"some byteS", "some bytes ", "some byte", ""}) {
    put("store/1.sst", text);
    EXPECT_EQ(messageOf(verifyFiles(directory_, manifest_, progress_)), "the backup is corrupt: store/1.sst") << text;
  }
  fs::remove(directory_ / "store/1.sst");
  EXPECT_FALSE(verifyFiles(directory_, manifest_, progress_));
}

TEST_F(ManifestTest, EveryDamageOfTheManifestIsSeen) {
  ASSERT_TRUE(writeManifest(directory_, manifest_));
  const std::string text = *readWhole(directory_ / kManifestFile, 1 << 20);
  for (size_t at = 0; at < text.size(); at += 7) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    put(std::string(kManifestFile), other);
    EXPECT_EQ(messageOf(readManifest(directory_)), "the backup is corrupt: manifest.json") << at;
  }
  put(std::string(kManifestFile), text);
  ASSERT_TRUE(readManifest(directory_));
  put(std::string(kSumsFile), "");
  EXPECT_FALSE(readManifest(directory_));
  fs::remove(directory_ / kManifestFile);
  EXPECT_NE(messageOf(readManifest(directory_)).find("is not a backup"), std::string::npos);
  EXPECT_NE(messageOf(readManifest(directory_ / "none")).find("there is no backup"), std::string::npos);
}

TEST_F(ManifestTest, RefusesWhatItMustNotFollow) {
  const auto refuses = [&](const std::function<void(Manifest&)>& change) {
    Manifest other = manifest_;
    change(other);
    EXPECT_TRUE(writeManifest(directory_, other));
    return messageOf(readManifest(directory_));
  };
  EXPECT_NE(refuses([](Manifest& m) { m.format = kBackupFormat + 1; }).find("newer version"), std::string::npos);
  for (const auto* path : {"../store/1.sst", "/etc/passwd", "store/../../x", "", "store/./x", "store//x"}) {
    EXPECT_NE(refuses([&](Manifest& m) { m.files[0].path = path; }), "") << path;
  }
  EXPECT_NE(refuses([](Manifest& m) { m.files[1].path = m.files[0].path; }), "");
  EXPECT_NE(refuses([](Manifest& m) { m.files[0].bytes = -1; }), "");
  EXPECT_NE(refuses([](Manifest& m) { m.kind = "half"; }), "");
  EXPECT_NE(refuses([](Manifest& m) { m.kind = kOneProject; }), "");
  EXPECT_EQ(refuses([](Manifest&) {}), "");
}

}  // namespace
}  // namespace mb::app
