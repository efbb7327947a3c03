// Sections "Evaluation", "Logical Operators", "Macros" and "Field Selection" of the language definition.
#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

using enum Outcome;

TEST(CelEvaluation, LogicAbsorbsErrorsBothWays) {
  expectAll({
      {"false && 1 / 0 > 0", no},
      {"1 / 0 > 0 && false", no},
      {"true || 1 / 0 > 0"},
      {"1 / 0 > 0 || true"},
      {"true && 1 / 0 > 0", error},
      {"1 / 0 > 0 && true", error},
      {"false || 1 / 0 > 0", error},
      {"1 / 0 > 0 || false", error},
      {"false && dyn(32)", no},
      {"dyn('horses') && false", no},
      {"dyn(32) || true"},
      {"dyn(1) && dyn(2)", error},
      {"!dyn(1)", error},
      {"1 / 0 > 0 ? true : true", error},
      {"true ? true : 1 / 0 > 0"},
      {"false ? 1 / 0 > 0 : true"},
      {"dyn(1) ? true : true", error},
      {"1 / 0 > 0 && 1 / 0 > 0 && false", no},
      {"x || true"},
      {"x", error},
      {"x && false", no},
  });
}

TEST(CelEvaluation, Macros) {
  expectAll({
      {"[1, 2, 3].all(e, e > 0) && ![1, 2, 3].all(e, e > 1) && [].all(e, e > 0)"},
      {"[1, 2, 3].exists(e, e == 2) && ![1, 2, 3].exists(e, e > 3) && ![].exists(e, true)"},
      {"[1, 2, 3].all(e, 6 / (2 - e) == 6)", no},
      {"[1, 2, 3].exists(e, 6 / (2 - e) == 6)"},
      {"[1, 2, 3].all(e, e / 0 != 17)", error},
      {"[1, 2, 3].exists(e, e / 0 == 17)", error},
      {"[1, 'foo', 3].all(e, e == 1)", no},
      {"[1, 'foo', 3].all(e, e % 2 == 1)", error},
      {"[dyn(1), 'a'].exists(e, e)", error},
      {"[7].exists_one(a, a == 7) && ![].exists_one(a, true) && ![7, 7].exists_one(a, a == 7)"},
      {"[3, 2, 1, 0].exists_one(n, 12 / n > 1)", error},
      {"[1, 2, 3].map(n, n * n) == [1, 4, 9] && [1, 2, 3].map(n, n > 1, n * n) == [4, 9] && [].map(n, n) == []"},
      {"[2, 1, 0].map(n, 4 / n) == []", error},
      {"[1, 2, 3].filter(n, n % 2 == 1) == [1, 3] && [1].filter(n, n > 3) == []"},
      {"[3, 2, 1, 0].filter(n, 12 / n > 4) == []", error},
      {"{'a': 1, 'b': 2}.all(k, k < 'c') && {'a': 1}.exists(k, k == 'a') && {'a': 1, 'b': 2}.map(k, k) == ['a', 'b']"},
      {"{'a': 1, 'b': 2}.filter(k, k == 'b') == ['b'] && {6: 1, 7: 2}.exists_one(k, k % 5 == 2)"},
      {"[1, 2].map(a, [10, 20].map(b, a * b)) == [[10, 20], [20, 40]]"},
      {"[1, 2].map(a, [a].map(a, a + 1)[0]) == [2, 3]"},
      {"[[1], [2]].all(a, a.all(b, b > 0))"},
      {"dyn(1).all(a, true)", error},
      {"dyn('a').map(a, a) == []", error},
      {"1.all(a, true)", refused},
      {"[1].all(a, 1)", refused},
      {"[1].all(a, b)", refused},
      {"[1].all(a, true) && a == 1", refused},
      {"has({'a': null}.a) && !has({'a': 1}.b) && !has({}.a)"},
      {"has(dyn(1).a)", error},
      {"has(x.a.b)", error},
      {"has('a'.b)", refused},
  });
}

TEST(CelEvaluation, SelectionAndIndexing) {
  const std::string_view document = R"({"title": "Ahoy", "n": 3, "big": 5000000000, "r": 2.5, "yes": true, "none": null,
      "tags": ["a", "b", "c"], "address": {"city": "Bern", "zip": {"code": "3000"}},
      "when": {"$date": "2026-01-01T00:00:00.123Z"},
      "oid": {"$oid": "0123456789abcdef01234567"}, "bin": {"$binary": {"base64": "AAEC", "subType": "00"}},
      "dec": {"$numberDecimal": "1.5"}, "items": [{"q": 1}, {"q": 2}], "empty": {}})";
  expectAll(
      {
          {"document.title == 'Ahoy' && document['title'] == 'Ahoy' && document.address.zip.code == '3000'"},
          {"document.n == 3 && document.big == 5000000000 && document.r == 2.5 && document.yes && document.none == "
           "null"},
          {"type(document.n) == int && type(document.big) == int && type(document.r) == double"},
          {"type(document.none) == null_type && type(document.tags) == list && type(document.address) == map"},
          {"type(document.when) == google.protobuf.Timestamp && document.when == "
           "timestamp('2026-01-01T00:00:00.123Z')"},
          {"document.oid == '0123456789abcdef01234567' && document.bin == b'\\x00\\x01\\x02' && document.dec == 1.5"},
          {"document.tags[1] == 'b' && 'c' in document.tags && !('d' in document.tags) && 'title' in document"},
          {"document.tags.size() == 3 && size(document) == 14 && size(document.empty) == 0"},
          {"document.items.all(i, i.q > 0) && document.items.map(i, i.q) == [1, 2] && document.items[1].q == 2"},
          {"document.tags == ['a', 'b', 'c'] && document.tags + ['d'] == ['a', 'b', 'c', 'd']"},
          {"document.address == {'zip': {'code': '3000'}, 'city': 'Bern'}"},
          {"document.address != {'city': 'Bern'}"},
          {"has(document.title) && !has(document.missing) && has(document.none) && has(document.address.zip.code)"},
          {"has(document.missing.deeper)", error},
          {"document.missing == 1", error},
          {"document.title.size == 1", error},
          {"document.tags[3] == ''", error},
          {"document.tags[-1] == ''", error},
          {"document.tags[dyn(1.0)] == 'b' && document.tags[dyn(1u)] == 'b'"},
          {"document.tags[dyn(1.5)] == 'b'", error},
          {"document.tags['a'] == 'b'", error},
          {"document.address[dyn(1)] == 1", error},
          {"dyn(1) in document || true"},
          {"dyn(1) in document", no},
          {"document == document"},
          {"document.now == now", error},
          {"now == timestamp('2026-01-31T09:30:00.250Z')"},
          {"document.title < 'B' && document.n > 2.5 && document.n <= 3u"},
          {"document.title.contains('ho') && document.title.startsWith('Ah') && document.title.endsWith('oy')"},
      },
      document);
}

TEST(CelEvaluation, ListsAndMaps) {
  expectAll({
      {"{1: 'a', 2u: 'b'}[1u] == 'a' && {1: 'a'}[dyn(1.0)] == 'a' && {true: 1}[true] == 1"},
      {"{1: 'a'}[2] == 'a'", error},
      {"{1: 'a'}[dyn(1.5)] == 'a'", error},
      {"{1: 'a'}[dyn(b'')] == 'a'", error},
      {"{dyn(1.0): 1} == {}", error},
      {"{dyn(null): 1} == {}", error},
      {"{1.5: 1} == {}", refused},
      {"{'a': 1, 'a': 2} == {}", error},
      {"{0: 1, dyn(0u): 2} == {}", error},
      {"2 in [1, 2] && !(3 in [1, 2]) && 'a' in {'a': 1} && !('b' in {'a': 1}) && !(7 in [])"},
      {"dyn(3.0) in [3] && dyn(3u) in {3: 1} && !(dyn('3') in [3])"},
      {"1 in 1", refused},
      {"'a' in 'abc'", refused},
      {"dyn('a') in dyn('abc')", error},
      {"[1, 2, 3][0] == 1 && [[1]][0][0] == 1"},
      {"[1][1u] == 1", refused},
      {"[1]['a'] == 1", refused},
      {"{'a': 1}[1] == 1", refused},
      {"[1] + [2, 3] == [1, 2, 3] && [] + [] == [] && [1] + [] == [1]"},
      {"[1] + ['a'] == []", refused},
      {"[1] + 2 == []", refused},
      {"{'a': 1} + {'b': 2} == {}", refused},
  });
}

TEST(CelEvaluation, TypesAreValues) {
  expectAll({
      {"type(1) == int && type(1u) == uint && type(1.0) == double && type('') == string && type(b'') == bytes"},
      {"type(true) == bool && type(null) == null_type && type([]) == list && type({}) == map && type(int) == type"},
      {"type(type(1)) == type(string) && type(1) != type(1u) && type([1]) == type(['a']) && type(type) == type"},
      {"type(now) == google.protobuf.Timestamp && type(now - now) == google.protobuf.Duration"},
      {"dyn == 1", refused},
      {"type(1) == string", no},
  });
}

TEST(CelEvaluation, TheResultMustBeBool) {
  EXPECT_EQ(run("1").outcome, error);
  EXPECT_EQ(run("dyn(1)").outcome, error);
  const auto compiled = Expression::compile("[1].map(a, string(a))", plainEnvironment());
  ASSERT_TRUE(compiled);
  EXPECT_EQ((*compiled)->resultType(), "list(string)");
}

TEST(CelEvaluation, ErrorsNameTheirPlace) {
  EXPECT_EQ(run("true &&\n document.x == 1").message, "no such key (line 2, column 11)");
  EXPECT_EQ(run("1 / 0 == 1").message, "division by zero (line 1, column 3)");
}

TEST(CelEvaluation, ResultsAsBson) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"1 + 1", R"({"":2})"},
      {"2u", R"({"":2})"},
      {"'a' + 'b'", R"({"":"ab"})"},
      {"[1, 'a', null, 1.5, true]", R"({"":[1,"a",null,1.5,true]})"},
      {"{'a': [document.n], 1: 2u, true: {}}", R"({"":{"a":[3],"1":2,"true":{}}})"},
      {"document", R"({"":{"n":3}})"},
      {"now", R"({"":"2026-01-31T09:30:00.250Z"})"},
      {"duration('90s')", R"({"":"90s"})"},
      {"type(1)", R"({"":"int"})"},
  };
  const auto document = doc::parseJson(R"({"n": 3})");
  std::vector<Variable> variables(2);
  variables[0].name = "document";
  variables[0].value = document->view();
  variables[1].name = "now";
  variables[1].timestamp = Timestamp{1'769'851'800'250};
  for (const auto& [source, expected] : cases) {
    const auto compiled = Expression::compile(source, plainEnvironment());
    ASSERT_TRUE(compiled) << source;
    const auto result = (*compiled)->evaluate(variables);
    ASSERT_TRUE(result) << source << ": " << result.error().message();
    EXPECT_EQ(doc::toJson(*result), expected) << source;
  }
  const auto failing = Expression::compile("1 / 0", plainEnvironment());
  EXPECT_FALSE((*failing)->evaluate(variables));
}

}  // namespace
}  // namespace mb::cel
