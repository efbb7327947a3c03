// Documents with hidden fields larger than the limit of a result: no status depends on their size.
#include "data/data_fixture.h"
#include "data/search_documents.h"
#include "data/visible_documents.h"

namespace mb::data {
namespace {

class HiddenSizesTest : public DataTest {
 protected:
  static constexpr int kCount = 20;

  // Twenty documents of `bytes` each in a field that is denied, and one document that refers to them all.
  void store(size_t bytes, std::string_view filter = "{}") {
    collection("giants",
               R"({"read":{"deniedReadFields":["secret"],"filter":)" + std::string(filter) +
                   R"(},"list":{},"create":{},"update":{}})",
               R"({"type":"object","properties":{"to":{"type":"array","items":{"type":"string","x-ref":"giants"}}}})");
    std::string all;
    for (int i = 0; i < kCount; ++i) {
      ids_.push_back(fmt::format("g{:02}", i));
      all += fmt::format("{}\"{}\"", i == 0 ? "" : ",", ids_.back());
      put("giants", fmt::format(R"({{"id":"{}","n":{},"secret":"{}"}})", ids_.back(), i, std::string(bytes, 'x')));
    }
    put("giants", fmt::format(R"({{"id":"hub","to":[{}],"secret":"x"}})", all));
  }
  Result<std::vector<std::string>> listed(std::vector<std::string> expand = {}) {
    ReadQuery query;
    query.expand = std::move(expand);
    return list(alice_, "giants", std::move(query));
  }
  Result<std::vector<std::optional<doc::Document>>> among(const policy::Caller& caller) {
    SearchDocuments documents(store_, data_->grants());
    const Access access = as(caller);
    int64_t work = kMatchWork;
    return run(documents.among(access, "giants", {}, ids_, work));
  }

  std::vector<std::string> ids_;
};

constexpr size_t kMegabyte = 1'000'000;

TEST_F(HiddenSizesTest, ListsCountWhatTheyShow) {
  store(kMegabyte);
  const auto found = listed();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->size(), kCount + 1u);
  for (const std::string& each : *found) EXPECT_EQ(each.find("secret"), std::string::npos);
  const Access access = asAdmin();
  expectError(ErrorCode::payloadTooLarge, run(data_->documents().list(access, "giants", {})));
}

TEST_F(HiddenSizesTest, ExpandingCountsWhatItShows) {
  store(kMegabyte);
  const auto found = listed({"to"});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_NE(found->back().find(R"("to":[{"id":"g00","n":0)"), std::string::npos);
  ReadQuery query;
  query.expand = {"to"};
  const auto one = get(alice_, "giants", "hub", query);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->find("secret"), std::string::npos);
  const Access access = as(alice_);
  const auto many = run(data_->documents().byIds(access, "giants", ids_));
  ASSERT_TRUE(many);
  for (const auto& each : *many) EXPECT_FALSE(each->view().find("secret"));
}

TEST_F(HiddenSizesTest, SearchCountsWhatItShows) {
  store(kMegabyte);
  const auto found = among(alice_);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->size(), ids_.size());
  for (size_t i = 0; i < ids_.size(); ++i) {
    ASSERT_TRUE((*found)[i]);
    EXPECT_EQ((*found)[i]->view().stringOr("id"), ids_[i]);
    EXPECT_FALSE((*found)[i]->view().find("secret"));
  }
}

// A rule's filter may read hidden fields, and documents that it hides count in no limit.
TEST_F(HiddenSizesTest, FiltersSeeWhatIsHidden) {
  store(kMegabyte, R"({"secret":{"$regex":"^x$"}})");
  const auto found = among(alice_);
  ASSERT_TRUE(found) << found.error().message();
  for (const auto& each : *found) EXPECT_FALSE(each);
  ReadQuery query;
  query.expand = {"to"};
  const auto one = get(alice_, "giants", "hub", query);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_NE(one->find(R"("to":["g00","g01")"), std::string::npos);
}

TEST_F(HiddenSizesTest, VisibleBytesStillCount) {
  collection("giants", R"({"read":{"deniedReadFields":["secret"]},"list":{}})");
  for (int i = 0; i < kCount; ++i) {
    ids_.push_back(fmt::format("g{:02}", i));
    put("giants", fmt::format(R"({{"id":"{}","open":"{}","secret":1}})", ids_.back(), std::string(kMegabyte, 'x')));
  }
  expectError(ErrorCode::payloadTooLarge, listed());
  expectError(ErrorCode::payloadTooLarge, among(alice_));
}

}  // namespace
}  // namespace mb::data
