// The language definition by section: "Numeric Values", "Overflow", "Equality", "Ordering". Expected values come from
// wider arithmetic of C++.
#include <fmt/format.h>

#include <cmath>
#include <compare>
#include <limits>

#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

using enum Outcome;
using Wide = __int128;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr uint64_t kUmax = std::numeric_limits<uint64_t>::max();

constexpr int64_t kInts[] = {kMin, kMin + 1, -3'037'000'500, -10,      -7,  -2, -1, 0, 1, 2,
                             3,    7,        3'037'000'500,  kMax - 1, kMax};
constexpr uint64_t kUints[] = {0, 1, 2, 3, 7, 4'294'967'296, uint64_t{1} << 63, kUmax - 1, kUmax};

// nullopt for a division by zero.
std::optional<Wide> exact(char op, Wide a, Wide b) {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b == 0 ? std::nullopt : std::optional(a / b);
    default:
      return b == 0 ? std::nullopt : std::optional(a % b);
  }
}

TEST(CelValueRules, IntArithmeticIsExactOrAnError) {
  for (const char op : {'+', '-', '*', '/', '%'}) {
    for (const int64_t a : kInts) {
      for (const int64_t b : kInts) {
        const auto expected = exact(op, a, b);
        // The one remainder whose quotient does not fit.
        const bool fits = expected && *expected >= kMin && *expected <= kMax && !(op == '%' && a == kMin && b == -1);
        const std::string left = fmt::format("{} {} {}", a, op, b);
        const std::string source =
            fits ? fmt::format("{} == {}", left, static_cast<int64_t>(*expected)) : left + " == 0";
        expectAll({{source, fits ? yes : error}});
        expectAll({{fmt::format("dyn({}) {} dyn({}) == {}", a, op, b, fits ? static_cast<int64_t>(*expected) : 0),
                    fits ? yes : error}});
      }
    }
  }
  for (const int64_t a : kInts) {
    expectAll({{fmt::format("-({}) == {}", a, a == kMin ? 0 : -a), a == kMin ? error : yes}});
  }
}

TEST(CelValueRules, UintArithmeticIsExactOrAnError) {
  for (const char op : {'+', '-', '*', '/', '%'}) {
    for (const uint64_t a : kUints) {
      for (const uint64_t b : kUints) {
        const bool overflows = op == '*' && a != 0 && b > kUmax / a;
        const auto expected = overflows ? std::nullopt : exact(op, a, b);
        const bool fits = expected && *expected >= 0 && *expected <= kUmax;
        expectAll({{fmt::format("{}u {} {}u == {}u", a, op, b, fits ? static_cast<uint64_t>(*expected) : 0),
                    fits ? yes : error}});
      }
    }
  }
}

TEST(CelValueRules, DoubleArithmeticIsThatOfTheMachine) {
  const double values[] = {0.0, -0.0, 1.0, -1.5, 0.1, 3e200, -3e200, 5e-324, 1.7976931348623157e308};
  const auto text = [](double value) {
    if (std::isinf(value)) return std::string(value > 0 ? "double('Infinity')" : "double('-Infinity')");
    return fmt::format("{:.17e}", value);
  };
  for (const double a : values) {
    for (const double b : values) {
      const std::pair<char, double> results[] = {{'+', a + b}, {'-', a - b}, {'*', a * b}, {'/', a / b}};
      for (const auto& [op, expected] : results) {
        const std::string left = fmt::format("{} {} {}", text(a), op, text(b));
        if (std::isnan(expected)) {
          expectAll({{fmt::format("{0} != {0}", left), yes}, {fmt::format("{0} == {0}", left), no}});
        } else {
          expectAll({{fmt::format("{} == {}", left, text(expected)), yes}});
        }
      }
    }
  }
  expectAll({{"1.0 / -0.0 == double('-Infinity') && 0.1 + 0.2 != 0.3 && 1e308 * 10.0 == double('Infinity')"}});
}

TEST(CelValueRules, KindsOfNumbersAreNotMixedInArithmetic) {
  const std::pair<std::string_view, std::string_view> numbers[] = {{"6", "int"}, {"6u", "uint"}, {"6.0", "double"}};
  for (const char op : {'+', '-', '*', '/', '%'}) {
    for (const auto& [a, aKind] : numbers) {
      for (const auto& [b, bKind] : numbers) {
        const bool same = aKind == bKind && !(op == '%' && aKind == "double");
        expectAll({{fmt::format("type({} {} {}) == {}", a, op, b, aKind), same ? yes : refused},
                   {fmt::format("type(dyn({}) {} dyn({})) == {}", a, op, b, aKind), same ? yes : error}});
      }
    }
    for (const std::string_view other : {"true", "null", "{}", "type(1)"}) {
      expectAll({{fmt::format("({0} {1} {0}) == {0}", other, op), refused},
                 {fmt::format("(dyn({0}) {1} dyn({0})) == {0}", other, op), error}});
    }
  }
}

// A number as CEL text, and its position in the order.
struct Number {
  std::string text;
  long double value;
};

TEST(CelValueRules, NumbersStandOnOneLine) {
  std::vector<Number> numbers;
  for (const int64_t value : {kMin, int64_t{-2}, int64_t{0}, int64_t{1}, int64_t{1'000'000'007}}) {
    numbers.push_back({fmt::format("{}", value), static_cast<long double>(value)});
  }
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{1} << 63, kUmax}) {
    numbers.push_back({fmt::format("{}u", value), static_cast<long double>(value)});
  }
  for (const double value : {-1e300, -2.0, -0.5, 0.0, 0.5, 1.0, 1.5, 0x1p63, 1e300}) {
    numbers.push_back({fmt::format("{:.17e}", value), value});
  }
  numbers.push_back({"double('Infinity')", std::numeric_limits<long double>::infinity()});
  numbers.push_back({"double('-Infinity')", -std::numeric_limits<long double>::infinity()});
  for (const Number& a : numbers) {
    for (const Number& b : numbers) {
      const auto order = a.value <=> b.value;
      const std::pair<std::string_view, bool> results[] = {{"==", std::is_eq(order)}, {"!=", std::is_neq(order)},
                                                           {"<", std::is_lt(order)},  {"<=", std::is_lteq(order)},
                                                           {">", std::is_gt(order)},  {">=", std::is_gteq(order)}};
      for (const auto& [op, expected] : results) {
        expectAll({{fmt::format("dyn({}) {} dyn({})", a.text, op, b.text), expected ? yes : no}});
      }
      expectAll({{fmt::format("dyn({}) in [{}]", a.text, b.text), std::is_eq(order) ? yes : no}});
    }
    expectAll({{fmt::format("dyn({0}) < 0.0 / 0.0 || dyn({0}) >= 0.0 / 0.0 || dyn({0}) == 0.0 / 0.0", a.text), no}});
  }
}

TEST(CelValueRules, WhatIsEqualAndWhatIsNot) {
  // Classes of equal values: the values of a class are equal to each other, and to no value of another class.
  const std::vector<std::vector<std::string_view>> classes = {
      {"0", "0u", "0.0", "-0.0", "1 - 1"},
      {"7", "7u", "7.0", "14 / 2"},
      {"false", "!true"},
      {"true", "1 == 1"},
      {"null"},
      {"''", R"("")"},
      {"'0'"},
      {"'é'", R"('\u00e9')", R"('\351')"},
      {R"('e\u0301')"},
      {"b''", "bytes('')"},
      {"b'0'"},
      {R"(b'\xc3\xa9')", "b'é'"},
      {R"(b'\xe9')"},
      {"[]", "[1].filter(e, e > 1)"},
      {"[0]", "[0u]", "[0.0]"},
      {"[[]]"},
      {"[0, 7]", "[0u] + [dyn(7.0)]"},
      {"[7, 0]"},
      {"{}", "{,}"},
      {"{'a': 0}", "{'a': 0.0}"},
      {"{'a': 7}"},
      {"{'b': 0}"},
      {"{'a': 0, 'b': 7}", "{'b': 7u, 'a': 0}"},
      {"{0: 'a'}", "{0u: 'a'}"},
      {"{false: 'a'}"},
      {"{'0': 'a'}"},
      {"int", "type(4)"},
      {"string"},
      {"type", "type(int)"},
      {"now", "timestamp('2026-01-31T10:30:00.25+01:00')"},
      {"timestamp(0)"},
      {"duration('0')", "now - now", "duration('-0s')"},
      {"duration('7s')", "duration('7000ms')"},
  };
  for (size_t i = 0; i < classes.size(); ++i) {
    for (size_t j = 0; j < classes.size(); ++j) {
      for (const std::string_view a : classes[i]) {
        for (const std::string_view b : classes[j]) {
          expectAll({{fmt::format("dyn({}) == dyn({})", a, b), i == j ? yes : no},
                     {fmt::format("dyn({}) != dyn({})", a, b), i == j ? no : yes},
                     {fmt::format("dyn({}) in [dyn({})]", a, b), i == j ? yes : no}});
        }
      }
    }
  }
}

TEST(CelValueRules, OrderIsWithinAKind) {
  // Each list ascends.
  const std::vector<std::vector<std::string_view>> ascending = {
      {"false", "true"},
      {"''", "'A'", "'AA'", "'B'", "'a'", "'é'", "'ﬀ'", "'😀'"},
      {"b''", R"(b'\x00')", R"(b'\x00\x00')", "b'a'", R"(b'\x80')", R"(b'\xff')", R"(b'\xff\x00')"},
      {"timestamp('0001-01-01T00:00:00Z')", "timestamp('1969-12-31T23:59:59.999999999Z')", "timestamp(0)", "now",
       "timestamp('9999-12-31T23:59:59.999999999Z')"},
      {"duration('-9000000000s')", "duration('-1ns')", "duration('0')", "duration('1ns')", "duration('1us')"},
  };
  for (size_t k = 0; k < ascending.size(); ++k) {
    const auto& values = ascending[k];
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t j = 0; j < values.size(); ++j) {
        const auto expect = [&](std::string_view op, bool expected) {
          expectAll({{fmt::format("{} {} {}", values[i], op, values[j]), expected ? yes : no}});
        };
        expect("<", i < j);
        expect("<=", i <= j);
        expect(">", i > j);
        expect(">=", i >= j);
      }
    }
    const std::string_view other = ascending[(k + 1) % ascending.size()][0];
    for (const std::string_view op : {"<", "<=", ">", ">="}) {
      expectAll({{fmt::format("{} {} {}", values[0], op, other), refused},
                 {fmt::format("dyn({}) {} {}", values[0], op, other), error},
                 {fmt::format("dyn({}) {} 1", values[0], op), error}});
    }
  }
  for (const std::string_view value : {"null", "[1]", "{'a': 1}", "int"}) {
    expectAll({{fmt::format("{0} < {0}", value), refused}, {fmt::format("dyn({0}) <= dyn({0})", value), error}});
  }
}

TEST(CelValueRules, TheCheckerWantsOneTypeWhereTheRunWouldCompare) {
  expectAll({
      {"7 == 7u", refused},
      {"7 < 7.0", refused},
      {"7 in [7u]", refused},
      {"7u in {7: true}", refused},
      {"'a' == b'a'", refused},
      {"[1] == ['a']", refused},
      {"[[1]] == [[1.0]]", refused},
      {"{'a': 1} == {'a': 'b'}", refused},
      {"{'a': 1} == {1: 1}", refused},
      {"now == duration('1s')", refused},
      {"int == 1", refused},
      {"now == null || true"},
      {"duration('1s') != null"},
      {"null == null"},
      {"'a' == null", refused},
      {"[] == [1] || {} == {'a': 1}", no},
      {"[1, 'a'] == [1, 'a'] && [1, 'a'] != [1, 2.0]"},
      {"(true ? 1 : 1u) == 1", refused},
      {"(true ? dyn(1) : 'a') == 1"},
  });
}

}  // namespace
}  // namespace mb::cel
