// Embedding jobs at the plan's limit of vectors.
#include <filesystem>

#include "base/crypto.h"
#include "base/log.h"
#include "data/data_fixture.h"
#include "vectors/vectors.h"

namespace mb::vectors {
namespace {

constexpr std::string_view kEndpoint = "https://example.com/embed";

// An embeddings endpoint that counts the texts which it is sent.
class CountingEndpoint final : public outbound::Outbound {
 public:
  Task<outbound::Response> send(outbound::Request request) override {
    const doc::Document body = data::json(request.body);
    std::string text = R"({"data":[)";
    for ([[maybe_unused]] const doc::Element& each : body.view().find("input")->asDocument()) {
      text += text.ends_with('[') ? R"({"embedding":[1,2]})" : R"(,{"embedding":[1,2]})";
      ++texts_;
    }
    if (const auto once = std::exchange(duringCall, {})) CO_RETURN_IF_ERROR(co_await once());
    co_return outbound::Response{200, {}, text + "]}", ""};
  }
  Task<> mail(outbound::MailMessage) override { co_return fail(ErrorCode::upstreamFailed, "request failed"); }
  int texts() const { return texts_; }

  std::function<Task<>()> duringCall;  // of the next call; set before there are jobs

 private:
  std::atomic<int> texts_{0};
};

std::vector<store::SystemCollection> otherCollections() {
  std::vector<store::SystemCollection> all = systemCollections();
  for (store::SystemCollection& each : events::systemCollections()) all.push_back(std::move(each));
  return all;
}

VectorSettings endpointSettings() {
  VectorSettings made;
  made.embeddingsUrl = kEndpoint;
  made.embeddingsModel = "m";
  return made;
}

bool until(const std::function<bool()>& condition) {
  for (int i = 0; i < 20'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class EmbeddingLimitTest : public data::DataTest {
 protected:
  EmbeddingLimitTest() : DataTest(otherCollections()) {
    initCrypto();
    configureLog(LogLevel::off, LogFormat::text);
    std::string name = std::filesystem::temp_directory_path() / "embeddings-XXXXXX";
    files_ = ::mkdtemp(name.data());
    vectors_.emplace(VectorDeps{store_, store_.feed(), snapshots_, queue_, dispatcher_, endpoint_, *data_, cores_, ids_,
                                clock_, auditor_, [this] { return numbers(); }, files_, endpointSettings()});
    EXPECT_TRUE(run(dispatcher_.start()));
    queue_.start();
    vectors_->start();
    collection("posts");
  }
  ~EmbeddingLimitTest() override {
    vectors_->drain();
    dispatcher_.stop(std::chrono::seconds(20));
    queue_.stop(std::chrono::seconds(20));
    vectors_->stop(std::chrono::seconds(20));
    cores_.stop();
    cores_.join();
    vectors_.reset();
    std::filesystem::remove_all(files_);
  }

  vectors::Access administrating() { return {owner_, snapshot()}; }
  void configure() {
    FieldConfig field{"meaning", 2, "cosine", SourceConfig{{"title"}, {}}, "auto", {}};
    expectOk(run(vectors_->set(administrating(), "posts", VectorConfig{{field}})));
  }
  void title(const std::string& id, std::string_view text) {
    const data::Access access = asAdmin();
    expectOk(run(data_->documents().update(access, "posts", id, data::json(fmt::format(R"({{"title":"{}"}})", text)))));
  }
  void removePost(const std::string& id) {
    const data::Access access = asAdmin();
    expectOk(run(data_->documents().remove(access, "posts", id)));
  }
  // Lets `time` pass, so that waiting jobs become due.
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time.count());
    queue_.wake();
  }
  IndexView index() {
    auto view = run(vectors_->view(snapshot(), "posts"));
    EXPECT_TRUE(view);
    return view->indexes.front();
  }
  size_t embeddingJobs() {
    size_t jobs = 0;
    for (const doc::Document& row : store_.all({store::kControlProject, jobs::kJobs, 0})) {
      if (row.view().stringOr("kind") == kEmbeddingKind) ++jobs;
    }
    return jobs;
  }
  // Waits until `documents` have their embedding and `jobs` jobs remain.
  bool settled(int64_t documents, size_t jobs) {
    return until([&] { return index().embedding->embedded == documents && embeddingJobs() == jobs; });
  }
  void posts(int first, int count) {
    for (int i = first; i < first + count; ++i) {
      put("posts", fmt::format(R"({{"id":"p{:02}","title":"text {}"}})", i, i));
    }
  }
  // Adds a vector that is not an embedding.
  Task<> addVector() {
    store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
    write.insert(store::Insert{data::vectorCountsOf(project_), *data::vectorCountRow("999/x", 1)});
    CO_RETURN_IF_ERROR(co_await store_.write(std::move(write), nullptr));
    co_return Result<>();
  }
  Task<std::vector<store::ProjectNo>> numbers() { co_return std::vector{project_}; }

  std::string files_;
  CountingEndpoint endpoint_;
  events::Dispatcher dispatcher_{{store_, store_.feed(), queue_, snapshots_, cores_}};
  std::optional<Vectors> vectors_;
};

TEST_F(EmbeddingLimitTest, EmbeddingsCountAndDeletedOnesCountNoLonger) {
  configure();
  posts(0, 5);
  put("posts", R"({"id":"none"})");
  ASSERT_TRUE(settled(5, 0));
  EXPECT_EQ(5, vectors());
  removePost("p00");
  title("p01", "");
  EXPECT_TRUE(until([&] { return vectors() == 3; }));
  expectOk(run(vectors_->clear(administrating(), "posts")));
  EXPECT_TRUE(until([&] { return vectors() == 0; }));
}

TEST_F(EmbeddingLimitTest, ADroppedCollectionCountsNoLonger) {
  configure();
  posts(0, 5);
  ASSERT_TRUE(settled(5, 0));
  expectOk(run(data_->collections().drop(managing(), "posts")));
  EXPECT_TRUE(until([&] { return vectors() == 0; }));
}

TEST_F(EmbeddingLimitTest, DocumentsWithoutSpaceWaitWithoutCallsOfTheEndpoint) {
  configure();
  ASSERT_TRUE(settled(0, 0));
  limitVectors(3);
  posts(0, 6);
  // One walk remains.
  ASSERT_TRUE(settled(3, 1));
  EXPECT_EQ(3, vectors());
  EXPECT_EQ(3, endpoint_.texts());
  EXPECT_EQ("plan limit: vectors: the plan Tiny allows 3 vectors, in use are 3", index().problem.value_or(""));
  for (int i = 0; i < 3; ++i) {
    pass(std::chrono::seconds(31));
    posts(6 + i, 1);
    ASSERT_TRUE(settled(3, 1));
  }
  EXPECT_EQ(3, endpoint_.texts());
  EXPECT_EQ(3, vectors());

  // A replaced text needs no space.
  title("p00", "another text");
  EXPECT_TRUE(until([&] { return endpoint_.texts() == 4; }));
  ASSERT_TRUE(settled(3, 1));

  limitVectors(5);
  pass(std::chrono::seconds(31));
  ASSERT_TRUE(settled(5, 1));
  EXPECT_EQ(5, vectors());
  EXPECT_EQ(6, endpoint_.texts());
  limitVectors(std::nullopt);
  EXPECT_FALSE(index().problem);
  pass(std::chrono::seconds(31));
  ASSERT_TRUE(settled(9, 0));
  EXPECT_EQ(9, vectors());
  EXPECT_EQ(10, endpoint_.texts());
}

TEST_F(EmbeddingLimitTest, AWalkStoresWhatFits) {
  posts(0, 80);
  limitVectors(50);
  configure();
  ASSERT_TRUE(settled(50, 1));
  EXPECT_EQ(50, vectors());
  EXPECT_EQ(50, endpoint_.texts());
  for (int i = 0; i < 10; ++i) removePost(fmt::format("p{:02}", i));
  ASSERT_TRUE(until([&] { return vectors() == 40; }));
  pass(std::chrono::seconds(31));
  ASSERT_TRUE(settled(50, 1));
  EXPECT_EQ(50, vectors());
  EXPECT_EQ(60, endpoint_.texts());
}

// Another write may take the space between the check and the commit.
TEST_F(EmbeddingLimitTest, WhatStillFitsIsStored) {
  posts(0, 5);
  limitVectors(5);
  endpoint_.duringCall = [this] { return addVector(); };
  configure();
  ASSERT_TRUE(settled(4, 1));
  EXPECT_EQ(5, vectors());
  EXPECT_EQ(5, endpoint_.texts());
  limitVectors(6);
  pass(std::chrono::seconds(31));
  ASSERT_TRUE(settled(5, 0));
  EXPECT_EQ(6, vectors());
}

TEST_F(EmbeddingLimitTest, ALostWalkIsResumed) {
  configure();
  ASSERT_TRUE(settled(0, 0));
  limitVectors(0);
  posts(0, 2);
  ASSERT_TRUE(settled(0, 1));
  for (const doc::Document& row : store_.all({store::kControlProject, jobs::kJobs, 0})) {
    EXPECT_TRUE(*run(queue_.cancel(std::string(row.view().stringOr("id")))));
  }
  limitVectors(std::nullopt);
  vectors_->refreshSoon();
  ASSERT_TRUE(until([&] { return embeddingJobs() == 1; }));
  pass(std::chrono::seconds(31));
  EXPECT_TRUE(settled(2, 0));
  EXPECT_EQ(2, vectors());
}

}  // namespace
}  // namespace mb::vectors
