#include "storage/local_store.h"

#include <gmock/gmock.h>

#include "storage/storage_fixture.h"
#include "store/testing/running.h"

namespace mb::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LocalStoreTest : public ::testing::Test {
 protected:
  LocalStoreTest() {
    initCrypto();
    cores_.start();
    reopen();
  }
  ~LocalStoreTest() override {
    store_->stop();
    cores_.stop();
    cores_.join();
  }
  void reopen() {
    if (store_) store_->stop();
    auto opened = LocalStore::open(folder_.path());
    EXPECT_TRUE(opened);
    store_ = *std::move(opened);
  }
  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }

  TemporaryFolder folder_;
  Cores cores_{1};
  std::unique_ptr<LocalStore> store_;
};

TEST_F(LocalStoreTest, ABlobIsThereOnceItIsFinished) {
  const BlobName name = newBlobName(7);
  EXPECT_EQ(projectOf(name), 7u);
  auto writer = store_->create(name);
  EXPECT_TRUE(run(writer->write(std::string(300'000, 'a'))));
  EXPECT_FALSE(run(store_->open(name)));
  EXPECT_TRUE(run(writer->write("b")));
  const auto sum = run(writer->finish());
  ASSERT_TRUE(sum);
  EXPECT_EQ(*sum, toHex(sha256(std::string(300'000, 'a') + "b")));
  const auto file = run(store_->open(name));
  ASSERT_TRUE(file);
  EXPECT_EQ(textOf(*file), std::string(300'000, 'a') + "b");
  EXPECT_THAT(folder_.files(), ElementsAre(name));
}

TEST_F(LocalStoreTest, WhatDoesNotFinishLeavesNothing) {
  auto writer = store_->create(newBlobName(1));
  EXPECT_TRUE(run(writer->write(std::string(300'000, 'a'))));
  EXPECT_THAT(folder_.files(), ::testing::SizeIs(1));
  writer.reset();
  store_->stop();
  EXPECT_THAT(folder_.files(), IsEmpty());
}

TEST_F(LocalStoreTest, WhatAKilledProcessLeftGoesAtTheStart) {
  std::ofstream(folder_.path() / "incoming" / newBlobName(1)) << "half";
  reopen();
  EXPECT_THAT(folder_.files(), IsEmpty());
}

TEST_F(LocalStoreTest, ARemovedBlobIsGoneForThoseWhoComeLater) {
  const BlobName name = newBlobName(1);
  auto writer = store_->create(name);
  EXPECT_TRUE(run(writer->write("text")));
  ASSERT_TRUE(run(writer->finish()));
  const auto before = run(store_->open(name));
  EXPECT_TRUE(run(store_->remove({name, newBlobName(1)})));
  EXPECT_FALSE(run(store_->open(name)));
  EXPECT_EQ(textOf(*before), "text");
}

TEST_F(LocalStoreTest, ListsAllOfThem) {
  std::set<std::string> made;
  for (int i = 0; i < 50; ++i) {
    const BlobName name = newBlobName(1);
    auto writer = store_->create(name);
    EXPECT_TRUE(run(writer->write("12345")));
    ASSERT_TRUE(run(writer->finish()));
    made.insert(name);
  }
  std::set<std::string> found;
  std::string from;
  do {
    const auto page = run(store_->list(from));
    ASSERT_TRUE(page);
    for (const BlobInfo& blob : page->blobs) {
      EXPECT_EQ(blob.size, 5u);
      found.insert(blob.name);
    }
    from = page->next;
  } while (!from.empty());
  EXPECT_EQ(found, made);
}

TEST(BlobName, IsNothingElse) {
  initCrypto();
  const BlobName name = newBlobName(12);
  EXPECT_EQ(name.size(), 3u + 32u);
  for (const std::string& bad : {std::string(), std::string("12"), "x" + name, name + "0", "0" + name,
                                 name.substr(0, 34), "../" + name, name.substr(2), std::string("-") + name.substr(3)}) {
    EXPECT_FALSE(projectOf(bad)) << bad;
  }
}

}  // namespace
}  // namespace mb::storage
