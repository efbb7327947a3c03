// The language definition by section: "Types and Conversions", "String Functions", "Bytes Functions", "List Operators",
// "Map Operators", "Regular Expressions".
#include <fmt/format.h>

#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

using enum Outcome;

// The allowed conversions; every other one is refused by the checker and an error at run time.
TEST(CelConversionRules, WhatConvertsToWhat) {
  const std::pair<std::string_view, std::string_view> values[] = {
      {"4", "int"},        {"4u", "uint"},   {"4.0", "double"},    {"'4'", "string"},
      {"b'4'", "bytes"},   {"true", "bool"}, {"null", "null"},     {"[4]", "list"},
      {"{'a': 4}", "map"}, {"int", "type"},  {"now", "timestamp"}, {"duration('4s')", "duration"},
  };
  const std::pair<std::string_view, std::string_view> targets[] = {
      {"int", "int uint double string timestamp"},
      {"uint", "int uint double string"},
      {"double", "int uint double string"},
      {"string", "int uint double string bytes bool timestamp duration"},
      {"bytes", "string bytes"},
      {"bool", "string bool"},
      {"timestamp", "string int timestamp"},
      {"duration", "string duration"},
  };
  for (const auto& [target, from] : targets) {
    for (const auto& [value, kind] : values) {
      const std::string padded = fmt::format(" {} ", from);
      const bool converts = padded.find(fmt::format(" {} ", kind)) != std::string::npos;
      // '4' itself is not a bool, timestamp or duration.
      const bool parses = kind != "string" || (target != "bool" && target != "timestamp" && target != "duration");
      expectAll({{fmt::format("{0}({1}) == {0}({1})", target, value), !converts ? refused
                                                                      : parses  ? yes
                                                                                : error},
                 {fmt::format("{0}(dyn({1})) == {0}(dyn({1}))", target, value), converts && parses ? yes : error}});
    }
    expectAll({{fmt::format("{}() == 1", target), refused}, {fmt::format("dyn(4).{}() == 4", target), refused}});
  }
}

TEST(CelConversionRules, NumbersFromNumbers) {
  expectAll({
      {"int(2.999) == 2 && int(-2.999) == -2 && int(-0.0) == 0 && int(1e18) == 1000000000000000000 && int(5e-324) == "
       "0"},
      {"int(9223372036854774784.0) == 9223372036854774784 && int(-9223372036854774784.0) == -9223372036854774784"},
      {"int(9223372036854775807u) == 9223372036854775807 && uint(9223372036854775807) == 9223372036854775807u"},
      {"uint(18446744073709549568.0) == 18446744073709549568u && uint(0.999) == 0u && uint(-0.0) == 0u"},
      {"double(9223372036854775807) == 9223372036854775808.0 && double(18446744073709551615u) == "
       "1.8446744073709552e19"},
      {"double(9007199254740993) == 9007199254740992.0"},
      {"int(9223372036854775808u) == 0", error},
      {"int(9.3e18) == 0", error},
      {"int(-9.3e18) == 0", error},
      {"int(1.0 / 0.0) == 0", error},
      {"int(0.0 / 0.0) == 0", error},
      {"uint(-1) == 0u", error},
      {"uint(-1.0) == 0u", error},
      {"uint(18446744073709551616.0) == 0u", error},
      {"uint(0.0 / 0.0) == 0u", error},
      {"uint(1.0 / 0.0) == 0u", error},
  });
}

TEST(CelConversionRules, NumbersFromText) {
  const std::pair<std::string_view, std::string_view> readable[] = {
      {"int('0')", "0"},
      {"int('-0')", "0"},
      {"int('0012')", "12"},
      {"int('-9223372036854775808')", "-9223372036854775808"},
      {"uint('18446744073709551615')", "18446744073709551615u"},
      {"double('1')", "1.0"},
      {"double('-1.50')", "-1.5"},
      {"double('1e3')", "1000.0"},
      {"double('.5')", "0.5"},
      {"double('1e-400')", "0.0"},
      {"double('Infinity')", "1.0 / 0.0"},
      {"double('-Infinity')", "-1.0 / 0.0"},
      {"bool('TRUE')", "true"},
      {"bool('False')", "false"},
      {"bool('f')", "false"},
      {"bool('0')", "false"},
  };
  for (const auto& [source, expected] : readable) expectAll({{fmt::format("{} == {}", source, expected), yes}});
  for (const std::string_view source : {"int('')",
                                        "int('-')",
                                        "int('0x1')",
                                        "int('1u')",
                                        "int('1.0')",
                                        "int('1e3')",
                                        "int('1 ')",
                                        "int('--1')",
                                        "int('٣')",
                                        "int('9223372036854775808')",
                                        "int('-9223372036854775809')",
                                        "uint('-1')",
                                        "uint('1u')",
                                        "uint('18446744073709551616')",
                                        "uint('')",
                                        "double('')",
                                        "double('.')",
                                        "double('1e')",
                                        "double('1e400')",
                                        "double('0x1p3')",
                                        "double('1,5')",
                                        "double(' 1')",
                                        "double('1_0')",
                                        "bool('')",
                                        "bool('tRUE')",
                                        "bool('no')",
                                        "bool('2')",
                                        "bool(' true')"}) {
    EXPECT_EQ(run(fmt::format("[{}].size() == 1", source)).outcome, error) << source;
  }
}

TEST(CelConversionRules, TextFromValues) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0", "0"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"18446744073709551615u", "18446744073709551615"},
      {"0.5", "0.5"},
      {"-0.25", "-0.25"},
      {"3.0", "3"},
      {"1e300", "1e+300"},
      {"0.1 + 0.2", "0.30000000000000004"},
      {"1.0 / 0.0", "Infinity"},
      {"-1.0 / 0.0", "-Infinity"},
      {"0.0 / 0.0", "NaN"},
      {"1 > 2", "false"},
      {"'as it is'", "as it is"},
      {"b'caf\xc3\xa9'", "caf\xc3\xa9"},
      {"now", "2026-01-31T09:30:00.25Z"},
      {"duration('-2h30m')", "-9000s"},
  };
  for (const auto& [value, text] : cases) expectAll({{fmt::format("string({}) == '{}'", value, text), yes}});
  for (const std::string_view bytes :
       {R"(b'\xff')", R"(b'\xc3')", R"(b'\xc0\x80')", R"(b'\xed\xa0\x80')", R"(b'\xf4\x90\x80\x80')", R"(b'a\x80')"}) {
    EXPECT_EQ(run(fmt::format("string({}) == ''", bytes)).outcome, error) << bytes;
  }
}

TEST(CelConversionRules, DynAndType) {
  expectAll({
      {"dyn(4) + dyn(4) == 8 && dyn([4])[0] == 4 && dyn({'a': 4}).a == 4 && dyn(dyn(4)) == 4 && type(dyn(4u)) == uint"},
      {"[1, dyn('a'), 2.0].map(e, type(e)) == [int, string, double]"},
      {"type(4) in [int, uint] && !(type('4') in [int, uint]) && {'k': type(4)}.k == int"},
      {"type(null) == null_type && type({}) == map && type([]) == list && type(b'') == bytes && type(true) == bool"},
      {"type(now) != type(duration('1s')) && type(type) == type(int)"},
      {"dyn() == 4", refused},
      {"type() == int", refused},
      {"type(4, 5) == int", refused},
      {"string(int) == 'int'", refused},
      {"type(4) == 'int'", refused},
  });
}

TEST(CelConversionRules, StringsAndBytes) {
  expectAll({
      {"size('') == 0 && size('añ😀') == 3 && 'añ😀'.size() == 3 && size(b'añ😀') == 7 && b''.size() == 0"},
      {R"('e\u0301'.size() == 2 && '\u00e9'.size() == 1 && '\u00e9' != 'e\u0301')"},
      {"'ab' + '' + 'c' == 'abc' && b'a' + b'' == b'a' && ('ñ' + '😀').size() == 2"},
      {"'needle in hay'.contains('in') && 'a'.contains('') && ''.contains('') && !'Hay'.contains('hay')"},
      {"'añ😀'.startsWith('añ') && 'añ😀'.endsWith('😀') && 'a'.startsWith('') && !'a'.startsWith('ab')"},
      {"!''.endsWith('a') && 'aa'.endsWith('aa') && !'aa'.endsWith('aaa')"},
      {"b'a'.contains(b'a')", refused},
      {"dyn(b'a').contains('a')", error},
      {"'a'.startsWith(dyn(1))", error},
      {"dyn('a') + dyn(b'a') == 'aa'", error},
      {"'a' * 2 == 'aa'", refused},
      {"'abc'[0] == 'a'", refused},
      {"dyn('abc')[0] == 'a'", error},
      {"size(true) == 1", refused},
      {"size(dyn(1)) == 1", error},
      {"dyn(null).size() == 1", error},
  });
}

TEST(CelConversionRules, RegularExpressions) {
  expectAll({
      {"'order-1234'.matches('[0-9]+') && matches('order-1234', '^order-\\\\d{4}$') && "
       "!'order-12'.matches('^\\\\d+$')"},
      {R"('a.b'.matches(r'a\.b') && !'axb'.matches(r'a\.b') && 'axb'.matches('a.b'))"},
      {"''.matches('') && 'a'.matches('') && ''.matches('^$') && !'a'.matches('^$')"},
      {R"('Straße'.matches('(?i)STRASSE|straße') && 'ñ'.matches('^.$') && 'Ω'.matches(r'^\p{Greek}$'))"},
      {R"('a\nb'.matches('(?s)a.b') && !'a\nb'.matches('a.b') && 'a\nb'.matches('(?m)^b$') && !'a\nb'.matches('^b$'))"},
      {"'x'.matches('[') || true", refused},
      {R"('aa'.matches(r'(a)\1'))", refused},
      {"'a'.matches('a(?!b)')", refused},
      {"'a'.matches('a{2000}')", refused},
      {"'a'.matches(dyn('['))", error},
      {"'a'.matches(dyn(1))", error},
      {"['^a', 'b$'].exists(p, 'ab'.matches(p))"},
      {"'a'.matches(b'a')", refused},
      {"matches('a') == true", refused},
  });
}

TEST(CelConversionRules, ListsAndMaps) {
  expectAll({
      {"size([1, 'a', null]) == 3 && [].size() == 0 && size({}) == 0 && {'a': 1, 'b': 2}.size() == 2 && size([[]]) == "
       "1"},
      {"[1] + [2] + [] == [1, 2] && ([1] + [2]).size() == 2 && [[1]] + [[2, 3]] == [[1], [2, 3]]"},
      {"4 in [3, 4] && !(4 in []) && 'a' in ['b', 'a'] && [1] in [[1], [2]] && {'a': 1} in [{'a': 1}] && null in "
       "[null]"},
      {"!(double('NaN') in [double('NaN')]) && dyn(4.0) in [4] && !(dyn('4') in [4])"},
      {"'k' in {'k': null} && !('v' in {'k': 'v'}) && 4 in {4: 'a'} && true in {true: 'a'}"},
      {"4 in [1, 4 / 0]", error},
      {"4 / 0 in [1]", error},
      {"'a' in 4", refused},
      {"'a' in dyn(4)", error},
      {"[1] - [1] == []", refused},
      {"{'a': 1} + {'b': 2} == {}", refused},
      {"dyn([1]) + dyn({}) == []", error},
      {"[1] < [2]", refused},
  });
}

}  // namespace
}  // namespace mb::cel
