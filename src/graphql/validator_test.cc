#include "graphql/language/validator.h"

#include <gmock/gmock.h>

#include "graphql/graphql_fixture.h"
#include "graphql/language/parser.h"
#include "graphql/language/selections.h"

namespace mb::graphql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ValidatorTest : public GraphqlTest {
 protected:
  ValidatorTest() { blog(); }
  std::vector<std::string> wrong(std::string query) {
    const auto request = parse(query);
    EXPECT_TRUE(request) << query;
    std::vector<std::string> messages;
    if (!request) return messages;
    for (const Problem& problem : validate(*schema(), *request)) messages.push_back(problem.message);
    return messages;
  }
};

TEST_F(ValidatorTest, TakesWhatIsRight) {
  for (const char* query : {
           "{posts{id title author{name} place{city}} __typename __schema{types{name}}}",
           "query A{posts{...F}} query B{posts{...F}} fragment F on Posts{id ...G} fragment G on Posts{title}",
           "query($f: PostsFilter, $l: Int!, $i: [PostsFilter!]){posts(filter: $f, limit: $l){id} "
           "postsCount(filter: {and: $i})}",
           "query($n: Int){posts(filter: {views: {gt: $n, in: [1, $n]}}){id}}",
           "{posts{id id} posts{id title}}",
           "{a: posts(limit: 1){id} a: posts(limit: 1){title}}",
           "mutation{createPosts(input: {tags: \"one\", place: {city: \"x\"}, any: {b: [1, RED]}}){id}}",
           "query($b: Boolean = true){posts @include(if: $b) @skip(if: false){id}}",
       }) {
    EXPECT_THAT(wrong(query), IsEmpty()) << query;
  }
}

TEST_F(ValidatorTest, TellsWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{nope}", "Cannot query field \"nope\" on type \"Query\"."},
      {"{posts{nope}}", "Cannot query field \"nope\" on type \"Posts\"."},
      {"{posts{__schema{types{name}}}}", "Cannot query field \"__schema\" on type \"Posts\"."},
      {"{posts}",
       "Field \"posts\" of type \"[Posts!]\" must have a selection of subfields. Did you mean \"posts { ... "
       "}\"?"},
      {"{posts{id{x}}}", "Field \"id\" must not have a selection since type \"ID!\" has no subfields."},
      {"{posts(nope: 1){id}}", "Unknown argument \"nope\" on field \"Query.posts\"."},
      {"{posts(limit: 1, limit: 2){id}}", "There can be only one argument named \"limit\"."},
      {"{postsById{id}}", "Field \"postsById\" argument \"id\" of type \"ID!\" is required, but it was not provided."},
      {"{postsById(id: null){id}}", "Expected value of type \"ID!\", found null."},
      {"{postsById(id: 1.5){id}}", "ID cannot represent a non-string and non-integer value: 1.5"},
      {"{posts(limit: \"1\"){id}}", "Int cannot represent non-integer value: \"1\""},
      {"{posts(limit: 2147483648){id}}", "Int cannot represent non 32-bit signed integer value: 2147483648"},
      {"{posts(filter: 1){id}}", "Expected value of type \"PostsFilter\", found 1."},
      {"{posts(filter: {nope: 1}){id}}", "Field \"nope\" is not defined by type \"PostsFilter\"."},
      {"{posts(filter: {id: 1, id: 2}){id}}", "There can be only one input field named \"id\"."},
      {"{posts(sort: {a: {b: 1, b: 2}}){id}}", "There can be only one input field named \"b\"."},
      {"{posts(sort: {a: 1e999}){id}}", "this number is out of range: 1e999"},
      {"mutation{createPosts(input: {score: \"x\"}){id}}", "Float cannot represent non numeric value: \"x\""},
      {"mutation{createPosts(input: {at: \"soon\"}){id}}",
       "DateTime cannot represent a value that is not an RFC 3339 time: \"soon\""},
      {"{posts{id} ...F} fragment F on Posts{id}",
       "Fragment \"F\" cannot be spread here as objects of type \"Query\" can never be of type \"Posts\"."},
      {"{...on Posts{id}}",
       "Fragment cannot be spread here as objects of type \"Query\" can never be of type \"Posts\"."},
      {"{...on Nope{id}}", "Unknown type \"Nope\"."},
      {"{...on String{id}}", "Fragment cannot condition on non composite type \"String\"."},
      {"{...F}", "Unknown fragment \"F\"."},
      {"{postsCount} fragment F on Query{postsCount}", "Fragment \"F\" is never used."},
      {"{...F} fragment F on Query{postsCount} fragment F on Query{postsCount}",
       "There can be only one fragment named \"F\"."},
      {"{...F} fragment F on Query{...F}", "Cannot spread fragment \"F\" within itself."},
      {"{...F} fragment F on Query{...G} fragment G on Query{...F}",
       "Cannot spread fragment \"F\" within itself via \"G\"."},
      {"query A{postsCount} query A{postsCount}", "There can be only one operation named \"A\"."},
      {"{postsCount} query A{postsCount}", "This anonymous operation must be the only defined operation."},
      {"subscription{posts{id}}", "Schema is not configured to execute subscription operation."},
      {"query($a: Int, $a: Int){posts(limit: $a){id}}", "There can be only one variable named \"$a\"."},
      {"query($a: Posts){posts(limit: $a){id}}", "Variable \"$a\" cannot be non-input type \"Posts\"."},
      {"query($a: [Nope]){posts(limit: $a){id}}", "Unknown type \"Nope\"."},
      {"query($a: Int = \"x\"){posts(limit: $a){id}}", "Int cannot represent non-integer value: \"x\""},
      {"{posts(limit: $a){id}}", "Variable \"$a\" is not defined."},
      {"query Q{...F} fragment F on Query{posts(limit: $a){id}}", "Variable \"$a\" is not defined by operation \"Q\"."},
      {"query($a: Int){postsCount}", "Variable \"$a\" is never used."},
      {"query Q($a: Int){postsCount}", "Variable \"$a\" is never used in operation \"Q\"."},
      {"query($a: String){posts(limit: $a){id}}",
       "Variable \"$a\" of type \"String\" used in position expecting type \"Int\"."},
      {"query($a: ID){postsById(id: $a){id}}",
       "Variable \"$a\" of type \"ID\" used in position expecting type \"ID!\"."},
      {"query($a: Boolean){posts @skip(if: $a){id}}",
       "Variable \"$a\" of type \"Boolean\" used in position expecting type \"Boolean!\"."},
      {"{posts @nope{id}}", "Unknown directive \"@nope\"."},
      {"query @include(if: true){postsCount}", "Directive \"@include\" may not be used on QUERY."},
      {"{posts @skip(if: true) @skip(if: false){id}}",
       "The directive \"@skip\" can only be used once at this location."},
      {"{posts @skip{id}}",
       "Directive \"@skip\" argument \"if\" of type \"Boolean!\" is required, but it was not provided."},
      {"{posts @skip(if: true, x: 1){id}}", "Unknown argument \"x\" on directive \"@skip\"."},
      {"{posts{a: id a: title}}",
       "Fields \"a\" conflict because \"id\" and \"title\" are different fields. Use different aliases on the fields "
       "to "
       "fetch both if this was intentional."},
      {"{posts(limit: 1){id} posts(limit: 2){id}}",
       "Fields \"posts\" conflict because they have differing arguments. Use different aliases on the fields to fetch "
       "both if this was intentional."},
      {"{posts{author{a: name}} ...F} fragment F on Query{posts{author{a: id}}}",
       "Fields \"a\" conflict because \"name\" and \"id\" are different fields. Use different aliases on the fields to "
       "fetch both if this was intentional."},
  };
  for (const auto& [query, message] : cases) EXPECT_THAT(wrong(query), ElementsAre(message)) << query;
}

TEST_F(ValidatorTest, BoundsDepth) {
  const auto deep = [](int levels) {
    std::string query = "{posts";
    for (int i = 2; i < levels; ++i) query += "{related";
    query += "{id";
    for (int i = 1; i < levels; ++i) query += "}";
    return query + "}";
  };
  EXPECT_THAT(wrong(deep(kMaxDepth)), IsEmpty());
  EXPECT_THAT(wrong(deep(kMaxDepth + 1)), ElementsAre(HasSubstr("nested deeper")));
  EXPECT_THAT(wrong("{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}"),
              ElementsAre(HasSubstr("introspection is nested too deep")));
}

TEST_F(ValidatorTest, BoundsAliases) {
  const auto aliased = [](size_t count) {
    std::string query = "{postsCount ";
    for (size_t i = 0; i < count; ++i) query += fmt::format("...{{a{}: posts(limit: 1){{id}}}} ", i);
    return query + "}";
  };
  EXPECT_THAT(wrong(aliased(kMaxAliases)), IsEmpty());
  EXPECT_THAT(wrong(aliased(kMaxAliases + 1)), ElementsAre(HasSubstr("more than 20 names")));
}

// Each fragment multiplies the selections of the one before.
TEST_F(ValidatorTest, BoundsWhatFragmentsMultiply) {
  std::string query = "{posts{...F0}}";
  for (int i = 0; i < 10; ++i) {
    query += fmt::format(
        " fragment F{0} on Posts{{a{0}: related{{...F{1}}} b{0}: related{{...F{1}}} c{0}: related{{...F{1}}}}}", i,
        i + 1);
  }
  EXPECT_THAT(wrong(query + " fragment F10 on Posts{id}"), ElementsAre("The request selects too many fields."));
}

TEST_F(ValidatorTest, BoundsCost) {
  EXPECT_EQ(ask(alice_, "{posts(limit: 1000){id related{id}}}").substr(0, 11), R"({"errors":[)");
  EXPECT_THAT(ask(alice_, "{posts(limit: 1000){id related{id}}}"), HasSubstr("costs more than 5000"));
  EXPECT_THAT(ask(alice_, "query($n: Int){posts(limit: $n){related{related{id}}}}", R"({"n": 1000})"),
              HasSubstr("costs more than 5000"));
  EXPECT_THAT(ask(alice_, "{posts(limit: 1000){id title author{name}}}"), HasSubstr("p1"));
  EXPECT_THAT(ask(alice_, "{posts(limit: 100000){id}}"), HasSubstr("p1"));
}

}  // namespace
}  // namespace mb::graphql
