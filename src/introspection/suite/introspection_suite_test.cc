// Introspection of databases on the server that MANYBASE_TEST_MONGO_URL names.
#include <gmock/gmock.h>

#include "data/collection_config.h"
#include "data/data_fixture.h"
#include "document/fields.h"
#include "introspection/introspection.h"
#include "introspection/problems.h"
#include "store/mongo/commands.h"
#include "store/mongo/suite/test_server.h"
#include "store/own/testing.h"

namespace mb::introspection {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class IntrospectionSuite : public data::DataTest {
 protected:
  IntrospectionSuite() : name_(store::newPrefix()), connection_(store::uriOfServer()) {
    store::own::DatabaseConfig config;
    config.address.uri = store::uriOfServer();
    config.address.database = name_;
    config.capabilities.preImages = true;
    config.coverKey = std::string(store::own::Cover::kKeyBytes, 'k');
    databases_.set(project_, std::move(config));
  }
  ~IntrospectionSuite() override {
    databases_.stop();
    store::dropDatabases(name_);
  }

  Introspection::Access access() { return {owner_, snapshot(), soon()}; }
  Result<std::vector<Candidate>> list() { return run(introspection_.list(access())); }
  Result<Report> report(const std::string& name, size_t sample = kDefaultSample) {
    return run(introspection_.report(access(), name, sample));
  }
  Result<ImportReport> import(const std::string& name, ImportBody body = {}) {
    return run(introspection_.import(access(), name, std::move(body)));
  }
  Result<BackfillReport> backfill(const std::string& name, std::optional<int64_t> limit = {}) {
    return run(introspection_.backfill(access(), name, {limit}));
  }

  // ---- as the owner of the database
  void command(std::string_view text) { command(data::json(text)); }
  doc::Document command(const doc::Document& command) {
    const auto reply = connection_.write(name_, command);
    EXPECT_TRUE(reply) << doc::toJson(command) << reply.error().message;
    return reply ? *reply : doc::Document();
  }
  void insert(const std::string& collection, const std::vector<std::string>& texts) {
    std::vector<doc::Document> documents;
    for (const std::string& each : texts) documents.push_back(data::json(each));
    command(store::mongo::insertCommand(collection, documents));
  }
  // All documents as JSON, ascending by `_id`.
  std::vector<std::string> documents(const std::string& collection) {
    std::vector<std::string> out;
    const doc::Document find = data::json(R"({"find":")" + collection + R"(","sort":{"_id":1}})");
    const auto read = store::mongo::eachDocument(
        [this](doc::DocumentView each) { return connection_.read(name_, each); }, collection, find,
        [&](doc::DocumentView each) {
          out.push_back(doc::toJson(each));
          return true;
        });
    EXPECT_TRUE(read);
    return out;
  }
  // "severity code" of each problem.
  static std::vector<std::string> codesOf(const Report& report) {
    std::vector<std::string> out;
    for (const Problem& each : report.problems) out.push_back(each.severity + " " + each.code);
    return out;
  }

  const std::string name_;
  store::mongo::Connection connection_;
  store::own::LoopbackGuard guard_;
  store::own::Databases databases_{guard_};
  Introspection introspection_{
      {[this](store::ProjectNo project) { return databases_.find(project); }, data_->collections(), store_, auditor_}};
};

TEST_F(IntrospectionSuite, ADatabaseThatIsClosed) {
  databases_.close(project_);
  expectError(ErrorCode::unavailable, list());
  expectError(ErrorCode::unavailable, report("orders"));
  expectError(ErrorCode::unavailable, import("orders"));
  expectError(ErrorCode::unavailable, backfill("orders"));
}

TEST_F(IntrospectionSuite, CollectionsAreListedByName) {
  insert("orders", {R"({"a":1})", R"({"a":2})"});
  insert("Zebras", {"{}"});
  insert("users", {"{}"});
  insert("my.things", {"{}"});
  command(R"({"create":"cap","capped":true,"size":10000})");
  command(R"({"create":"recent","viewOn":"orders","pipeline":[]})");
  command(R"({"create":"series","timeseries":{"timeField":"t"}})");
  command(R"({"create":"clustered","clusteredIndex":{"key":{"_id":1},"unique":true}})");
  expectOk(import("Zebras", {.name = "zebras"}));
  std::vector<std::string> found;
  for (const Candidate& each : *list()) {
    EXPECT_EQ(each.importable, !each.reason);
    const std::string documents = each.documents.value ? std::to_string(*each.documents.value) : "null";
    found.push_back(
        fmt::format("{} {} {} {}", each.name, documents, each.imported.value.value_or("-"), each.reason.value_or("-")));
    EXPECT_EQ(each.sizeBytes.value.has_value(), each.documents.value.has_value());
  }
  EXPECT_THAT(found, ElementsAre("Zebras 1 zebras -", "cap 0 - capped", "clustered 0 - clustered", "my.things 1 - name",
                                 "orders 2 - -", "recent null - view", "series 0 - time-series", "users 1 - reserved"));
}

TEST_F(IntrospectionSuite, AReportSaysWhatIsThere) {
  insert("orders", {R"({"_id":{"$oid":"65b0c0ffee65b0c0ffee65b0"},"total":1})", R"({"_id":"two","total":1.5,"id":"b"})",
                    R"({"_id":3,"total":2})"});
  command(R"({"createIndexes":"orders","indexes":[{"key":{"at":1},"name":"at_1","expireAfterSeconds":1000}]})");
  const auto found = report("orders");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->collection, "orders");
  EXPECT_EQ(found->stats.count, 3);
  EXPECT_GT(found->stats.sizeBytes, 50);
  EXPECT_EQ(found->stats.averageSizeBytes, found->stats.sizeBytes / 3);
  ASSERT_EQ(found->stats.indexes.size(), 2U);
  EXPECT_EQ(found->stats.indexes[0].name, "_id_");
  EXPECT_TRUE(found->stats.indexes[0].unique);
  EXPECT_EQ(doc::toJson(found->stats.indexes[1].keys), R"({"at":1})");
  EXPECT_FALSE(found->stats.indexes[1].unique);
  EXPECT_EQ(found->sampled, 3);
  EXPECT_EQ(found->ids.withId, 1);
  EXPECT_EQ(found->ids.withoutId, 2);
  EXPECT_EQ(found->ids.estimated, std::nullopt);
  EXPECT_EQ(found->verdict, "needs-backfill");
  EXPECT_THAT(codesOf(*found), ElementsAre("warning ttl-index", "warning no-pre-images", "info some-without-id",
                                           "info hidden-until-backfill"));
  EXPECT_EQ(report("orders", 2)->sampled, 2);
  expectError(ErrorCode::notFound, report("nothing"));
  expectError(ErrorCode::notFound, report("system.views"));
}

TEST_F(IntrospectionSuite, AViewIsNotRead) {
  insert("orders", {"{}"});
  command(R"({"create":"recent","viewOn":"orders","pipeline":[]})");
  const auto found = report("recent");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sampled, 0);
  EXPECT_EQ(found->verdict, kIncompatible);
  expectError(ErrorCode::conflict, import("recent"));
}

// Values of every form count as MongoDB groups them.
TEST_F(IntrospectionSuite, IdsAreCountedByTheirForm) {
  insert("orders", {R"({"_id":1,"id":"a"})", R"({"_id":2,"id":"a b"})", R"({"_id":3,"id":""})", R"({"_id":4,"id":"é"})",
                    R"({"_id":5,"id":["a"]})", R"({"_id":6,"id":null})", R"({"_id":"x"})", R"({"_id":"x y"})",
                    R"({"_id":8,"id":")" + std::string(65, 'a') + "\"}", R"({"_id":9,"id":"a\n"})"});
  store::own::Database& database = *databases_.find(project_);
  const auto counts = run([](store::own::Database& from, store::Deadline until) -> Task<IdCounts> {
    co_return co_await from.run(until, [&from, until](store::mongo::Connection& connection) -> Result<IdCounts> {
      Source source(connection, from.name(), until);
      const auto counted = countIds(source, "orders");
      if (!counted || !*counted) return fail(ErrorCode::internal, counted ? "late" : counted.error().message);
      return **counted;
    });
  }(database, soon()));
  ASSERT_TRUE(counts) << counts.error().cause();
  EXPECT_EQ(counts->strings, 6);
  EXPECT_EQ(counts->missing, 2);
  EXPECT_EQ(counts->others, 2);
  EXPECT_EQ(counts->malformed, 5);
  EXPECT_EQ(counts->hidden, 8);
}

TEST_F(IntrospectionSuite, ASampleHasAtMostEightMegabytes) {
  const std::string large(3 << 20, 'x');
  for (int i = 0; i < 5; ++i) insert("files", {fmt::format(R"({{"_id":{},"v":"{}"}})", i, large)});
  const auto found = report("files");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sampled, 2);
  EXPECT_EQ(found->stats.count, 5);
  EXPECT_THAT(codesOf(*found), testing::Contains("warning large-documents"));
}

TEST_F(IntrospectionSuite, AnImportRegistersTheCollection) {
  for (int i = 0; i < 60; ++i) insert("Orders", {fmt::format(R"({{"_id":{},"total":{}}})", i, i)});
  const std::vector<std::string> before = documents("Orders");
  const auto done = import("Orders", {.name = "orders"});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->collection, "orders");
  EXPECT_EQ(done->verdict, "needs-backfill");
  ASSERT_EQ(done->warnings.size(), 1U);
  EXPECT_EQ(done->warnings[0].code, kNoPreImages);

  data::Collections& collections = data_->collections();
  const auto schema = collections.schema(*snapshot(), "orders");
  ASSERT_TRUE(schema && *schema);
  EXPECT_EQ(doc::toJson(**schema),
            R"({"type":"object","properties":{"total":{"type":"integer"}},"required":["total"]})");
  const auto policy = collections.policy(*snapshot(), "orders");
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->source, data::PolicySource::own);
  EXPECT_TRUE(policy->policy.empty());
  // Changes of the configuration keep the source.
  expectOk(run(collections.clearSchema(managing(), "orders")));
  expectOk(run(collections.rename(managing(), "orders", "purchases")));
  EXPECT_EQ(collections.namesBySource(*snapshot()).at("Orders"), "purchases");

  EXPECT_EQ(documents("Orders"), before);
  EXPECT_EQ(report("Orders")->stats.indexes.size(), 1U);
}

TEST_F(IntrospectionSuite, AnImportIsRefused) {
  insert("orders", {R"({"_id":1})"});
  insert("other", {R"({"_id":1,"id":5})"});
  insert("more", {R"({"_id":1})"});
  expectError(ErrorCode::notFound, import("nothing"));
  expectError(ErrorCode::validation, import("orders", {.name = "1a"}));
  expectError(ErrorCode::notFound, import("orders", {.name = "users"}));
  const doc::Document schemas = data::json(R"({"yes":true,"text":"x","bad":{"type":"text"},"ref":{"type":"object",
      "properties":{"a":{"type":"string","x-ref":"nothing"}}},"none":false})");
  const auto withSchema = [&](std::string_view key) {
    return ImportBody{.schema = doc::Value(*schemas.view().find(key))};
  };
  for (const char* key : {"yes", "text", "bad", "ref"}) {
    expectError(ErrorCode::validation, import("orders", withSchema(key)));
  }
  const auto refused = import("other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  ASSERT_EQ(refused.error().details().size(), 1U);
  EXPECT_EQ(refused.error().details()[0].path, "/id");
  EXPECT_THAT(refused.error().details()[0].message, HasSubstr("id-not-string"));
  EXPECT_TRUE(data_->collections().names(*snapshot()).empty());

  expectOk(import("orders", withSchema("none")));
  EXPECT_EQ(*data_->collections().schema(*snapshot(), "orders"), std::nullopt);
  expectError(ErrorCode::conflict, import("orders"));
  expectError(ErrorCode::conflict, import("orders", {.name = "others"}));
  expectError(ErrorCode::conflict, import("more", {.name = "ORDERS"}));
}

TEST_F(IntrospectionSuite, PreImagesOnlyWhereTheyAreWanted) {
  insert("orders", {R"({"_id":1})"});
  insert("plain", {R"({"_id":1})"});
  expectOk(import("plain"));
  EXPECT_THAT(codesOf(*report("plain")), testing::Contains("warning no-pre-images"));
  const auto done = import("orders", {.preImages = true});
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->warnings.empty());
  EXPECT_THAT(codesOf(*report("orders")), testing::Not(testing::Contains("warning no-pre-images")));
}

TEST_F(IntrospectionSuite, ABackfillGivesIdsByTheRule) {
  insert("orders", {R"({"_id":{"$oid":"65b0c0ffee65b0c0ffee65b0"},"a":1})", R"({"_id":"two","updatedAt":"then"})",
                    R"({"_id":"has space"})", R"({"_id":5,"id":"mine"})"});
  const auto done = backfill("orders");
  ASSERT_TRUE(done) << done.error().message() << done.error().cause();
  EXPECT_EQ(done->matched, 3);
  EXPECT_EQ(done->modified, 3);
  EXPECT_EQ(done->remaining, 0);
  store::own::Cover cover(std::string(store::own::Cover::kKeyBytes, 'k'));
  const std::string covered = cover.of(std::string("\x65\xb0\xc0\xff\xee\x65\xb0\xc0\xff\xee\x65\xb0", 12));
  const std::vector<std::string> now = documents("orders");
  ASSERT_EQ(now.size(), 4U);
  EXPECT_EQ(now[0], R"({"_id":5,"id":"mine"})");
  EXPECT_THAT(now[1], testing::MatchesRegex(R"(\{"_id":"has space","id":"[A-Za-z0-9_-]{22}"\})"));
  EXPECT_EQ(now[2], R"({"_id":"two","updatedAt":"then","id":"two"})");
  EXPECT_EQ(now[3], R"({"_id":"65b0c0ffee65b0c0ffee65b0","a":1,"id":")" + covered + "\"}");

  const auto after = report("orders");
  EXPECT_EQ(after->verdict, "ready");
  EXPECT_EQ(after->stats.indexes.back().name, kIdIndex);
  EXPECT_EQ(after->ids.withId, 4);
  const auto again = backfill("orders");
  EXPECT_EQ(again->matched, 0);
  EXPECT_EQ(documents("orders"), now);
}

TEST_F(IntrospectionSuite, ABackfillIsResumed) {
  std::vector<std::string> many;
  for (int i = 0; i < 250; ++i) many.push_back(fmt::format(R"({{"_id":{}}})", i));
  insert("orders", many);
  const auto first = backfill("orders", 120);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->matched, 120);
  EXPECT_EQ(first->modified, 120);
  EXPECT_EQ(first->remaining, 130);
  EXPECT_EQ(documents("orders")[120], R"({"_id":120})");
  EXPECT_EQ(report("orders")->stats.indexes.size(), 1U);
  const auto rest = backfill("orders");
  EXPECT_EQ(rest->matched, 130);
  EXPECT_EQ(rest->remaining, 0);
  EXPECT_EQ(report("orders")->stats.indexes.back().name, kIdIndex);
}

TEST_F(IntrospectionSuite, DocumentsWithTheSameIdKeepIt) {
  // More than the sample would show them only by chance, so the index finds them.
  std::vector<std::string> many;
  for (int i = 0; i < 5000; ++i) many.push_back(fmt::format(R"({{"_id":{},"id":"i{}"}})", i, i));
  many.push_back(R"({"_id":"i7"})");
  for (size_t at = 0; at < many.size(); at += 1000) {
    insert("orders", {many.begin() + static_cast<ptrdiff_t>(at),
                      many.begin() + static_cast<ptrdiff_t>(std::min(at + 1000, many.size()))});
  }
  for (int i = 0; i < 2; ++i) {
    const auto refused = backfill("orders");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
    ASSERT_EQ(refused.error().details().size(), 1U);
    EXPECT_THAT(refused.error().details()[0].message, HasSubstr("id-duplicate"));
  }
  EXPECT_EQ(documents("orders").back(), R"({"_id":"i7","id":"i7"})");
}

TEST_F(IntrospectionSuite, ABackfillIsRefused) {
  insert("orders", {R"({"_id":1,"id":5})", R"({"_id":2})"});
  expectError(ErrorCode::conflict, backfill("orders"));
  EXPECT_THAT(documents("orders"), ElementsAre(R"({"_id":1,"id":5})", R"({"_id":2})"));
  expectError(ErrorCode::notFound, backfill("nothing"));
  for (const int64_t limit : {int64_t{0}, int64_t{-1}, kMaxBackfill + 1}) {
    expectError(ErrorCode::validation, backfill("orders", limit));
  }
}

TEST_F(IntrospectionSuite, ChangesNeedThePermissionForCollections) {
  insert("orders", {R"({"_id":1})"});
  owner_.permissions = permissions({"introspect:manage"});
  expectError(ErrorCode::forbidden, import("orders"));
  expectError(ErrorCode::forbidden, backfill("orders"));
  expectOk(report("orders"));
}

TEST_F(IntrospectionSuite, AServerThatIsAway) {
  store::own::DatabaseConfig config;
  config.address.uri = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200&connectTimeoutMS=200";
  config.address.database = name_;
  config.coverKey = std::string(store::own::Cover::kKeyBytes, 'k');
  databases_.set(project_, std::move(config));
  const auto away = list();
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(away.error().message(), store::own::kUnreachable);
}

}  // namespace
}  // namespace mb::introspection
