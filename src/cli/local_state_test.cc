#include "cli/local_state.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/bundle_folder.h"

namespace mb::cli {
namespace {

namespace fs = std::filesystem;
using configuration::Bundle;
using Kind = FileChange::Kind;

class Folder : public ::testing::Test {
 protected:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "manybase-cli-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~Folder() override { fs::remove_all(root_); }

  void put(const std::string& path, std::string_view text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::string at(const std::string& path) {
    std::ifstream in(root_ / path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path root_;
};

std::vector<std::pair<std::string, std::string>> shown(const std::vector<FileChange>& changes) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const FileChange& each : changes) out.emplace_back(each.path, nameOf(each.kind));
  return out;
}
using Shown = std::vector<std::pair<std::string, std::string>>;

TEST(PullRecord, TellsWhoChangedWhat) {
  const Bundle server = {{"collections/a.json", "1"}, {"collections/b.json", "2"}, {"meta.json", "m"}};
  const PullRecord record = recordOf("https://x.example", {"proj_1", "x"}, server, server);
  EXPECT_TRUE(changedHere(record, server).empty());
  EXPECT_TRUE(changedThere(record, server).empty());
  const Bundle now = {{"collections/a.json", "1!"}, {"collections/c.json", "3"}, {"meta.json", "m"}};
  const Shown expected = {
      {"collections/a.json", "modified"}, {"collections/b.json", "removed"}, {"collections/c.json", "new"}};
  EXPECT_EQ(shown(changedHere(record, now)), expected);
  EXPECT_EQ(shown(changedThere(record, now)), expected);
  EXPECT_TRUE(record.isOf("https://x.example", {"proj_1", ""}));
  EXPECT_FALSE(record.isOf("https://x.example", {"proj_2", "x"}));
  EXPECT_FALSE(record.isOf("https://y.example", {"proj_1", "x"}));
}

// After a push the folder may hold other text of equal meaning; files not deleted on the server remain a difference.
TEST(PullRecord, KnowsOtherWordsForTheSame) {
  const Bundle server = {
      {"collections/a.json", "{}\n"}, {"enduser-roles.json", "[]\n"}, {"meta.json", "m"}, {"roles.json", "[{}]\n"}};
  const Bundle folder = {{"collections/a.json", "{ }"}, {"meta.json", "m"}};
  const PullRecord record = recordOf("https://x.example", {"proj_1", "x"}, server, folder);
  EXPECT_EQ(shown(changedHere(record, folder)), (Shown{{"roles.json", "removed"}}));
  EXPECT_TRUE(changedThere(record, server).empty());
  EXPECT_TRUE(changedHere(record, server).empty());
}

TEST_F(Folder, RememberItsLinkAndItsFiles) {
  const LocalState state(root_ / "bundle");
  EXPECT_FALSE(*state.link());
  EXPECT_FALSE(*state.record());
  ASSERT_TRUE(state.keep(Link{"https://x.example", {"proj_1", "shop"}}));
  ASSERT_TRUE(state.keep(PullRecord{"https://x.example", "proj_1", {{"meta.json", "ab"}}, {{"meta.json", "cd"}}}));
  EXPECT_EQ((*state.link())->project, (ProjectRef{"proj_1", "shop"}));
  const PullRecord record = **state.record();
  EXPECT_EQ(record.files, (std::map<std::string, std::string>{{"meta.json", "ab"}}));
  EXPECT_EQ(record.written, (std::map<std::string, std::string>{{"meta.json", "cd"}}));
  EXPECT_EQ(at("bundle/.manybase/.gitignore"), "*\n");
  for (const char* text : {"", "{", "[]", "{\"url\": 1}", "{\"formatVersion\": 2}"}) {
    put("bundle/.manybase/link.json", text);
    put("bundle/.manybase/pull.json", text);
    EXPECT_FALSE(state.link()) << text;
    EXPECT_FALSE(state.record()) << text;
  }
}

TEST_F(Folder, ABundleIsReadAndItsForeignFilesAreNamed) {
  put("meta.json", "{}");
  put("collections/notes.json", "{\"name\": \"notes\"}");
  put("README.md", "hello");
  put(".git/config", "x");
  put(".manybase/pull.json", "x");
  const auto contents = BundleFolder(root_).read();
  ASSERT_TRUE(contents) << contents.error().message();
  EXPECT_EQ(contents->bundle, (Bundle{{"collections/notes.json", "{\"name\": \"notes\"}"}, {"meta.json", "{}"}}));
  EXPECT_EQ(contents->foreign, (std::vector<std::string>{"README.md"}));
}

TEST_F(Folder, LinksAndFoldersInABundleAreRefusedAllAtOnce) {
  put("meta.json", "{}");
  put("elsewhere.txt", "secret");
  fs::create_directories(root_ / "collections" / "deeper");
  fs::create_symlink("../elsewhere.txt", root_ / "collections" / "notes.json");
  fs::create_directory_symlink("/etc", root_ / "webhooks");
  const auto contents = BundleFolder(root_).read();
  ASSERT_FALSE(contents);
  std::vector<std::string> paths;
  for (const ErrorDetail& each : contents.error().details()) paths.push_back(each.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"collections/deeper", "collections/notes.json", "webhooks"}));
}

TEST_F(Folder, WhatIsNoBundleIsSaid) {
  put("README.md", "hello");
  const auto contents = BundleFolder(root_).read();
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().code(), ErrorCode::notFound);
  EXPECT_FALSE(BundleFolder(root_ / "missing").there());
}

TEST_F(Folder, IsMadeWhatTheServerHas) {
  const BundleFolder folder(root_ / "manybase");
  const Bundle first = {{"collections/a.json", "1"}, {"meta.json", "m"}, {"roles.json", "[]"}};
  ASSERT_TRUE(folder.write({}, first));
  put("manybase/collections/mine.txt", "stays");
  const Bundle second = {{"collections/b.json", "2"}, {"meta.json", "m"}};
  const auto written = folder.write(first, second);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->written, (std::vector<std::string>{"collections/b.json"}));
  EXPECT_EQ(written->removed, (std::vector<std::string>{"collections/a.json", "roles.json"}));
  EXPECT_EQ(at("manybase/collections/b.json"), "2");
  EXPECT_EQ(at("manybase/collections/mine.txt"), "stays");
  EXPECT_FALSE(fs::exists(root_ / "manybase/roles.json"));
}

TEST_F(Folder, NothingIsWrittenOutsideOfIt) {
  const BundleFolder folder(root_ / "manybase");
  for (const char* path : {"../x.json", "/elsewhere/x.json", "a/../../x.json", "a/b/c.json", ".git/config",
                           "collections/.x", "", "a/", "a\\b.json"}) {
    EXPECT_FALSE(folder.write({}, {{path, "x"}})) << path;
  }
  EXPECT_FALSE(fs::exists(root_ / "x.json"));
  // A symbolic link that was committed to the repository.
  fs::create_directories(root_ / "outside");
  fs::create_directory_symlink(root_ / "outside", root_ / "manybase" / "collections");
  EXPECT_FALSE(folder.write({}, {{"collections/a.json", "x"}}));
  EXPECT_TRUE(fs::is_empty(root_ / "outside"));
  put("kept.json", "kept");
  fs::create_symlink("../kept.json", root_ / "manybase" / "roles.json");
  ASSERT_TRUE(folder.write({}, {{"roles.json", "[]"}}));
  EXPECT_EQ(at("kept.json"), "kept");
  EXPECT_EQ(at("manybase/roles.json"), "[]");
}

}  // namespace
}  // namespace mb::cli
