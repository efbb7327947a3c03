#include "data/data_fixture.h"
#include "data/query_request.h"

namespace mb::data {
namespace {

class QueryTest : public DataTest {
 protected:
  void notes(std::string_view policy = R"({"read":{},"list":{}})") {
    collection("notes", policy);
    for (int i = 0; i < 9; ++i) {
      put("notes", fmt::format(R"({{"id":"d{}","n":{},"ownerId":"{}","secret":{},"meta":{{"a":{},"b":1}}}})", i, i % 3,
                               i % 2 == 0 ? "user_alice" : "user_bob", i, 9 - i));
    }
  }
  static DocumentQuery sorted(std::vector<store::SortKey> sort, uint64_t limit = 2) {
    DocumentQuery query;
    query.read.sort = std::move(sort);
    query.read.limit = limit;
    return query;
  }
  Result<DocumentPage> ask(const policy::Caller& caller, const DocumentQuery& query,
                           const std::string& name = "notes") {
    const Access access = as(caller);
    return run(data_->documents().query(access, name, query));
  }
  static std::string idsOf(const DocumentPage& page) {
    std::string ids;
    for (const doc::Document& each : page.documents) ids += std::string(each.view().stringOr("id")) + " ";
    return ids;
  }
  std::string walk(const policy::Caller& caller, DocumentQuery query) {
    std::string ids;
    while (true) {
      const auto page = ask(caller, query);
      if (!page) return ids + page.error().message();
      ids += idsOf(*page);
      if (!page->next) return ids;
      query.after = page->next;
    }
  }
  static void expectDetail(const Result<DocumentPage>& result, ErrorCode code, std::string_view path) {
    expectError(code, result);
    ASSERT_EQ(1U, result.error().details().size());
    EXPECT_EQ(path, result.error().details().front().path);
  }
  static std::string problemsOf(std::string_view body) {
    auto request = doc::decode<QueryRequest>(json(body));
    if (!request) return request.error().details().front().path;
    const auto query = parseQuery(*std::move(request));
    if (query) return "";
    std::string paths;
    for (const ErrorDetail& each : query.error().details()) paths += each.path + " ";
    return paths;
  }
};

TEST_F(QueryTest, PagesAreSortedWithTiesById) {
  notes();
  EXPECT_EQ(walk(alice_, sorted({{"n", 1}})), "d0 d3 d6 d1 d4 d7 d2 d5 d8 ");
  EXPECT_EQ(walk(alice_, sorted({{"n", -1}})), "d2 d5 d8 d1 d4 d7 d0 d3 d6 ");
  EXPECT_EQ(walk(alice_, sorted({{"n", -1}, {"meta.a", 1}})), "d8 d5 d2 d7 d4 d1 d6 d3 d0 ");
  EXPECT_EQ(walk(alice_, sorted({})), "d0 d1 d2 d3 d4 d5 d6 d7 d8 ");
  EXPECT_EQ(walk(alice_, sorted({{"id", -1}})), "d8 d7 d6 d5 d4 d3 d2 d1 d0 ");
}

TEST_F(QueryTest, NextIsThereWhereThereIsMore) {
  notes();
  EXPECT_FALSE(ask(alice_, sorted({{"n", 1}}, 9))->next);
  EXPECT_TRUE(ask(alice_, sorted({{"n", 1}}, 8))->next);
  DocumentQuery query = sorted({{"n", 1}}, 0);
  query.total = true;
  const auto none = ask(alice_, query);
  EXPECT_TRUE(none->documents.empty());
  EXPECT_FALSE(none->next);
  EXPECT_EQ(none->total, 9U);
  EXPECT_FALSE(ask(alice_, sorted({}))->total);
  query = sorted({{"n", 1}}, 4);
  query.read.skip = 7;
  EXPECT_EQ(idsOf(*ask(alice_, query)), "d5 d8 ");
}

TEST_F(QueryTest, ACursorBelongsToItsQuery) {
  notes();
  collection("others", R"({"list":{}})");
  DocumentQuery query = sorted({{"n", 1}});
  query.read.filter = json(R"({"n":{"$gte":0,"$lt":3},"$or":[{"meta.b":1},{"n":7}]})");
  const std::string cursor = *ask(alice_, query)->next;
  const auto refused = [&](DocumentQuery other, const std::string& name = "notes") {
    if (!other.after) other.after = cursor;
    expectDetail(ask(alice_, other, name), ErrorCode::invalidCursor, "/after");
  };
  DocumentQuery other = query;
  other.read.sort = {{"n", -1}};
  refused(other);
  other.read.sort = {{"n", 1}, {"id", 1}};
  refused(other);
  other = query;
  other.read.filter = json(R"({"n":{"$gte":0,"$lt":4},"$or":[{"meta.b":1},{"n":7}]})");
  refused(other);
  other.read.filter.reset();
  refused(other);
  refused(query, "others");
  // An altered, a truncated and an empty one, and other text.
  for (std::string text :
       {cursor.substr(0, 40) + (cursor[40] == 'A' ? "B" : "A") + cursor.substr(41), cursor.substr(0, cursor.size() - 4),
        std::string(), std::string("d0"), std::string("%&/"), std::string(200'000, 'A')}) {
    other = query;
    other.after = std::move(text);
    refused(other);
  }
  // The same filter, with its fields in another order and numbers of another type.
  other = query;
  other.after = cursor;
  other.read.filter = json(R"({"$or":[{"meta.b":1.0},{"n":7}],"n":{"$lt":3,"$gte":0}})");
  EXPECT_EQ(idsOf(*ask(alice_, other)), "d6 d1 ");
}

TEST_F(QueryTest, ACursorExpires) {
  notes();
  DocumentQuery query = sorted({{"n", 1}});
  query.after = ask(alice_, query)->next;
  clock_.advance(7 * 24 * 3600 * 1000);
  EXPECT_TRUE(ask(alice_, query));
  clock_.advance(1);
  expectDetail(ask(alice_, query), ErrorCode::invalidCursor, "/after");
}

TEST_F(QueryTest, ACallerWithACursorSeesWhatTheyMay) {
  notes(R"({"list":{"filter":{"ownerId":"$auth.uid"},"deniedReadFields":["secret"]}})");
  DocumentQuery query = sorted({{"n", 1}}, 1);
  query.after = ask(alice_, query)->next;
  EXPECT_EQ(idsOf(*ask(bob_, query)), "d3 ");
  query = sorted({{"secret", 1}}, 1);
  const Access access = asAdmin();
  const auto page = run(data_->documents().query(access, "notes", query));
  ASSERT_TRUE(page);
  query.after = page->next;
  expectError(ErrorCode::forbidden, ask(bob_, query));
  // What a cursor holds cannot be read from it.
  const auto bytes = fromBase64Url(*page->next);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->find(std::string("d0\0", 3)), std::string::npos);
}

TEST_F(QueryTest, FieldsAreChosen) {
  notes(R"({"list":{"deniedReadFields":["meta.b"]}})");
  DocumentQuery query = sorted({{"n", 1}}, 1);
  query.fields = {"n", "meta", "absent.x"};
  EXPECT_EQ(doc::toJson(ask(alice_, query)->documents.front()), R"({"id":"d0","n":0,"meta":{"a":9}})");
  query.fields = {"meta.a"};
  EXPECT_EQ(doc::toJson(ask(alice_, query)->documents.front()), R"({"id":"d0","meta":{"a":9}})");
  query.fields.emplace();
  EXPECT_EQ(doc::toJson(ask(alice_, query)->documents.front()), R"({"id":"d0"})");
}

TEST_F(QueryTest, ExpandedReferencesAreKept) {
  collection("people", R"({"read":{"deniedReadFields":["age"]}})");
  collection("notes", R"({"list":{}})",
             R"({"properties":{"author":{"type":"string","x-ref":"people"},"n":{"type":"integer"}}})");
  put("people", R"({"id":"ann","name":"Ann","age":30,"city":"Rome"})");
  put("notes", R"({"id":"d0","n":1,"author":"ann"})");
  DocumentQuery query = sorted({});
  query.read.expand = {"author"};
  query.fields = {"n"};
  const auto whole = ask(alice_, query);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->documents.front().view().findPath("author.city")->asString(), "Rome");
  EXPECT_FALSE(whole->documents.front().view().findPath("author.age"));
  query.fields = {"author.name"};
  EXPECT_EQ(doc::toJson(ask(alice_, query)->documents.front()), R"({"id":"d0","author":{"name":"Ann"}})");
}

TEST_F(QueryTest, DeniedFieldsAreRefusedWhereverTheyAreNamed) {
  notes(R"({"list":{"deniedReadFields":["secret","meta.b"]}})");
  DocumentQuery query = sorted({});
  query.fields = {"n", "secret"};
  expectDetail(ask(alice_, query), ErrorCode::forbidden, "/fields/1");
  query.fields = {"meta.b.c"};
  expectDetail(ask(alice_, query), ErrorCode::forbidden, "/fields/0");
  query.fields.reset();
  query.read.expand = {"secret"};
  expectDetail(ask(alice_, query), ErrorCode::forbidden, "/expand/0");
  query.read.expand.clear();
  query.read.filter = json(R"({"secret":1})");
  expectError(ErrorCode::forbidden, ask(alice_, query));
  for (const char* path : {"secret", "meta.b", "meta", "secret.x"}) {
    expectError(ErrorCode::forbidden, ask(alice_, sorted({{path, 1}})));
  }
}

TEST_F(QueryTest, WhatCannotBeSortedIsRefused) {
  collection("notes", R"({"list":{}})");
  put("notes", R"({"id":"a","x":[1],"y":[2]})");
  put("notes", R"({"id":"b","x":[1],"y":2})");
  expectError(ErrorCode::validation, ask(alice_, sorted({{"x", 1}, {"y", 1}})));
  EXPECT_EQ(walk(alice_, sorted({{"x", 1}})), "a b ");
  put("notes", fmt::format(R"({{"id":"c","x":"{}"}})", std::string(80 << 10, 'x')));
  put("notes", R"({"id":"d","x":true})");
  expectError(ErrorCode::payloadTooLarge, ask(alice_, sorted({{"x", 1}}, 3)));
  EXPECT_EQ(idsOf(*ask(alice_, sorted({{"x", 1}}, 4))), "a b c d ");
}

TEST_F(QueryTest, BodiesAreCheckedWithTheirPlaces) {
  EXPECT_EQ(problemsOf("{}"), "");
  EXPECT_EQ(
      problemsOf(R"({"filter":{"a":1},"sort":[{"a":1},{"b.c":-1}],"fields":["a"],"expand":["b"],"limit":5,"after":"x",
                          "total":true})"),
      "");
  EXPECT_EQ(problemsOf(R"({"sort":[{"a":1.0}],"limit":5000,"skip":0})"), "");
  EXPECT_EQ(problemsOf(R"({"sort":{"a":1}})"), "/sort");
  EXPECT_EQ(problemsOf(R"({"sort":[{"a":1},{"a":-1},{"b":2},{"c":"1"},{},{"d":1,"e":1},{"$f":1}]})"),
            "/sort/1 /sort/2 /sort/3 /sort/4 /sort/5 /sort/6 ");
  EXPECT_EQ(problemsOf(R"({"sort":[{"a":1},{"b":1},{"c":1},{"d":1},{"e":1},{"f":1},{"g":1},{"h":1},{"i":1}]})"),
            "/sort ");
  EXPECT_EQ(problemsOf(R"({"fields":["a","","$b"],"expand":["a..b"]})"), "/fields/1 /fields/2 /expand/0 ");
  EXPECT_EQ(problemsOf(R"({"limit":-1,"skip":-1})"), "/limit /skip ");
  EXPECT_EQ(problemsOf(R"({"skip":0,"after":"x"})"), "/skip ");
  EXPECT_EQ(problemsOf(R"({"limit":"5"})"), "/limit");
  EXPECT_EQ(problemsOf(R"({"total":1})"), "/total");
  EXPECT_EQ(problemsOf(R"({"where":{}})"), "/where");
}

}  // namespace
}  // namespace mb::data
