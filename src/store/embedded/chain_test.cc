// Chained collections: every insert gets a sequence number in the order of commits.
#include "store/chain.h"

#include <latch>
#include <set>

#include "document/json.h"
#include "store/embedded/backup.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {
namespace {

constexpr CollectionNo kBook = 7;
constexpr CollectionNo kPlain = 8;

IndexSpec bySeq() {
  IndexSpec spec;
  spec.keys = {{"seq", 1}};
  spec.sparse = true;
  return spec;
}

std::vector<SystemCollection> collections(bool chained = true) {
  return {{kBook, "__book", chained ? std::vector<IndexSpec>{bySeq()} : std::vector<IndexSpec>{}, chained},
          {kPlain, "__plain", {}}};
}

doc::Document page(const std::string& id, const std::string& text = "") {
  doc::BsonWriter out;
  out.appendString("id", id);
  out.appendString("text", text);
  return out.finish();
}

class Chain : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initCrypto(); }
  Chain() : opened_(collections()) { project_ = opened_.must(opened_.store().allocateProject()); }

  CollectionRef book() const { return {project_, kBook, 0}; }
  WriteOptions options(bool logged = true) {
    WriteOptions options{
        .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30), .actor = {}, .bumpEpochs = {}};
    options.logged = logged;
    return options;
  }
  Task<WriteOutcome> put(std::vector<doc::Document> documents, bool logged = true) {
    return testing::putAll(opened_.store(), book(), std::move(documents), options(logged));
  }
  void add(const std::string& id, const std::string& text = "") {
    std::vector<doc::Document> one;
    one.push_back(page(id, text));
    opened_.must(put(std::move(one)));
  }
  std::vector<doc::Document> inOrder() {
    Query query{.collection = book(),
                .filter = *doc::Filter::parse(*doc::parseJson(R"({"seq":{"$gte":1}})")),
                .limit = 100'000,
                .sort = {{"seq", 1}},
                .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30),
                .explain = true};
    QueryResult found = opened_.must(opened_.store().find(std::move(query)));
    EXPECT_EQ(found.explain.index, "seq_1");
    return std::move(found.documents);
  }
  ChainHead head() {
    const auto head = opened_.store().chainHead(project_, kBook);
    EXPECT_TRUE(head);
    return *head;
  }
  // Fails the test unless the chain is intact after `at`; returns its head.
  ChainHead expectWhole(ChainHead at = {}) {
    for (const doc::Document& each : inOrder()) {
      const auto link = linkOf(each);
      EXPECT_TRUE(link);
      if (!link) break;
      EXPECT_EQ(link->seq, at.seq + 1);
      EXPECT_EQ(link->prev, at.hash);
      EXPECT_EQ(link->hash, chainHash(at.hash, each));
      at = {link->seq, link->hash};
    }
    EXPECT_EQ(head(), at);
    EXPECT_TRUE(opened_.store().check().problems.empty());
    return at;
  }

  OpenedStore opened_;
  ProjectNo project_ = 0;
};

TEST_F(Chain, TheRuleInBytes) {
  ChainHead head;
  const doc::Document first = doc::Document::fromTrusted(chained(page("a", "x"), head));
  EXPECT_EQ(head.seq, 1U);
  // Computed by hand: the hashed bytes are 32 zero bytes and the document with seq and prev.
  doc::BsonWriter bare;
  bare.appendString("id", "a");
  bare.appendString("text", "x");
  bare.appendInt64("seq", 1);
  bare.appendString("prev", std::string(64, '0'));
  EXPECT_EQ(head.hash, sha256(std::string(32, '\0') + bare.finish().bytes()));
  EXPECT_EQ(first.view().stringOr("hash"), toHex(head.hash));
  const ChainHead before = head;
  const doc::Document second = doc::Document::fromTrusted(chained(page("b"), head));
  EXPECT_EQ(second.view().stringOr("prev"), toHex(before.hash));
  EXPECT_EQ(chainHash(before.hash, second), head.hash);
}

TEST_F(Chain, LinksOfOtherFormsAreNone) {
  const std::string hash(64, 'a');
  for (const std::string& text : {
           std::string(R"({"id":"a"})"),
           R"({"seq":{"$numberLong":"1"},"prev":")" + hash + R"("})",
           R"({"seq":1,"prev":")" + hash + R"(","hash":")" + hash + R"("})",
           R"({"seq":{"$numberLong":"0"},"prev":")" + hash + R"(","hash":")" + hash + R"("})",
           R"({"seq":{"$numberLong":"1"},"prev":")" + hash + R"(","hash":"12"})",
           R"({"seq":{"$numberLong":"1"},"prev":")" + hash + R"(","hash":7})",
       }) {
    const auto document = doc::parseJson(text, {.extended = doc::ExtendedJson::accept});
    ASSERT_TRUE(document) << text;
    EXPECT_FALSE(linkOf(*document)) << text;
  }
  EXPECT_FALSE(digestOf(std::string(63, 'a')));
  EXPECT_FALSE(digestOf(std::string(63, 'a') + "g"));
  EXPECT_EQ(toHex(*digestOf(std::string(64, 'B'))), std::string(64, 'b'));
}

TEST_F(Chain, GoesOnOverManyWritesAndRestarts) {
  EXPECT_EQ(head(), ChainHead());
  for (int i = 0; i < 20; ++i) add(fmt::format("p{}", i), std::string(static_cast<size_t>(i * 40), 'x'));
  EXPECT_EQ(expectWhole().seq, 20U);
  opened_.reopen();
  add("after");
  EXPECT_EQ(expectWhole().seq, 21U);
}

TEST_F(Chain, SeveralInOneWriteFollowEachOther) {
  std::vector<doc::Document> three;
  for (const char* id : {"z", "m", "a"}) three.push_back(page(id));
  opened_.must(put(std::move(three)));
  expectWhole();
  std::vector<std::string> ids;
  for (const doc::Document& each : inOrder()) ids.emplace_back(each.view().stringOr("id"));
  EXPECT_EQ(ids, (std::vector<std::string>{"z", "m", "a"}));
}

TEST_F(Chain, ManyWritersAtOnceMakeOneChain) {
  constexpr int kWriters = 400;
  std::atomic<int> failed = 0;
  std::latch done(kWriters);
  for (int i = 0; i < kWriters; ++i) {
    std::vector<doc::Document> two;
    two.push_back(page(fmt::format("w{}a", i)));
    two.push_back(page(fmt::format("w{}b", i)));
    asio::co_spawn(opened_.cores().at(i % 2).get_executor(), put(std::move(two)),
                   [&](std::exception_ptr thrown, Result<WriteOutcome> outcome) {
                     if (thrown || !outcome) ++failed;
                     done.count_down();
                   });
  }
  done.wait();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(expectWhole().seq, 2U * kWriters);
  // Several writers shared a commit, which the chain must support.
  EXPECT_LT(opened_.store().commitStats().commits, static_cast<uint64_t>(kWriters));
  opened_.reopen();
  EXPECT_EQ(expectWhole().seq, 2U * kWriters);
}

TEST_F(Chain, ProjectsHaveTheirOwn) {
  add("a");
  const ProjectNo other = opened_.must(opened_.store().allocateProject());
  EXPECT_EQ(opened_.store().chainHead(other, kBook)->seq, 0U);
  std::vector<Insert> extraInserts;
  extraInserts.push_back({{other, kBook, 0}, page("a")});
  opened_.must(opened_.store().createCollection(other, "things", {}, std::move(extraInserts)));
  EXPECT_EQ(opened_.store().chainHead(other, kBook)->seq, 1U);
  // The same document with the same sequence number has the same hash in every project.
  EXPECT_EQ(*opened_.store().chainHead(other, kBook), head());
}

TEST_F(Chain, OnlyInsertsOfChainedCollectionsAreChained) {
  opened_.must(testing::put(opened_.store(), {project_, kPlain, 0}, "a", page("a"), options()));
  EXPECT_FALSE(namesPlace(*opened_.must(opened_.store().get({project_, kPlain, 0}, "a"))));
  add("a");
  const ChainHead first = head();
  // A change of an existing document does not change the chain head, but breaks the chain.
  std::vector<doc::Document> changed;
  changed.push_back(page("a", "changed"));
  opened_.must(put(std::move(changed)));
  EXPECT_EQ(head(), first);
  EXPECT_TRUE(inOrder().empty());
}

TEST_F(Chain, RefusesInsertsWithChainFields) {
  ChainHead forged{41, {}};
  std::vector<doc::Document> one;
  one.push_back(doc::Document::fromTrusted(chained(page("a"), forged)));
  EXPECT_FALSE(testing::runOn(opened_.cores(), 0, put(std::move(one))));
  EXPECT_EQ(head().seq, 0U);
}

TEST_F(Chain, WhatWasThereBeforeStaysAsItIs) {
  opened_.setSystem(collections(false));
  opened_.reopen();
  add("old");
  opened_.setSystem(collections());
  opened_.reopen();
  add("new");
  EXPECT_EQ(expectWhole().seq, 1U);
  EXPECT_FALSE(namesPlace(*opened_.must(opened_.store().get(book(), "old"))));
}

TEST_F(Chain, ARestoredChainIsTakenOverAsItIs) {
  for (int i = 0; i < 5; ++i) add(fmt::format("p{}", i));
  std::vector<doc::Document> pages = inOrder();
  const ChainHead end = head();
  const ProjectNo from = std::exchange(project_, opened_.must(opened_.store().allocateProject()));
  const std::vector<doc::Document> before = pages;
  opened_.must(put(std::move(pages), false));
  EXPECT_EQ(head().seq, 0U);
  opened_.must(opened_.store().restoreChain(project_, kBook, end));
  EXPECT_EQ(inOrder(), before);
  EXPECT_EQ(expectWhole(), end);
  add("next");
  EXPECT_EQ(expectWhole().seq, 6U);
  EXPECT_EQ(*opened_.store().chainHead(from, kBook), end);
  EXPECT_FALSE(testing::runOn(opened_.cores(), 0, opened_.store().restoreChain(project_, kPlain, end)));
}

TEST_F(Chain, AnImageReadsItInOrder) {
  for (const char* id : {"c", "a", "b"}) add(id);
  const std::filesystem::path path = opened_.path() / "image";
  ASSERT_TRUE(opened_.store().checkpoint(path));
  const auto image = StoreImage::open(path);
  ASSERT_TRUE(image);
  std::string ids;
  ASSERT_TRUE((*image)->eachBy(project_, kBook, "seq_1", [&](doc::DocumentView document) -> Result<> {
    ids += document.stringOr("id");
    return {};
  }));
  EXPECT_EQ(ids, "cab");
  EXPECT_EQ(*(*image)->chainHead(project_, kBook), head());
  EXPECT_FALSE((*image)->eachBy(project_, kBook, "other_1", [](doc::DocumentView) -> Result<> { return {}; }));
}

TEST_F(Chain, GoesWithItsProject) {
  add("a");
  opened_.must(opened_.store().dropProject(project_));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (head().seq != 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(head().seq, 0U);
}

}  // namespace
}  // namespace mb::store::embedded
