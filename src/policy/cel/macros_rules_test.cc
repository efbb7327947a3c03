// The language definition by section: "Evaluation", "Logical Operators", "Macros", "Field Selection", "Name
// Resolution".
#include <fmt/format.h>

#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

using enum Outcome;

// The possible operands of && and ||.
struct Operand {
  std::string_view source;
  Outcome is;
};
constexpr Operand kOperands[] = {{"2 > 1", yes}, {"1 > 2", no}, {"4 / 0 > 1", error}, {"dyn('word')", error}};

Outcome joined(bool isOr, Outcome a, Outcome b) {
  const Outcome decisive = isOr ? yes : no;
  if (a == decisive || b == decisive) return decisive;
  return a == error || b == error ? error : a;
}

TEST(CelMacroRules, LogicIsCommutativeAndAbsorbsErrors) {
  for (const bool isOr : {false, true}) {
    const std::string_view op = isOr ? "||" : "&&";
    for (const Operand& a : kOperands) {
      expectAll({{fmt::format("!({})", a.source), a.is == error ? error : a.is == yes ? no : yes}});
      for (const Operand& b : kOperands) {
        const Outcome two = joined(isOr, a.is, b.is);
        expectAll({{fmt::format("{} {} {}", a.source, op, b.source), two}});
        for (const Operand& c : kOperands) {
          const Outcome three = joined(isOr, two, c.is);
          expectAll({{fmt::format("{} {} {} {} {}", a.source, op, b.source, op, c.source), three},
                     {fmt::format("{} {} ({} {} {})", a.source, op, b.source, op, c.source), three}});
        }
      }
    }
  }
}

TEST(CelMacroRules, AConditionTakesOneBranchAndAbsorbsNothing) {
  for (const Operand& condition : kOperands) {
    for (const Operand& a : kOperands) {
      for (const Operand& b : kOperands) {
        const Outcome taken = condition.is == yes ? a.is : condition.is == no ? b.is : error;
        expectAll({{fmt::format("{} ? {} : {}", condition.source, a.source, b.source), taken}});
      }
    }
  }
  // && and || written as conditions: evaluated from left to right.
  expectAll({{"4 / 0 > 1 ? false : false", error}, {"1 > 2 ? 4 / 0 > 1 : false", no}, {"2 > 1 ? true : 4 / 0 > 1"}});
}

// all and exists are && and || over the elements; exists_one, filter and map absorb nothing.
TEST(CelMacroRules, QuantifiersFollowLogic) {
  // The predicate's result for each element: true for 1, false for 0, an error for 9.
  constexpr std::string_view kPredicate = "e == 9 ? 4 / 0 > 1 : e == 1";
  const auto outcomeOf = [](int element) { return element == 9 ? error : element == 1 ? yes : no; };
  const int choices[] = {0, 1, 9};
  std::vector<std::vector<int>> lists = {{}};
  for (size_t from = 0; lists[from].size() < 3; ++from) {
    for (const int choice : choices) {
      lists.push_back(lists[from]);
      lists.back().push_back(choice);
    }
  }
  for (const std::vector<int>& list : lists) {
    Outcome all = yes;
    Outcome exists = no;
    int matches = 0;
    bool failed = false;
    for (const int element : list) {
      all = joined(false, all, outcomeOf(element));
      exists = joined(true, exists, outcomeOf(element));
      matches += element == 1 ? 1 : 0;
      failed = failed || element == 9;
    }
    const std::string text = fmt::format("[{}]", fmt::join(list, ", "));
    const auto expect = [&](std::string_view call, Outcome expected) {
      expectAll({{fmt::format("{}.{}", text, fmt::format(fmt::runtime(call), kPredicate)), expected}});
    };
    expect("all(e, {})", all);
    expect("exists(e, {})", exists);
    expect("exists_one(e, {})", failed ? error : matches == 1 ? yes : no);
    expect(fmt::format("filter(e, {{}}).size() == {}", matches), failed ? error : yes);
    expect(fmt::format("map(e, {{}}, e).size() == {}", matches), failed ? error : yes);
    expect(fmt::format("map(e, {{}}).size() == {}", list.size()), failed ? error : yes);
  }
}

TEST(CelMacroRules, MapsAreGoneThroughByKey) {
  expectAll({
      {"{'x': 1, 'yy': 2}.all(k, k.size() < 3) && !{'x': 1, 'yy': 2}.all(k, k == 'x')"},
      {"{3: 'c', 4: 'd'}.exists(k, k > 3) && {true: 1}.exists(k, k) && {5u: 1}.all(k, k == 5u)"},
      {"{'x': 1, 'yy': 2}.exists_one(k, k.endsWith('y')) && !{'x': 1, 'xy': 2}.exists_one(k, k.startsWith('x'))"},
      {"{'x': 1, 'yy': 2}.filter(k, {'x': 1, 'yy': 2}[k] == 2) == ['yy']"},
      {"{'x': 1, 'yy': 2}.map(k, k.size()) == [1, 2] && {1: 'a', 2: 'b'}.map(k, k > 1, k * 10) == [20]"},
      {"{}.all(k, false) && !{}.exists(k, true) && {}.map(k, k) == [] && {}.filter(k, true) == []"},
      {"{1: 2}.exists(k, k == 'a')", refused},
  });
}

TEST(CelMacroRules, WhatAMacroTakes) {
  expectAll({
      {"[1, 2].map(e, [e, e]).map(pair, pair[0] + pair[1]) == [2, 4]"},
      {"[1, 2, 3].filter(e, e != 2).map(e, e * e).exists(e, e == 9)"},
      {"[[1, 2], [3]].map(inner, inner.map(e, e + 1)) == [[2, 3], [4]]"},
      {"[[1, 2], [3]].all(inner, inner.exists(e, inner.size() > 0 && e > 0))"},
      {"[1, 2].all(a, [3, 4].all(b, [5, 6].all(c, a < b && b < c)))"},
      {"[1].exists(a, [a + 1].exists(a, a == 2)) && [1].exists(a, [a + 1].exists(b, a == 1 && b == 2))"},
      {"[1, 2].map(e, e > 1 ? 'big' : 'small') == ['small', 'big']"},
      {"[1, 'a', null].filter(e, type(e) == int) == [1]"},
      {"[1].all(e, e == 1, true)", refused},
      {"[1].all(e)", refused},
      {"[1].map(e)", refused},
      {"[1].map(e, true, e, e) == []", refused},
      {"[1].filter(e, 'a') == []", refused},
      {"[1].map(e, 'a', e) == []", refused},
      {"[1].exists_one(e, e) == true", refused},
      {"[dyn(1)].exists_one(e, e)", error},
      {"[dyn(1)].filter(e, e) == []", error},
      {"[dyn(1)].map(e, e, e) == []", error},
      {"[1].all('e', true)", refused},
      {"[1].all(e.f, true)", refused},
      {"[1].all(.e, true)", refused},
      {"[1].all([e], true)", refused},
      {"all([1], e, true)", refused},
      {"'abc'.all(c, true)", refused},
      {"now.exists(c, true)", refused},
      {"dyn(1).map(e, e) == []", error},
      {"dyn(null).exists(e, true)", error},
      {"(4 / 0 == 1 ? [1] : [2]).all(e, true)", error},
      // A macro is identified by its name and number of arguments; with another number the name is that of a function.
      {"has({'a': 1}.a, 1)", refused},
      {"document.has(1)", refused},
      {"has({'a': 1}['a'])", refused},
      {"has(document)", refused},
      {"has('a')", refused},
      {"has()", refused},
  });
}

TEST(CelMacroRules, Has) {
  const std::string_view document =
      R"({"set": 1, "none": null, "empty": {}, "deep": {"er": {"x": 0}}, "list": [{"a": 1}]})";
  expectAll(
      {
          {"has(document.set) && has(document.none) && has(document.empty) && !has(document.unset)"},
          {"has(document.deep.er.x) && !has(document.deep.er.y) && !has(document.empty.y)"},
          {"has(document.list[0].a) && !has(document.list[0].b) && has({'a': 1}.a) && !has({'a': 1}.b) && !has({}.a)"},
          {"has(document.unset.x)", error},
          {"has(document.set.x)", error},
          {"has(document.none.x)", error},
          {"has(document.list.a)", error},
          {"has(document.list[4].a)", error},
          {"has(document.unset.x) || true"},
          {"has(document.unset) && document.unset > 1", no},
          {"has({1: 1}.a)", refused},
          {"has('text'.size)", refused},
          {"[document].all(d, has(d.set) && !has(d.unset))"},
      },
      document);
}

TEST(CelMacroRules, SelectionIsIndexingByName) {
  expectAll({
      {"{'a': {'b': 2}}.a.b == 2 && {'a': {'b': 2}}['a']['b'] == 2 && {'a': {'b': 2}}.a['b'] == 2"},
      {"{'a': 1}.b == 1", error},
      {"{'a': 1}['b'] == 1", error},
      {"{1: 'a'}.a == 'a'", refused},
      {"dyn({1: 'a'}).a == 'a'", error},
      {"dyn([1]).a == 1", error},
      {"dyn('a').a == 1", error},
      {"dyn(null).a == 1", error},
      {"[1].a == 1", refused},
      {"'a'.b == 1", refused},
      {"now.seconds == 1", refused},
      {"duration('1s').seconds == 1", refused},
      {"[4, 5][1] == 5 && [4, 5][dyn(1u)] == 5 && [4, 5][dyn(1.0)] == 5"},
      {"[4, 5][2] == 5", error},
      {"[4, 5][-1] == 5", error},
      {"[][0] == 5", error},
      {"[4, 5][dyn(0.5)] == 4", error},
      {"[4, 5][dyn('0')] == 4", error},
      {"[4, 5][dyn(true)] == 5", error},
      {"[4, 5][18446744073709551615u] == 4", refused},
      {"[4, 5][dyn(18446744073709551615u)] == 4", error},
      {"{true: 'y', false: 'n'}[1 > 2] == 'n' && {7u: 'u'}[7u] == 'u' && {7u: 'u'}[dyn(7)] == 'u'"},
      {"{7: 'i'}[dyn(7u)] == 'i' && {7: 'i'}[dyn(7.0)] == 'i' && dyn(7.0) in {7u: 1} && dyn(7u) in {7: 1}"},
      {"{7: 'i'}[dyn(7.5)] == 'i'", error},
      {"{7: 'i'}[dyn('7')] == 'i'", error},
      {"{7: 'i'}[dyn(null)] == 'i'", error},
      {"dyn(7.5) in {7: 'i'} || dyn('7') in {7: 'i'} || dyn(null) in {7: 'i'} || dyn([7]) in {7: 'i'}", no},
  });
}

TEST(CelMacroRules, KeysOfMaps) {
  expectAll({
      {"{'a': 1, 'b': 2, 1: 3, 2u: 4, true: 5}.size() == 5"},
      {"{'a': 1, 'b': 1, 'a': 2}.size() == 3", error},
      {"{1: 1, 2: 1, 1: 2}.size() == 3", error},
      {"{true: 1, 1 == 1: 2}.size() == 2", error},
      {"{1: 1, dyn(1u): 2}.size() == 2", error},
      {"{'a' + 'b': 1, 'ab': 2}.size() == 2", error},
      {"{1.0: 1}.size() == 1", refused},
      {"{null: 1}.size() == 1", refused},
      {"{[1]: 1}.size() == 1", refused},
      {"{b'a': 1}.size() == 1", refused},
      {"{now: 1}.size() == 1", refused},
      {"{dyn(1.0): 1}.size() == 1", error},
      {"{dyn([1]): 1}.size() == 1", error},
      {"{'a': 4 / 0}.size() == 1", error},
      {"{4 / 0: 1}.size() == 1", error},
      {"[1, 4 / 0].size() == 2", error},
  });
}

TEST(CelMacroRules, NamesAndScopes) {
  expectAll({
      {"[7].exists(document, document == 7) && [7].exists(size, size([size]) == 1)"},
      {"[7].exists(now, .now == timestamp('2026-01-31T09:30:00.250Z') && now == 7)"},
      {"[7].exists(int, int == 7 && type(1) == .int)"},
      {"[{'f': 7}].exists(e, e.f == 7) && [7].map(e, {'e': e}.e) == [7]"},
      {"type(type(7)) == type && type(list) == type && [int, string].exists(t, t == type('a'))"},
      {"google.protobuf.Timestamp == type(now) && .google.protobuf.Duration == type(duration('1s'))"},
      {"[7].exists(e, true) && e == 7", refused},
      {"[7].exists(e, f == 7)", refused},
      {"[e].exists(e, true)", refused},
      {"google.protobuf.Any == int", refused},
      {"google == 1", refused},
      {"size == 1", refused},
      {"document(1) == 1", refused},
      {"int.max == 1", refused},
  });
}

TEST(CelMacroRules, UnboundVariablesAreErrors) {
  expectAll(
      {{"x == 1", error}, {"x || true"}, {"[x].size() == 1", error}, {"has(x.a)", error}, {"type(x) == int", error}});
}

}  // namespace
}  // namespace mb::cel
