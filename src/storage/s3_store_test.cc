#include "storage/s3_store.h"

#include <gmock/gmock.h>

#include <deque>

#include "base/sha256.h"
#include "store/testing/running.h"

namespace mb::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

StorageSettings::S3 settings() {
  StorageSettings::S3 s3;
  s3.endpoint = "http://127.0.0.1:9000/base";
  s3.bucket = "files";
  s3.accessKey = "AKIAIOSFODNN7EXAMPLE";
  s3.secretKey = Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
  return s3;
}

// The examples of AWS's own documentation ("Signature Calculations for the Authorization Header").
TEST(S3Signature, ListIsAsDocumented) {
  initCrypto();
  const Timestamp at{1'369'353'600'000};  // 20130524T000000Z
  const std::string query = canonicalQuery({{"prefix", "J"}, {"max-keys", "2"}});
  EXPECT_EQ(query, "max-keys=2&prefix=J");
  const auto headers =
      signedHeaders(settings(), {"GET", "examplebucket.s3.amazonaws.com", "/", query, toHex(sha256(""))}, at);
  ASSERT_EQ(headers.size(), 3u);
  EXPECT_EQ(headers[0].second, "20130524T000000Z");
  EXPECT_THAT(headers[2].second,
              HasSubstr("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(S3Signature, QueriesAreEncodedAndSorted) {
  EXPECT_EQ(canonicalQuery({{"uploads", ""}}), "uploads=");
  EXPECT_EQ(canonicalQuery({{"b", "x y/z"}, {"a", "=&"}}), "a=%3D%26&b=x%20y%2Fz");
}

// Returns the scripted responses in order; then 200 with an empty body.
class Scripted final : public outbound::Outbound {
 public:
  Task<outbound::Response> send(outbound::Request request) override {
    seen.push_back(fmt::format("{} {}", request.method, request.url));
    requests.push_back(std::move(request));
    outbound::Response answer{200, {}, "", ""};
    if (!answers.empty()) {
      answer = std::move(answers.front());
      answers.pop_front();
    }
    if (answer.status == 0) co_return fail(ErrorCode::upstreamFailed, "request failed");
    if (answer.status == 1) co_return fail(ErrorCode::upstreamTimeout, "request timed out");
    co_return answer;
  }
  Task<> mail(outbound::MailMessage) override { co_return fail(ErrorCode::upstreamFailed, "request failed"); }

  std::deque<outbound::Response> answers;
  std::vector<std::string> seen;
  std::vector<outbound::Request> requests;
};

class S3StoreTest : public ::testing::Test {
 protected:
  S3StoreTest() {
    initCrypto();
    cores_.start();
  }
  ~S3StoreTest() override {
    cores_.stop();
    cores_.join();
  }
  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }

  static constexpr std::string_view kKey = "http://127.0.0.1:9000/base/files/blobs/1-a";
  ManualClock clock_{1'800'000'000'000};
  Cores cores_{1};
  Scripted outbound_;
  S3Store store_{settings(), outbound_, clock_};
};

TEST_F(S3StoreTest, ASmallFileIsOneRequest) {
  auto writer = store_.create("1-a");
  EXPECT_TRUE(run(writer->write("he")));
  EXPECT_TRUE(run(writer->write("llo")));
  EXPECT_EQ(run(writer->finish()).value_or(""), toHex(sha256("hello")));
  EXPECT_THAT(outbound_.seen, ElementsAre(fmt::format("PUT {}", kKey)));
  EXPECT_EQ(outbound_.requests[0].body, "hello");
  EXPECT_EQ(outbound_.requests[0].trust, outbound::Trust::deployment);
}

TEST_F(S3StoreTest, ALargeFileGoesInParts) {
  outbound_.answers = {{200, {}, "<R><UploadId>u&1</UploadId></R>", ""},
                       {200, {{"etag", "\"e1\""}}, "", ""},
                       {200, {{"etag", "\"e2\""}}, "", ""},
                       {200, {}, "<CompleteMultipartUploadResult/>", ""}};
  auto writer = store_.create("1-a");
  const std::string piece(1 << 20, 'x');
  Sha256 sum;
  for (int i = 0; i < 9; ++i) {
    EXPECT_TRUE(run(writer->write(piece)));
    sum.add(piece);
  }
  EXPECT_EQ(run(writer->finish()).value_or(""), sum.finish());
  EXPECT_THAT(outbound_.seen, ElementsAre(fmt::format("POST {}?uploads=", kKey),
                                          fmt::format("PUT {}?partNumber=1&uploadId=u%261", kKey),
                                          fmt::format("PUT {}?partNumber=2&uploadId=u%261", kKey),
                                          fmt::format("POST {}?uploadId=u%261", kKey)));
  EXPECT_EQ(outbound_.requests[1].body.size(), size_t{5} << 20);
  EXPECT_THAT(outbound_.requests[3].body, HasSubstr("<Part><PartNumber>2</PartNumber><ETag>\"e2\"</ETag></Part>"));
}

TEST_F(S3StoreTest, WhatCannotBeFinishedIsAbandoned) {
  outbound_.answers = {{200, {}, "<UploadId>u</UploadId>", ""}, {403, {}, "<Error/>", ""}};
  auto writer = store_.create("1-a");
  const auto refused = run(writer->write(std::string(8 << 20, 'x')));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_TRUE(run(writer->abandon()));
  EXPECT_EQ(outbound_.seen.back(), fmt::format("DELETE {}?uploadId=u", kKey));
}

TEST_F(S3StoreTest, ASuccessThatSaysErrorIsNone) {
  outbound_.answers = {{200, {}, "<UploadId>u</UploadId>", ""},
                       {200, {{"etag", "e"}}, "", ""},
                       {200, {}, "<Error><Code>InternalError</Code></Error>", ""}};
  auto writer = store_.create("1-a");
  EXPECT_TRUE(run(writer->write(std::string(8 << 20, 'x'))));
  EXPECT_FALSE(run(writer->finish()));
}

TEST_F(S3StoreTest, AStoreThatIsAwayIsTriedAgain) {
  outbound_.answers = {{503, {}, "", ""}, {0, {}, "", ""}, {200, {}, "", ""}};
  auto writer = store_.create("1-a");
  EXPECT_TRUE(run(writer->finish()));
  outbound_.answers = {{500, {}, "", ""}, {500, {}, "", ""}, {500, {}, "", ""}};
  EXPECT_FALSE(run(store_.create("1-a")->finish()));
  EXPECT_THAT(outbound_.answers, IsEmpty());
}

TEST_F(S3StoreTest, AStoreThatSaysNothingIsAskedOnce) {
  outbound_.answers = {{200, {}, "<UploadId>u</UploadId>", ""}, {1, {}, "", ""}, {1, {}, "", ""}};
  auto writer = store_.create("1-a");
  const auto silent = run(writer->write(std::string(8 << 20, 'x')));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code(), ErrorCode::unavailable);
  EXPECT_FALSE(run(writer->abandon()));
  ASSERT_EQ(outbound_.requests.size(), 3u);
  // The part without a response and the call that aborts the upload: the client waits for both.
  EXPECT_LT(outbound_.requests[1].timeout + outbound_.requests[2].timeout, std::chrono::seconds(30));
}

TEST_F(S3StoreTest, APartIsSignedByTheHashOfItsPieces) {
  outbound_.answers = {{200, {}, "<UploadId>u</UploadId>", ""}};
  auto writer = store_.create("1-a");
  for (const char* piece : {"a", "b", "c"}) EXPECT_TRUE(run(writer->write(std::string(3 << 20, *piece))));
  EXPECT_TRUE(run(writer->finish()));
  for (const outbound::Request& request : outbound_.requests) {
    const auto hash = std::ranges::find(request.headers, "x-amz-content-sha256", &outbound::Header::name);
    ASSERT_NE(hash, request.headers.end());
    EXPECT_EQ(hash->value, toHex(sha256(request.body)));
  }
}

TEST_F(S3StoreTest, ReadsInPieces) {
  outbound_.answers = {{206, {}, std::string(1 << 20, 'a'), ""}, {206, {}, "bcd", ""}};
  const auto source = store_.source("1-a", 5, (1 << 20) + 3);
  EXPECT_EQ(run(source->read())->size(), size_t{1} << 20);
  EXPECT_EQ(run(source->read()).value_or(""), "bcd");
  EXPECT_EQ(run(source->read()).value_or("x"), "");
  EXPECT_EQ(outbound_.requests[0].headers.back().value, "bytes=5-1048580");
  // A truncated response is an error.
  outbound_.answers = {{206, {}, "bc", ""}};
  EXPECT_FALSE(run(store_.source("1-a", 0, 3)->read()));
}

TEST_F(S3StoreTest, ListsPageByPage) {
  outbound_.answers = {{200,
                        {},
                        "<L><IsTruncated>true</IsTruncated><Contents><Key>blobs/1-a</Key><Size>12</Size></Contents>"
                        "<Contents><Key>blobs/1-b</Key><Size>3</Size></Contents></L>",
                        ""},
                       {200, {}, "<L><IsTruncated>false</IsTruncated></L>", ""}};
  const auto first = run(store_.list(""));
  ASSERT_TRUE(first);
  ASSERT_EQ(first->blobs.size(), 2u);
  EXPECT_EQ(first->blobs[0].name, "1-a");
  EXPECT_EQ(first->blobs[0].size, 12u);
  EXPECT_EQ(first->next, "1-b");
  const auto second = run(store_.list(first->next));
  EXPECT_TRUE(second && second->blobs.empty() && second->next.empty());
  EXPECT_THAT(outbound_.seen.back(), HasSubstr("start-after=blobs%2F1-b"));
  EXPECT_THAT(outbound_.seen.front(), Not(HasSubstr("start-after")));
}

TEST_F(S3StoreTest, RemovingWhatIsGoneIsWell) {
  outbound_.answers = {{204, {}, "", ""}, {404, {}, "", ""}};
  EXPECT_TRUE(run(store_.remove({"1-a", "1-b"})));
  outbound_.answers = {{403, {}, "", ""}};
  EXPECT_FALSE(run(store_.remove({"1-a"})));
}

}  // namespace
}  // namespace mb::storage
