#include "store/embedded/stored_document.h"

#include <set>

#include "document/json.h"
#include "store/embedded/backup.h"
#include "store/embedded/database.h"
#include "store/embedded/keys.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {
namespace {

std::string jsonText(const doc::Document& document) {
  std::string out;
  doc::writeJson(out, document);
  return out;
}

std::string versioned(const doc::Document& document, DocumentVersion version) {
  std::string value = document.bytes();
  appendU64(value, version);
  return value;
}

// The rows of a closed store, as another release may have written them.
class StoredDocumentTest : public ::testing::Test {
 protected:
  StoredDocumentTest() {
    const CollectionInfo made = opened_.must(opened_.store().createCollection(kControlProject, "posts", {}, {}));
    posts_ = {kControlProject, made.number, made.version};
  }
  void putRow(Family family, const std::string& key, const std::string& value) {
    auto database = Database::open(opened_.path() / "store", {}, [](ProjectNo) { return 0; }).value();
    rocksdb::WriteBatch batch;
    batch.Put(database->family(family), key, value);
    database->write(batch);
  }
  std::string row(Family family, const std::string& key) {
    auto database = Database::open(opened_.path() / "store", {}, [](ProjectNo) { return 0; }).value();
    rocksdb::PinnableSlice value;
    EXPECT_TRUE(database->get(Tier::disk, family, key, &value).ok());
    return value.ToString();
  }
  std::string keyOf(std::string_view id) const { return documentKey(kControlProject, posts_.number, id); }
  // Replaces the stored value of a document.
  void rewrite(std::string_view id, const std::string& value) {
    opened_.store().close();
    putRow(Family::documents, keyOf(id), value);
    opened_.reopen();
  }

  OpenedStore opened_;
  CollectionRef posts_;
};

TEST(StoredDocument, IsSplitByTheLengthOfItsBson) {
  const doc::Document document = *doc::parseJson(R"({"id":"a"})");
  EXPECT_EQ(splitStored(document.bytes()).bson, document.bytes());
  EXPECT_EQ(splitStored(document.bytes()).version, 0u);
  const std::string value = versioned(document, 0x0102030405060708);
  EXPECT_EQ(splitStored(value).bson, document.bytes());
  EXPECT_EQ(splitStored(value).version, 0x0102030405060708u);
  // The empty document is shorter than a length and a version together.
  const std::string empty = versioned(doc::Document(), 9);
  EXPECT_EQ(splitStored(empty).bson, doc::Document().bytes());
  EXPECT_EQ(splitStored(empty).version, 9u);
  EXPECT_EQ(splitStored(doc::Document().bytes()).bson, doc::Document().bytes());
  for (const std::string& corrupt :
       {std::string(), std::string("x"), std::string(40, '\xFF'), value + "x", value.substr(0, value.size() - 1)}) {
    EXPECT_EQ(splitStored(corrupt).bson, corrupt);
    EXPECT_EQ(splitStored(corrupt).version, 0u);
  }
}

TEST(StoredDocument, VersionsAreDistinct) {
  std::set<DocumentVersion> seen{0};
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(seen.insert(nextVersion()).second);
}

TEST_F(StoredDocumentTest, ADocumentOfAnEarlierReleaseHasNoVersionUntilItIsStored) {
  const doc::Document document = *doc::parseJson(R"({"id":"a","n":1})");
  opened_.must(testing::put(opened_.store(), posts_, "a", document));
  rewrite("a", document.bytes());
  for (int round = 0; round < 2; ++round) {
    const auto found = opened_.must(opened_.store().getVersioned(posts_, "a"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->version, 0u);
    EXPECT_EQ(jsonText(found->document), R"({"id":"a","n":1})");
  }
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
  opened_.must(testing::put(opened_.store(), posts_, "a", document));
  const DocumentVersion now = opened_.must(opened_.store().getVersioned(posts_, "a"))->version;
  EXPECT_NE(now, 0u);
  opened_.store().close();
  EXPECT_EQ(row(Family::documents, keyOf("a")), versioned(document, now));
  opened_.reopen();
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
}

TEST_F(StoredDocumentTest, TheCheckFindsWhatIsNeitherBsonNorVersion) {
  const doc::Document document = *doc::parseJson(R"({"id":"a","n":1})");
  opened_.must(testing::put(opened_.store(), posts_, "a", document));
  rewrite("a", versioned(document, 5) + "x");
  const std::vector<std::string> problems = opened_.store().check().problems;
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems.front().find("document a: corrupt"), std::string::npos) << problems.front();
}

TEST_F(StoredDocumentTest, AnImageHoldsDocumentsWithoutVersions) {
  opened_.must(testing::put(opened_.store(), posts_, "a", *doc::parseJson(R"({"id":"a","n":1})")));
  ASSERT_TRUE(opened_.store().checkpoint(opened_.path() / "copy"));
  const auto image = StoreImage::open(opened_.path() / "copy").value();
  EXPECT_EQ(jsonText(**image->get(kControlProject, posts_.number, "a")), R"({"id":"a","n":1})");
  int seen = 0;
  EXPECT_TRUE(image->each(kControlProject, posts_.number, [&](doc::DocumentView document) -> Result<> {
    EXPECT_EQ(jsonText(doc::Document(document)), R"({"id":"a","n":1})");
    ++seen;
    return {};
  }));
  EXPECT_EQ(seen, 1);
}

TEST_F(StoredDocumentTest, ADirectoryIsRaisedToTheFormatWithVersions) {
  const std::string format = row::plain(row::kFormat);
  std::string first;
  appendU32(first, 1);
  opened_.store().close();
  EXPECT_EQ(readU32(row(Family::system, format).data()), kFormatVersion);
  putRow(Family::system, format, first);
  {
    const auto image = StoreImage::open(opened_.path() / "store");
    ASSERT_TRUE(image) << image.error().message();
  }
  EXPECT_EQ(row(Family::system, format), first);  // reading changes nothing
  opened_.reopen();
  opened_.store().close();
  EXPECT_EQ(readU32(row(Family::system, format).data()), kFormatVersion);
  opened_.reopen();
}

}  // namespace
}  // namespace mb::store::embedded
