// The order of embeddings that several servers store.
#include "store/records.h"
#include "store/testing/writing.h"
#include "vectors/embedding_fixture.h"

namespace mb::vectors {
namespace {

class EmbeddingOrderTest : public EmbeddingTest {
 protected:
  std::optional<EmbeddingRow> row(const std::string& document) {
    for (const doc::Document& each : store_.all(embeddingsOf(project_))) {
      auto row = store::fromStore<EmbeddingRow>(each.view());
      if (row && documentOf(*row) == document) return *std::move(row);
    }
    return std::nullopt;
  }
  // The id of the field, once its documents were read.
  std::string field() {
    const auto walks = store_.all({project_, kWalks, 0});
    return walks.empty() ? "" : std::string(walks.front().view().stringOr("id"));
  }
  // As another server would store it.
  void write(store::CollectionRef collection, const std::string& id, store::Change change) {
    expectOk(run(store::testing::change(store_, collection, id, std::move(change))));
  }
  void storeRow(const std::string& document, std::string seq) {
    const std::string id = rowIdOf(field(), document);
    write(embeddingsOf(project_), id,
          store::Change::put(doc::encode(EmbeddingRow{id, "other/state", std::move(seq), "hash", packed(kVector)})));
  }
  bool isStoredAs(const std::string& document, int64_t number) {
    return until([&] {
      const auto stored = row(document);
      return stored && stored->seq == seqOf(field(), number);
    });
  }

  static constexpr std::array<float, 2> kVector{3, 4};
};

TEST_F(EmbeddingOrderTest, AnIndexFindsWhatAServerStoresWhoseClockIsBehind) {
  configure();
  ASSERT_TRUE(until([&] { return !field().empty(); }));
  // An earlier release stored ids, which begin with the time. That of the other server is an hour ahead.
  const ManualClock ahead(kStart + 3'600'000);
  storeRow("other", rowIdOf(field(), IdGenerator(ahead).next()));
  put("posts", R"({"id":"none"})");
  ASSERT_TRUE(until([&] { return index().vectors == 1; }));
  posts(0, 1);
  ASSERT_TRUE(settled(1, 0));
  EXPECT_TRUE(until([&] { return index().vectors == 2; }));
}

TEST_F(EmbeddingOrderTest, RowsAreNumberedInTheOrderOfTheirCommits) {
  configure();
  posts(0, 1);
  EXPECT_TRUE(isStoredAs("p00", 1));
  posts(1, 1);
  EXPECT_TRUE(isStoredAs("p01", 2));
  title("p00", "another text");
  EXPECT_TRUE(isStoredAs("p00", 3));
  // A commit of another server.
  WalkRow walk{field(), "", {}, 100};
  write({project_, kWalks, 0}, walk.id, store::Change::put(doc::encode(walk)));
  title("p01", "another text");
  EXPECT_TRUE(isStoredAs("p01", 101));
  // A restored project has its rows, and no record of its walks.
  write({project_, kWalks, 0}, walk.id, store::Change::remove());
  title("p00", "a third text");
  EXPECT_TRUE(isStoredAs("p00", 102));
}

// Of two servers, the one whose commit comes later numbers its rows after those of the other.
TEST_F(EmbeddingOrderTest, ACommitNumbersAfterOneThatCameInBetween) {
  configure();
  posts(0, 1);
  ASSERT_TRUE(isStoredAs("p00", 1));
  ASSERT_TRUE(settled(1, 0));
  endpoint_.duringCall = [this]() -> Task<> {
    store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
    const WalkRow walk{field(), "", {}, 7};
    const store::Target target = write.change({project_, kWalks, 0}, walk.id);
    CO_RETURN_IF_ERROR(co_await store_.write(
        std::move(write), [target, walk](const store::PreImages&, store::Changes& changes) -> Result<> {
          changes.put(target, doc::encode(walk));
          return {};
        }));
    co_return Result<>();
  };
  posts(1, 1);
  EXPECT_TRUE(isStoredAs("p01", 8));
}

}  // namespace
}  // namespace mb::vectors
