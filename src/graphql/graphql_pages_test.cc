#include <gmock/gmock.h>

#include "graphql/graphql_fixture.h"

namespace mb::graphql {
namespace {

using GraphqlPagesTest = GraphqlTest;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(GraphqlPagesTest, ReadsPages) {
  blog();
  put("posts", R"({"id": "p3", "title": "Three", "views": 1, "author": "bob"})");
  const auto cursorIn = [](const std::string& response) {
    const size_t at = response.find(R"("next":")") + 8;
    return response.substr(at, response.find('"', at) - at);
  };
  const std::string first =
      ask(alice_, "{postsPage(sort: {views: -1}, limit: 1){documents{id author{name}} next total}}");
  EXPECT_THAT(first, StartsWith(R"({"data":{"postsPage":{"documents":[{"id":"p2","author":null}],"next":")"));
  EXPECT_THAT(first, HasSubstr(R"("total":3})"));
  const std::string variables = fmt::format(R"({{"after": "{}"}})", cursorIn(first));
  const std::string second =
      ask(alice_,
          "query($after: ID){postsPage(sort: {views: -1}, limit: 1, after: $after){documents{id author{name}} next}}",
          variables);
  EXPECT_THAT(second,
              StartsWith(R"({"data":{"postsPage":{"documents":[{"id":"p1","author":{"name":"Ann"}}],"next":")"));
  // The plain list takes the same cursors.
  EXPECT_EQ(ask(alice_, "query($after: ID){posts(sort: {views: -1}, after: $after){id}}", variables),
            R"({"data":{"posts":[{"id":"p1"},{"id":"p3"}]}})");
  EXPECT_EQ(ask(alice_, "{postsPage(filter: {views: 1}){more: documents{id} a: documents{title} next __typename}}"),
            R"({"data":{"postsPage":{"more":[{"id":"p1"},{"id":"p3"}],"a":[{"title":"One"},{"title":"Three"}],)"
            R"("next":null,"__typename":"PostsPage"}}})");
  EXPECT_EQ(ask(alice_, "{postsPage(filter: {views: 1}){total}}"), R"({"data":{"postsPage":{"total":2}}})");
  EXPECT_EQ(ask(alice_,
                "{postsPage(after: \"p1\"){documents{id}} a: postsPage(sort: \"-id\", after: \"p3\"){documents{id}}}"),
            R"({"data":{"postsPage":{"documents":[{"id":"p2"},{"id":"p3"}]},)"
            R"("a":{"documents":[{"id":"p2"},{"id":"p1"}]}}})");
}

TEST_F(GraphqlPagesTest, RefusesPagesOfOtherQueries) {
  blog();
  const std::string first = ask(alice_, "{postsPage(sort: {views: 1}, limit: 1){next}}");
  const size_t at = first.find(R"("next":")") + 8;
  const std::string variables = fmt::format(R"({{"after": "{}"}})", first.substr(at, first.find('"', at) - at));
  for (const char* query :
       {"query($after: ID){posts(after: $after){id}}",
        "query($after: ID){postsPage(sort: {title: 1}, after: $after){total}}",
        "query($after: ID){postsPage(sort: {views: 1}, filter: {views: 1}, after: $after){total}}"}) {
    EXPECT_THAT(ask(alice_, query, variables), HasSubstr("INVALID_CURSOR")) << query;
  }
  for (const char* query :
       {"query($after: ID){posts(sort: {views: 1}, skip: 1, after: $after){id}}",
        "query($after: ID){postsPage(sort: {views: 1}, skip: 1, after: $after){total}}",
        "{postsPage(skip: 1, after: \"p1\"){total}}", "{postsPage(sort: {views: 1}, after: \"p1\"){total}}",
        "{posts(sort: {views: 1}, after: \"p1\"){id}}"}) {
    EXPECT_THAT(ask(alice_, query, variables), HasSubstr("INVALID_PARAM")) << query;
  }
}

TEST_F(GraphqlPagesTest, NamesOfPagesYieldToOthers) {
  collection("posts", kOpen, R"({"type": "object", "properties": {
      "page": {"type": "object", "properties": {"n": {"type": "integer"}}}}})");
  collection("postsPage", kOpen);
  put("posts", R"({"id": "p1", "page": {"n": 1}})");
  put("postsPage", R"({"id": "q1"})");
  EXPECT_EQ(
      ask(alice_, "{postsPage{id} postsPage_{documents{page{n}} __typename} postsPagePage{total}}"),
      R"({"data":{"postsPage":[{"id":"q1"}],"postsPage_":{"documents":[{"page":{"n":1}}],"__typename":"PostsPage__"},)"
      R"("postsPagePage":{"total":1}}})");
}

}  // namespace
}  // namespace mb::graphql
