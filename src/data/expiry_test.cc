#include "data/expiry.h"

#include "data/data_fixture.h"

namespace mb::data {
namespace {

class ExpiryTest : public DataTest {
 protected:
  void index(std::string_view body) {
    expectOk(run(data_->collections().createIndex(managing(), "posts", *doc::decode<NewIndex>(json(body)))));
  }
  uint64_t left() {
    const Access access = asAdmin();
    return *run(data_->documents().count(access, "posts", {}));
  }
};

TEST_F(ExpiryTest, RemovesWhatIsOlder) {
  collection("posts");
  index(R"({"keys":{"createdAt":1},"expireAfterSeconds":60})");
  put("posts", R"({"id":"old"})");
  clock_.advance(50'000);
  put("posts", R"({"id":"new"})");
  EXPECT_EQ(0u, *run(data_->expiry().pass()));
  clock_.advance(11'000);
  EXPECT_EQ(1u, *run(data_->expiry().pass()));
  EXPECT_EQ(1u, left());
  EXPECT_EQ("new", stored("posts", "new").view().stringOr("id"));
  clock_.advance(50'000);
  EXPECT_EQ(1u, *run(data_->expiry().pass()));
}

TEST_F(ExpiryTest, OnlyDatesExpireAndOnlyWhatTheIndexCovers) {
  collection("posts");
  index(R"({"keys":{"at":1},"expireAfterSeconds":0,"partialFilter":{"done":true}})");
  put("posts", R"({"id":"a","at":{"$date":"2001-01-01T00:00:00Z"},"done":true})");
  put("posts", R"({"id":"b","at":{"$date":"2001-01-01T00:00:00Z"}})");
  put("posts", R"({"id":"c","at":"2001-01-01T00:00:00Z","done":true})");
  put("posts", R"({"id":"d","at":5,"done":true})");
  put("posts", R"({"id":"e","done":true})");
  EXPECT_EQ(1u, *run(data_->expiry().pass()));
  EXPECT_EQ(4u, left());
}

TEST_F(ExpiryTest, GoesOnPastOneCommit) {
  collection("posts");
  index(R"({"keys":{"createdAt":1},"expireAfterSeconds":1})");
  for (int i = 0; i < 250; ++i) put("posts", "{}");
  clock_.advance(5'000);
  EXPECT_EQ(250u, *run(data_->expiry().pass()));
  EXPECT_EQ(0u, left());
}

// More bytes than a query result may hold, or a commit should.
TEST_F(ExpiryTest, RemovesLargeDocuments) {
  collection("posts");
  index(R"({"keys":{"createdAt":1},"expireAfterSeconds":1})");
  const std::string text(900 << 10, 'x');
  for (int i = 0; i < 30; ++i) put("posts", R"({"text":")" + text + "\"}");
  clock_.advance(5'000);
  EXPECT_EQ(30u, *run(data_->expiry().pass()));
  EXPECT_EQ(0u, left());
}

}  // namespace
}  // namespace mb::data
