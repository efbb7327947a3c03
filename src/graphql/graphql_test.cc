#include "graphql/graphql.h"

#include <gmock/gmock.h>

#include "graphql/graphql_fixture.h"

namespace mb::graphql {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(GraphqlTest, ReadsListsDocumentsAndCounts) {
  blog();
  EXPECT_EQ(
      ask(alice_, "{posts{id title} n: postsCount one: postsById(id: \"p2\"){title views} postsById(id: \"x\"){id}}"),
      R"({"data":{"posts":[{"id":"p1","title":"One"},{"id":"p2","title":"Two"}],"n":2,"one":{"title":"Two","views":2},"postsById":null}})");
  EXPECT_EQ(ask(alice_,
                "{posts(limit: 1, skip: 1){id} a: posts(after: \"p1\"){id} b: posts(sort: {views: -1}){id} "
                "c: posts(sort: \"-id\", after: \"p2\"){id}}"),
            R"({"data":{"posts":[{"id":"p2"}],"a":[{"id":"p2"}],"b":[{"id":"p2"},{"id":"p1"}],"c":[{"id":"p1"}]}})");
}

TEST_F(GraphqlTest, ShowsRelationsBesideTheirIds) {
  blog();
  EXPECT_EQ(ask(alice_, "{posts{author{name} authorId editor{name} editorId related{title author{name}} relatedId}}"),
            R"({"data":{"posts":[{"author":{"name":"Ann"},"authorId":"ann","editor":{"name":"Bob"},"editorId":"bob",)"
            R"("related":[{"title":"Two","author":null}],"relatedId":["p2","gone"]},)"
            R"({"author":null,"authorId":"gone","editor":null,"editorId":null,"related":null,"relatedId":null}]}})");
  EXPECT_EQ(ask(alice_, "{posts(limit: 1){place{city guide{name} guideId} tags any}}"),
            R"({"data":{"posts":[{"place":{"city":"Rome","guide":{"name":"Bob"},"guideId":"bob"},)"
            R"("tags":["x","y"],"any":{"deep":[1,null]}}]}})");
}

TEST_F(GraphqlTest, ShowsProfilesOfEndUsersWhereTheProjectDoes) {
  collection("posts", kOpen, R"({"type": "object", "properties": {
      "author": {"type": "string", "x-ref": "users"},
      "readers": {"type": "array", "items": {"type": "string", "x-ref": "users"}}}})");
  collection("tags", kOpen);
  put("posts", R"({"id": "p1", "author": "user_ann", "readers": ["user_gone", "user_ann"]})");
  endUser("user_ann",
          R"({"id": "user_ann", "email": "ann@x.example", "name": "Ann", "metadata": {"avatar": {"url": "a"},
                          "role": "chief"}})");
  EXPECT_EQ(ask(alice_, "{posts{author readers}}"),
            R"({"data":{"posts":[{"author":"user_ann","readers":["user_gone","user_ann"]}]}})");
  settings(R"({"profileFields": ["email", "metadata.avatar.url", "metadata.1x"]})");
  EXPECT_EQ(ask(alice_, "{posts{authorId author{id email metadata{avatar} __typename} readers{id} readersId}}"),
            R"({"data":{"posts":[{"authorId":"user_ann","author":{"id":"user_ann","email":"ann@x.example",)"
            R"("metadata":{"avatar":{"url":"a"}},"__typename":"UserProfile"},"readers":[{"id":"user_ann"}],)"
            R"("readersId":["user_gone","user_ann"]}]}})");
  EXPECT_THAT(refusal("{posts{author{name}}}"), HasSubstr("name"));
  policy::Caller nobody = user("");
  nobody.kind = policy::CallerKind::anonymous;
  expectOk(run(data_->collections().setPolicy(
      {owner_, snapshot()}, "posts",
      data::json(R"({"read":{},"list":{},"create":{},"update":{},"delete":{},"public":{"read":{},"list":{}}})"))));
  EXPECT_EQ(ask(nobody, "{posts{author{id email}}}"),
            R"({"data":{"posts":[{"author":{"id":"user_ann","email":null}}]}})");
  EXPECT_EQ(ask(alice_, "mutation{updatePosts(id: \"p1\", patch: {author: \"user_x\"}){author{id} authorId}}"),
            R"({"data":{"updatePosts":{"author":null,"authorId":"user_x"}}})");
}

TEST_F(GraphqlTest, Filters) {
  blog();
  const auto found = [&](std::string_view filter) {
    return ask(alice_, fmt::format("{{posts(filter: {}){{id}}}}", filter));
  };
  const std::string first = R"({"data":{"posts":[{"id":"p1"}]}})";
  EXPECT_EQ(found("{title: \"One\"}"), first);
  EXPECT_EQ(found("{title: {eq: \"One\"}}"), first);
  EXPECT_EQ(found("{views: {lt: 2, gte: 1}}"), first);
  EXPECT_EQ(found("{title: {in: [\"One\"]}, tags: \"x\"}"), first);
  EXPECT_EQ(found("{or: [{title: \"One\"}, {views: 9}]}"), first);
  EXPECT_EQ(found("{not: {title: \"Two\"}}"), first);
  EXPECT_EQ(found("{title: {not: {eq: \"Two\"}}}"), first);
  EXPECT_EQ(found("{authorId: \"ann\"}"), first);
  EXPECT_EQ(found("{author: \"ann\"}"), first);
  EXPECT_EQ(found("{place: {city: \"Rome\"}}"), first);
  EXPECT_EQ(found("{place: {city: {regex: \"^r\", options: \"i\"}}}"), first);
  EXPECT_EQ(found("{place: {exists: true}}"), first);
  EXPECT_EQ(found("{tags: {elemMatch: {eq: \"y\"}}}"), first);
  EXPECT_EQ(found("{at: {exists: false}}"), first);
  EXPECT_EQ(found("{at: {gt: \"2026-01-01T00:00:00Z\"}}"), R"({"data":{"posts":[{"id":"p2"}]}})");
  EXPECT_EQ(ask(alice_, "query($f: PostsFilter){posts(filter: $f){id}}", R"({"f": {"title": {"$eq": "One"}}})"), first);
  EXPECT_EQ(ask(alice_, "query($t: String){posts(filter: {title: $t}){id}}", R"({"t": "One"})"), first);
  EXPECT_THAT(found("{place: {town: 1}}"), HasSubstr("INVALID_FILTER"));
  EXPECT_THAT(found("{title: {regex: \"(?=x)\"}}"), HasSubstr("INVALID_FILTER"));
}

TEST_F(GraphqlTest, WritesOneAfterAnother) {
  blog();
  EXPECT_EQ(
      ask(alice_,
          "mutation{createPosts(input: {id: \"p3\", title: \"Three\", authorId: \"ann\"}){id ownerId author{name}} "
          "updatePosts(id: \"p3\", patch: {views: 3}){title views} "
          "replacePosts(id: \"p3\", input: {title: \"New\"}){title views} deletePosts(id: \"p3\")}"),
      R"({"data":{"createPosts":{"id":"p3","ownerId":"user_alice","author":{"name":"Ann"}},)"
      R"("updatePosts":{"title":"Three","views":3},"replacePosts":{"title":"New","views":null},"deletePosts":true}})");
  const std::string failed = ask(alice_,
                                 "mutation{a: createPosts(input: {}){id} b: createPosts(input: {title: \"B\"}){title} "
                                 "deletePosts(id: \"nope\")}");
  EXPECT_THAT(failed, HasSubstr(R"({"data":{"a":null,"b":{"title":"B"},"deletePosts":null},"errors":[)"));
  EXPECT_THAT(failed, HasSubstr(R"("path":["a"],"extensions":{"code":"VALIDATION","details":[)"));
  EXPECT_THAT(failed, HasSubstr(R"("path":["deletePosts"],"extensions":{"code":"NOT_FOUND"})"));
  EXPECT_THAT(ask(alice_, "mutation{createPosts(input: {title: \"x\", author: \"a\", authorId: \"b\"}){id}}"),
              HasSubstr("set twice"));
  EXPECT_THAT(ask(alice_, "mutation{createPosts(input: {id: \"p1\", title: \"x\"}){id}}"), HasSubstr("CONFLICT"));
}

TEST_F(GraphqlTest, ShowsWhatHasNoSchemaAsData) {
  collection("notes", kOpen);
  put("notes", R"({"id": "n1", "text": "Hello", "deep": {"a": 1}})");
  EXPECT_EQ(ask(alice_, "{notes(filter: {data: {text: {eq: \"Hello\"}}}){id data}}"),
            R"({"data":{"notes":[{"id":"n1","data":{"text":"Hello","deep":{"a":1}}}]}})");
  EXPECT_EQ(
      ask(alice_,
          "mutation{createNotes(input: {id: \"n2\", data: {a: [1, {b: null}]}}){data} "
          "updateNotes(id: \"n2\", patch: {data: {c: 2}}){data}}"),
      R"({"data":{"createNotes":{"data":{"a":[1,{"b":null}]}},"updateNotes":{"data":{"a":[1,{"b":null}],"c":2}}}})");
  EXPECT_THAT(refusal("mutation{createNotes(input: {data: 5}){id}}"), HasSubstr("data"));
}

TEST_F(GraphqlTest, HoldsToPolicies) {
  collection("secrets",
             R"({"read": {"deniedReadFields": ["pin"]}, "list": {"filter": {"ownerId": "$auth.uid"}}, "create": {},
                 "update": {}, "delete": {}})",
             R"({"type": "object", "properties": {"pin": {"type": "string"}, "n": {"type": "integer"}}})");
  put("secrets", R"({"id": "s1", "ownerId": "user_alice", "pin": "1234", "n": 1})");
  put("secrets", R"({"id": "s2", "ownerId": "user_bob", "pin": "9876", "n": 2})");
  EXPECT_EQ(ask(alice_, "{secrets{id pin} secretsCount secretsById(id: \"s2\"){id}}"),
            R"({"data":{"secrets":[{"id":"s1","pin":null}],"secretsCount":1,"secretsById":null}})");
  for (const std::string_view query :
       {"{secrets(filter: {pin: \"1234\"}){id}}", "{secrets(sort: {pin: 1}){id}}",
        "{secretsCount(filter: {not: {pin: {gt: \"1\"}}})}", "{secrets(sort: \"n,-pin.0\"){id}}"}) {
    const std::string refused = ask(alice_, query);
    EXPECT_THAT(refused, HasSubstr("FORBIDDEN")) << query;
    EXPECT_THAT(refused, HasSubstr("null")) << query;
  }
  EXPECT_EQ(ask(alice_, "mutation{createSecrets(input: {pin: \"5\"}){pin}}"),
            R"({"data":{"createSecrets":{"pin":null}}})");
  collection("closed", R"({"create": {}})");
  EXPECT_EQ(ask(alice_, "{closed{id} secretsCount}"),
            R"({"data":{"closed":null,"secretsCount":2},"errors":[{"message":"denied by policy",)"
            R"("locations":[{"line":1,"column":2}],"path":["closed"],"extensions":{"code":"FORBIDDEN"}}]})");
}

TEST_F(GraphqlTest, HidesCollectionsOutOfReach) {
  blog();
  collection("payroll", kOpen, R"({"type": "object", "properties": {"salary": {"type": "integer"},
    "slip": {"type": "object", "properties": {"page": {"type": "integer"}}}}})");
  collection("drafts", R"({"admin": {}})");
  policy::Caller reader = alice_;
  reader.permissions = permissions({"data:posts:read", "data:posts:list", "data:drafts:list"});
  constexpr std::string_view kNames = "{__schema{types{name} queryType{fields{name}} mutationType{fields{name}}}}";
  const auto hides = [&](const policy::Caller& caller, std::string_view text) {
    return ask(caller, kNames).find(text) == std::string::npos;
  };
  for (const std::string_view hidden : {"ayroll", "uthors", "rafts"}) EXPECT_TRUE(hides(reader, hidden)) << hidden;
  EXPECT_FALSE(hides(reader, "createPosts"));
  EXPECT_TRUE(hides(alice_, "rafts"));  // a permission, but no rule
  for (const std::string_view shown : {"ayroll", "uthors", "rafts"}) EXPECT_FALSE(hides(owner_, shown)) << shown;

  // A text that another caller may run, and ran before, gives no access. The names have the same length, so the
  // locations are equal.
  const auto answers = [&](const policy::Caller& caller, const std::string& name, const std::string& type) {
    std::string all;
    for (const std::string& query :
         {"{" + name + "{id}}", "{" + name + "Count}", "mutation{delete" + type + "(id: 1)}",
          "query($f: " + type + "Filter){posts{id}}", "{__type(name: \"" + type + "\"){name}}"}) {
      all += ask(caller, query) + "\n";
    }
    for (const std::string& word : {name, type}) {
      for (size_t at; (at = all.find(word)) != std::string::npos;) all.replace(at, word.size(), "?");
    }
    return all;
  };
  EXPECT_NE(answers(alice_, "nowhere", "Nowhere"), answers(alice_, "payroll", "Payroll"));
  EXPECT_EQ(answers(reader, "nowhere", "Nowhere"), answers(reader, "payroll", "Payroll"));
  // Of a relation to a hidden collection only the id remains, under its usual name.
  EXPECT_EQ(ask(reader, "{posts{authorId}}"), R"({"data":{"posts":[{"authorId":"ann"},{"authorId":"gone"}]}})");
  EXPECT_THAT(ask(reader, "{posts{author{name}}}"), Not(HasSubstr("data")));
  EXPECT_THAT(ask(alice_, "{posts{author{name}}}"), HasSubstr("Ann"));
}

TEST_F(GraphqlTest, NamesStayWhenOtherCollectionsAreHidden) {
  collection("things", kOpen);
  collection("thingsCount", kOpen);
  policy::Caller reader = alice_;
  reader.permissions = permissions({"data:thingsCount:*"});
  EXPECT_THAT(ask(alice_, "{thingsCount_{id}}"), HasSubstr("[]"));
  EXPECT_THAT(ask(reader, "{thingsCount_{id}}"), HasSubstr("[]"));
}

TEST_F(GraphqlTest, CallersWithTheSameReachShareASchema) {
  blog();
  const auto schemaOf = [&](std::vector<std::string> held) {
    policy::Caller caller = alice_;
    caller.permissions = permissions(std::move(held));
    return graphql_.schema(*snapshot(), caller);
  };
  EXPECT_EQ(schema(), schemaOf({"data:*:*"}));
  const auto some = schemaOf({"data:posts:read"});
  EXPECT_NE(schema(), some);
  EXPECT_EQ(some, schemaOf({"data:posts:list"}));
  EXPECT_NE(some, schemaOf({"data:authors:list"}));
}

TEST_F(GraphqlTest, ShowsOfRelationsOnlyWhatTheReadRuleShows) {
  collection("people", R"({"read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["mail"]}})",
             R"({"type": "object", "properties": {"mail": {"type": "string"}, "name": {"type": "string"}}})");
  collection("rooms", kOpen, R"({"type": "object", "properties": {
    "host": {"type": "string", "x-ref": "people"}, "guests": {"type": "array", "items": {"type": "string", "x-ref": {"collection": "people", "check": "exists"}}}}})");
  put("people", R"({"id": "a", "ownerId": "user_alice", "name": "A", "mail": "a@x"})");
  put("people", R"({"id": "b", "ownerId": "user_bob", "name": "B", "mail": "b@x"})");
  put("rooms", R"({"id": "r", "host": "b", "guests": ["a", "b"]})");
  EXPECT_EQ(ask(alice_, "{rooms{host{name} hostId guests{name mail}}}"),
            R"({"data":{"rooms":[{"host":null,"hostId":"b","guests":[{"name":"A","mail":null}]}]}})");
  EXPECT_THAT(ask(alice_, "{people{id}}"), HasSubstr("FORBIDDEN"));
}

TEST_F(GraphqlTest, AsksKeysForScopes) {
  blog();
  policy::Caller key = owner_;
  key.kind = policy::CallerKind::apiKey;
  key.scopes = {"read"};
  EXPECT_THAT(ask(key, "{posts{id}}"), HasSubstr("p1"));
  EXPECT_EQ(ask(key, "mutation{deletePosts(id: \"p1\")}"),
            R"({"errors":[{"message":"this key lacks the scope write","extensions":{"code":"FORBIDDEN"}}]})");
  key.scopes = {"storage"};
  EXPECT_THAT(ask(key, "{__typename}"), HasSubstr("FORBIDDEN"));
}

TEST_F(GraphqlTest, ServesKeysOfScopeServicePastPolicies) {
  collection("closed", "", R"({"type": "object", "properties": {"a": {"type": "integer"}}})");
  put("closed", R"({"id": "c1", "a": 1})");
  EXPECT_THAT(ask(alice_, "{closed{id}}"), HasSubstr("errors"));
  policy::Caller key = user("key_1");
  key.kind = policy::CallerKind::apiKey;
  key.scopes = {"service"};
  key.permissions = permissions({"data:*"});
  EXPECT_EQ(ask(key, "{closed{a}}"), R"({"data":{"closed":[{"a":1}]}})");
  EXPECT_EQ(ask(key, "mutation{createClosed(input: {id: \"c2\", ownerId: \"user_x\"}){ownerId}}"),
            R"({"data":{"createClosed":{"ownerId":"user_x"}}})");
}

// A stopped pool refuses work as a full one does, which shows what is written on it.
TEST_F(GraphqlTest, WritesOffTheCoreWhatIsLargeAlsoByRepetition) {
  blog();
  const std::string text(5 << 10, 'x');
  put("authors", fmt::format(R"({{"id": "long", "name": "{}"}})", text));
  put("posts", R"({"id": "q1", "title": "Refers", "author": "long", "related": ["q1", "q1", "q1"]})");
  for (int i = 0; i < 60; ++i) put("posts", R"({"title": "Refers", "author": "long", "related": ["q1", "gone"]})");
  const std::string_view all = "{posts(filter: {title: \"Refers\"}, limit: 200){author{name}}}";
  const std::string whole = ask(alice_, all);
  EXPECT_GT(whole.size(), 60 * text.size());
  EXPECT_THAT(whole, Not(HasSubstr("errors")));

  graphql_.pool().stop();
  const std::string refused = ask(alice_, all);
  EXPECT_THAT(refused, StartsWith(R"({"data":null,"errors":[)"));
  EXPECT_THAT(refused, HasSubstr(R"("extensions":{"code":"UNAVAILABLE")"));
  // Also one level below, and if fields refer to documents of other fields.
  EXPECT_THAT(ask(alice_, "{posts(filter: {title: \"Refers\"}, limit: 200){related{author{name}}}}"),
              HasSubstr("UNAVAILABLE"));
  std::string often;
  for (int i = 0; i < 20; ++i) often += fmt::format("a{}: author{{name}} ", i);
  EXPECT_THAT(ask(alice_, "{postsById(id: \"q1\"){related{" + often + "}}}"), HasSubstr("UNAVAILABLE"));
  // Or if a document is written under several names, or walked for relations.
  put("posts", fmt::format(R"({{"id": "big", "title": "{}"}})", std::string(20 << 10, 'x')));
  std::string names;
  for (int i = 0; i < 20; ++i) names += fmt::format("a{}: title ", i);
  EXPECT_THAT(ask(alice_, "{postsById(id: \"big\"){" + names + "}}"), HasSubstr("UNAVAILABLE"));
  EXPECT_THAT(ask(alice_, "{postsById(id: \"big\"){title}}"), Not(HasSubstr("errors")));
  // Small responses are written on the core.
  EXPECT_THAT(ask(alice_, "{posts(limit: 200){id title}}"), Not(HasSubstr("errors")));
  EXPECT_THAT(ask(alice_, "{posts(filter: {title: \"Refers\"}, limit: 30){author{name}}}"), Not(HasSubstr("errors")));
  // Schemas are built and described on the pool.
  EXPECT_THAT(ask(alice_, "{__schema{types{name}}}"), HasSubstr("UNAVAILABLE"));
  EXPECT_THAT(ask(alice_, "{__type(name: \"Posts\"){name}}"), HasSubstr("UNAVAILABLE"));
  // The response of a mutation is written all the same, as it is committed.
  const std::string large(300 << 10, 'x');
  EXPECT_THAT(ask(alice_, "mutation{createPosts(input: {title: \"" + large + "\", author: \"long\"}){author{id}}}"),
              R"({"data":{"createPosts":{"author":{"id":"long"}}}})");
  collection("more", kOpen);
  EXPECT_THAT(ask(alice_, "{posts(limit: 1){id}}"), StartsWith(R"({"errors":[)"));
}

TEST_F(GraphqlTest, ShowsWhatAMutationHasDoneWhereThePoolRefuses) {
  blog();
  ask(alice_, "{posts{id}}");  // so that its schema is cached
  graphql_.pool().stop();
  const std::string title(400 << 10, 'x');
  EXPECT_EQ(ask(alice_, "mutation($t: String!){createPosts(input: {id: \"big\", title: $t}){id title}}",
                fmt::format(R"({{"t": "{}"}})", title)),
            fmt::format(R"({{"data":{{"createPosts":{{"id":"big","title":"{}"}}}}}})", title));
  EXPECT_THAT(ask(alice_, "{postsById(id: \"big\"){title}}"), HasSubstr("UNAVAILABLE"));
}

// One call for each collection, however many documents a level has.
TEST_F(GraphqlTest, FetchesALevelAtOnce) {
  blog();
  const auto reads = [&](std::string_view query) {
    (void)schema();
    const size_t before = store_.reads();
    EXPECT_THAT(ask(alice_, query), Not(HasSubstr("errors")));
    return store_.reads() - before;
  };
  EXPECT_EQ(reads("{posts{id}}"), 1u);
  EXPECT_EQ(reads("{posts{author{name}}}"), 2u);
  for (int i = 0; i < 40; ++i) {
    put("posts", fmt::format(R"({{"title": "More", "author": "{}", "editorId": "bob", "related": ["p1", "p2"]}})",
                             i % 2 == 0 ? "ann" : "bob"));
  }
  EXPECT_EQ(reads("{posts{author{name} editor{name} place{guide{name}}}}"), 2u);
  EXPECT_EQ(reads("{posts{author{name} related{id}}}"), 3u);
  // Documents that one level has loaded are not loaded again by another.
  EXPECT_EQ(reads("{posts{author{name} related{author{name} related{id}}}}"), 3u);
  EXPECT_EQ(reads("{posts(filter: {author: null}){author{name}}}"), 1u);
}

TEST_F(GraphqlTest, TellsWhatTheStoreCannotDo) {
  blog();
  ask(alice_, "{posts{id}}");
  store_.failWith(ErrorCode::unavailable);
  const std::string answered = ask(alice_, "{posts{id} __typename postsCount}");
  store_.failWith(std::nullopt);
  EXPECT_THAT(answered, HasSubstr(R"({"data":{"posts":null,"__typename":"Query","postsCount":null},"errors":[)"));
  EXPECT_THAT(answered, HasSubstr(R"("path":["postsCount"],"extensions":{"code":"UNAVAILABLE"})"));
}

TEST_F(GraphqlTest, LeavesOutWhatDirectivesSay) {
  blog();
  EXPECT_EQ(ask(alice_,
                "query($y: Boolean!, $n: Boolean = false){postsCount @skip(if: $y) posts(limit: 1){id @include(if: $n) "
                "...F @include(if: $y) ... @skip(if: true){views}}} fragment F on Posts{title __typename}",
                R"({"y": true})"),
            R"({"data":{"posts":[{"title":"One","__typename":"Posts"}]}})");
}

TEST_F(GraphqlTest, TakesTheVariablesOfEachRunOfOneText) {
  blog();
  const std::string decided =
      "query A($n: Int, $with: Boolean!){posts(limit: $n){id title @include(if: $with)}} query B{postsCount}";
  const std::string fixed = "query($n: Int, $id: ID!){posts(limit: $n){id author{id}} postsById(id: $id){title}}";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ask(alice_, decided, R"({"n": 1, "with": true})", "A"),
              R"({"data":{"posts":[{"id":"p1","title":"One"}]}})");
    EXPECT_EQ(ask(alice_, decided, R"({"n": 2, "with": false})", "A"),
              R"({"data":{"posts":[{"id":"p1"},{"id":"p2"}]}})");
    EXPECT_EQ(ask(alice_, decided, "{}", "B"), R"({"data":{"postsCount":2}})");
    EXPECT_EQ(ask(alice_, fixed, R"({"n": 1, "id": "p2"})"),
              R"({"data":{"posts":[{"id":"p1","author":{"id":"ann"}}],"postsById":{"title":"Two"}}})");
    EXPECT_EQ(ask(alice_, fixed, R"({"n": 0, "id": "p1"})"), R"({"data":{"posts":[],"postsById":{"title":"One"}}})");
  }
}

TEST_F(GraphqlTest, AsksForADocumentOnceWhereTwoFieldsLeadToIt) {
  blog();
  put("posts", R"({"id": "p3", "title": "Three", "author": "bob", "editorId": "bob"})");
  EXPECT_EQ(
      ask(alice_, "{postsById(id: \"p3\"){author{id name} again: author{name} editor{name}}}"),
      R"({"data":{"postsById":{"author":{"id":"bob","name":"Bob"},"again":{"name":"Bob"},"editor":{"name":"Bob"}}}})");
}

TEST_F(GraphqlTest, TellsWhereAFieldFailed) {
  collection("old", kOpen, R"({"type": "object", "properties": {"n": {}, "t": {}}})");
  put("old", R"({"id": "o1", "n": 5000000000, "t": {"a": 1}})");
  expectOk(run(data_->collections().setSchema(
      managing(), "old",
      data::json(
          R"({"type": "object", "properties": {"n": {"type": "integer"}, "t": {"type": "array", "items": {"type": "string"}}}})"))));
  const std::string answered = ask(alice_, "{old{id n t}}");
  EXPECT_THAT(answered, HasSubstr(R"({"data":{"old":[{"id":"o1","n":null,"t":null}]},"errors":[)"));
  EXPECT_THAT(answered, HasSubstr(R"("message":"Int cannot represent non 32-bit signed integer value: 5000000000")"));
  EXPECT_THAT(answered, HasSubstr(R"("path":["old",0,"n"])"));
  EXPECT_THAT(answered, HasSubstr(R"(Expected Iterable, but did not find one for field \"Old.t\".)"));
}

TEST_F(GraphqlTest, SearchesWhereThereAreVectors) {
  collection("articles", kOpen, R"({"type": "object", "properties": {"title": {"type": "string"}}})");
  collection("others", kOpen);
  put("articles", R"({"id": "a1", "title": "One"})");
  EXPECT_EQ(
      ask(alice_, "{articlesSearch(vector: [1, 0.5], field: \"v\", limit: 3, filter: {title: \"One\"}){id _score}}"),
      R"({"data":{"articlesSearch":[{"id":"a1","_score":0.5}]}})");
  EXPECT_EQ(search_.asked.field, "v");
  EXPECT_EQ(search_.asked.limit, 3u);
  EXPECT_EQ(search_.asked.vector, (std::vector<double>{1, 0.5}));
  EXPECT_FALSE(search_.asked.text);
  EXPECT_EQ(refusal("{othersSearch(text: \"x\"){id}}"), "Cannot query field \"othersSearch\" on type \"Query\".");
}

TEST_F(GraphqlTest, AnswersBadRequests) {
  blog();
  const auto told = [&](std::string_view body) { return answer(alice_, data::json(body)); };
  EXPECT_THAT(told("{}"), HasSubstr("Must provide query string."));
  EXPECT_THAT(told(R"({"query": 5})"), HasSubstr("`query` must be a string."));
  EXPECT_THAT(told(R"({"query": "{a}", "variables": []})"), HasSubstr("`variables` must be"));
  EXPECT_THAT(told(R"({"query": "{a}", "operationName": 1})"), HasSubstr("`operationName` must be"));
  EXPECT_EQ(told(R"({"query": "{postsCount}", "operationName": null, "variables": null, "extensions": {}})"),
            R"({"data":{"postsCount":2}})");
  EXPECT_EQ(told(R"({"query": "\n  {a(}"})"),
            R"({"errors":[{"message":"Syntax Error: Expected Name, found \"}\".","locations":[{"line":2,"column":6}],)"
            R"("extensions":{"code":"VALIDATION"}}]})");
  const std::string two = "query A{postsCount} query B{n: postsCount}";
  EXPECT_EQ(ask(alice_, two, "{}", "B"), R"({"data":{"n":2}})");
  EXPECT_THAT(ask(alice_, two), HasSubstr("Must provide operation name"));
  EXPECT_THAT(ask(alice_, two, "{}", "C"), HasSubstr("Unknown operation named"));
  EXPECT_THAT(refusal("fragment F on Posts{id}"), HasSubstr("F"));
}

TEST_F(GraphqlTest, ReadsVariables) {
  blog();
  EXPECT_EQ(refusal("query($id: ID!){postsById(id: $id){id}}"),
            "Variable \"$id\" of required type \"ID!\" was not provided.");
  EXPECT_EQ(refusal("query($id: ID!){postsById(id: $id){id}}", R"({"id": null})"),
            "Variable \"$id\" of non-null type \"ID!\" must not be null.");
  EXPECT_EQ(refusal("query($n: Int){posts(limit: $n){id}}", R"({"n": "1"})"),
            "Variable \"$n\" got invalid value \"1\"; Int cannot represent non-integer value: \"1\"");
  EXPECT_EQ(refusal("mutation($i: PostsInput!){createPosts(input: $i){id}}", R"({"i": {"title": "a", "what": 1}})"),
            "Variable \"$i\" got invalid value {\"title\":\"a\",\"what\":1}; Field \"what\" is not defined by type "
            "\"PostsInput\".");
  EXPECT_EQ(refusal("mutation($i: PostsInput!){createPosts(input: $i){id}}", R"({"i": {"tags": ["a", 1]}})"),
            "Variable \"$i\" got invalid value 1 at \"i.tags[1]\"; String cannot represent a non string value: 1");
  EXPECT_EQ(ask(alice_, "query($id: ID! = \"p1\"){postsById(id: $id){id}}"), R"({"data":{"postsById":{"id":"p1"}}})");
  EXPECT_EQ(ask(alice_, "query($n: Int){posts(limit: $n){id}}", R"({"n": 1})"), R"({"data":{"posts":[{"id":"p1"}]}})");
  EXPECT_EQ(refusal("{posts(limit: -1){id}}"), "limit must be a non-negative integer");
  EXPECT_EQ(refusal("query($id: ID = \"p1\"){postsById(id: $id){id}}", R"({"id": null})"),
            "Argument \"id\" of non-null type \"ID!\" must not be null.");
  EXPECT_EQ(ask(alice_, "{posts(filter: null, limit: null, sort: null, after: null){id}}"),
            R"({"data":{"posts":[{"id":"p1"},{"id":"p2"}]}})");
}

TEST_F(GraphqlTest, KeepsItsSchemaWithTheSnapshot) {
  blog();
  const auto before = schema();
  EXPECT_EQ(before, schema());
  expectOk(run(data_->collections().create(managing(), "more")));
  const auto after = schema();
  EXPECT_NE(before, after);
  EXPECT_FALSE(before->find("More"));
  EXPECT_TRUE(after->find("More"));
}

}  // namespace
}  // namespace mb::graphql
