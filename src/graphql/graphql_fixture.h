// A project with GraphQL, and a search over one collection. For the tests of this module.
#pragma once

#include "data/data_fixture.h"
#include "graphql/graphql.h"

namespace mb::graphql {

class FakeSearch final : public Search {
 public:
  explicit FakeSearch(data::Documents*& documents) : documents_(documents) {}
  std::vector<std::string> searchFields(const snapshot::ProjectSnapshot&) const override { return {"articles"}; }
  Task<data::VisibleDocuments> search(const data::Access& access, const std::string& collection,
                                      const SearchQuery& query) override {
    asked = query;
    data::ReadQuery all;
    all.filter = query.filter;
    all.limit = query.limit.value_or(all.limit);
    CO_TRY(data::VisibleDocuments found, co_await documents_->list(access, collection, all, policy::Operation::read));
    double score = 1;
    for (doc::Document& document : found.documents) {
      doc::BsonWriter out;
      out.appendAll(document);
      out.appendReal("_score", score /= 2);
      document = out.finish();
    }
    co_return found;
  }

  SearchQuery asked;

 private:
  data::Documents*& documents_;
};

inline constexpr std::string_view kOpen = R"({"read": {}, "list": {}, "create": {}, "update": {}, "delete": {}})";

class GraphqlTest : public data::DataTest {
 protected:
  GraphqlTest() : documents_(&data_->documents()), graphql_(snapshots_, *data_, &search_) {}

  // The response to a query, as JSON.
  std::string ask(const policy::Caller& caller, std::string_view query, std::string_view variables = "{}",
                  std::string_view operation = "") {
    doc::BsonWriter body;
    body.appendString("query", query);
    const doc::Document given = data::json(variables);
    body.appendDocument("variables", given);
    if (!operation.empty()) body.appendString("operationName", operation);
    return answer(caller, body.finish());
  }
  std::string answer(const policy::Caller& caller, doc::Document body) {
    const data::Access access = as(caller);
    auto answered = run(graphql_.answer(access, std::move(body)));
    EXPECT_TRUE(answered);
    return answered ? *answered : "";
  }
  // The first error's message.
  std::string refusal(std::string_view query, std::string_view variables = "{}") {
    const std::string text = ask(alice_, query, variables);
    const auto parsed = doc::parseJson(text);
    EXPECT_TRUE(parsed) << text;
    if (!parsed) return "";
    const auto message = parsed->view().findPath("errors");
    EXPECT_TRUE(message) << query << " gave " << text;
    if (!message) return "";
    return std::string(message->asDocument().begin()->value.asDocument().stringOr("message"));
  }
  std::shared_ptr<const Schema> schema() { return graphql_.schema(*snapshot()); }

  void blog() {
    collection("authors", kOpen, R"({"type": "object", "properties": {"name": {"type": "string"}}})");
    collection("posts", kOpen, R"({"type": "object", "required": ["title"], "properties": {
      "title": {"type": "string"}, "views": {"type": "integer"}, "score": {"type": "number"},
      "author": {"type": "string", "x-ref": "authors"}, "editorId": {"type": "string", "x-ref": "authors"},
      "tags": {"type": "array", "items": {"type": "string"}},
      "related": {"type": "array", "items": {"type": "string", "x-ref": "posts"}},
      "place": {"type": "object", "properties": {"city": {"type": "string"},
                "guide": {"type": "string", "x-ref": "authors"}}},
      "kind": {"type": "string", "enum": ["a", "b"]}, "at": {"type": "string", "x-bson": "date"}, "any": {}}})");
    put("authors", R"({"id": "ann", "name": "Ann"})");
    put("authors", R"({"id": "bob", "name": "Bob"})");
    put("posts", R"({"id": "p1", "title": "One", "views": 1, "author": "ann", "editorId": "bob", "tags": ["x", "y"],
                     "related": ["p2", "gone"], "place": {"city": "Rome", "guide": "bob"}, "any": {"deep": [1, null]}})");
    put("posts", R"({"id": "p2", "title": "Two", "views": 2, "author": "gone", "at": "2026-01-31T09:30:00.000Z"})");
  }

  data::Documents* documents_;
  FakeSearch search_{documents_};
  Graphql graphql_;
};

}  // namespace mb::graphql
