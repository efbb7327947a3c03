// A project whose documents are embedded by an endpoint of the test's own. For the tests of embeddings.
#pragma once

#include <filesystem>

#include "base/crypto.h"
#include "base/log.h"
#include "base/testing.h"
#include "data/data_fixture.h"
#include "vectors/vectors.h"

namespace mb::vectors {

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

inline std::vector<store::SystemCollection> collectionsForEmbeddings() {
  std::vector<store::SystemCollection> all = systemCollections();
  for (store::SystemCollection& each : events::systemCollections()) all.push_back(std::move(each));
  return all;
}

inline VectorSettings endpointSettings() {
  VectorSettings made;
  made.embeddingsUrl = "https://example.com/embed";
  made.embeddingsModel = "m";
  return made;
}

class EmbeddingTest : public data::DataTest {
 protected:
  EmbeddingTest() : DataTest(collectionsForEmbeddings()) {
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
  ~EmbeddingTest() override {
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
  Task<std::vector<store::ProjectNo>> numbers() { co_return std::vector{project_}; }

  std::string files_;
  CountingEndpoint endpoint_;
  events::Dispatcher dispatcher_{{store_, store_.feed(), queue_, snapshots_, cores_}};
  std::optional<Vectors> vectors_;
};

}  // namespace mb::vectors
