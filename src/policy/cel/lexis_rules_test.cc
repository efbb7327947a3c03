// The language definition by section: "Syntax" (grammar, precedence, lexis), "String and Bytes Values".
#include <fmt/format.h>

#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

using enum Outcome;

TEST(CelLexisRules, Identifiers) {
  expectAll({
      {"{'_': 4}._ == 4 && {'_a9Z': 4}._a9Z == 4 && {'A': 4}.A == 4"},
      {"[3].all(_, _ == 3) && [3].all(_x1, _x1 == 3) && [3].all(True, True == 3)"},
      {"{'9a': 4}.9a == 4", refused},
      {"{'ä': 4}.ä == 4", refused},
      {"{'$': 4}.$ == 4", refused},
      // Words that other languages reserve, but CEL does not.
      {"[3].all(class, class == 3) && [3].all(new, new == 3) && [3].all(and, and == 3) && [3].all(None, None == 3)"},
  });
  // Keywords are neither names nor selectors; reserved words may name fields and functions of a receiver.
  for (const std::string_view word : {"true", "false", "null", "in"}) {
    expectAll({{fmt::format("{{'{0}': 4}}.{0} == 4", word), refused},
               {fmt::format("[4].all({0}, {0} == 4)", word), refused},
               {fmt::format("{{'{0}': 4}}['{0}'] == 4", word), yes}});
  }
  for (const std::string_view word : {"as", "break", "const", "continue", "else", "for", "function", "if", "import",
                                      "let", "loop", "package", "namespace", "return", "var", "void", "while"}) {
    expectAll({{fmt::format("{{'{0}': {{'{0}': 4}}}}.{0}.{0} == 4 && has({{'{0}': 4}}.{0})", word), yes},
               {fmt::format("[4].all({0}, {0} == 4)", word), refused},
               {fmt::format(".{0} == 4", word), refused},
               {fmt::format("{0}{{}} == 4", word), refused}});
  }
}

TEST(CelLexisRules, IntegerLiterals) {
  expectAll({
      {"0 == 0x0 && 00 == 0 && 012 == 12 && 0xfF == 255 && 0x00000000000000000001 == 1 && 0xFFu == 255u"},
      {"0x7FFFFFFFFFFFFFFF == 9223372036854775807 && 0xFFFFFFFFFFFFFFFFu == 18446744073709551615u"},
      {"-0 == 0 && -0x10 == -16 && - 5 == -5 && -\n5 == -5"},
      {"type(1) == int && type(1u) == uint && type(1U) == uint && type(-1) == int && type(0x1) == int"},
      {"0x8000000000000000 > 0", refused},
      {"0x10000000000000000u > 0u", refused},
      {"-0x8000000000000001 < 0", refused},
      {"0X1F == 31", refused},
      {"0x == 0", refused},
      {"0xG == 0", refused},
      {"1_000 == 1000", refused},
      {"0b1 == 1", refused},
      {"1i == 1", refused},
      {"1 u == 1u", refused},
      {"+1 == 1", refused},
  });
}

TEST(CelLexisRules, FloatLiterals) {
  expectAll({
      {"1.0 == 1e0 && .5 == 0.5 && 0.5e1 == 5.0 && 5E+0 == 5.0 && 500e-2 == 5.0 && .05e+2 == 5.0 && 00.5 == .5"},
      {"type(1.0) == double && type(1e0) == double && type(.1) == double && type(-1.0) == double"},
      {"1.7976931348623157e308 > 1e308 && 5e-324 > 0.0 && 2e-324 == 0.0 && -.5 == 0.0 - .5"},
      {"1.0 == 1.", refused},
      {"1e == 1.0", refused},
      {"1e+ == 1.0", refused},
      {"1.5.5 == 1.5", refused},
      {"1.0f == 1.0", refused},
      {"1.0u == 1.0", refused},
      {"1.8e308 > 0.0", refused},
      {"0x1p3 == 8.0", refused},
      {"0x1.8 == 1.5", refused},
  });
}

struct Text {
  std::string_view literal;
  std::string_view value;  // its bytes
};

TEST(CelLexisRules, StringLiterals) {
  const Text cases[] = {
      {R"("it's")", "it's"},
      {R"('say "so"')", "say \"so\""},
      {R"('it\'s')", "it's"},
      {"''''''", ""},
      {R"("""""")", ""},
      {"'''it's ''so'''", "it's ''so"},
      {R"("""one " two "" three""")", "one \" two \"\" three"},
      {"'''a\n\tb\r\nc'''", "a\n\tb\r\nc"},
      {R"('''a\'''b''')", "a'''b"},
      {R"('a' 'b')", "\xff"},  // no concatenation of neighbours
      {R"('\a\b\f\n\r\t\v')", "\a\b\f\n\r\t\v"},
      {R"('\\ \? \" \' \`')", "\\ ? \" ' `"},
      {R"('\x41\X42\x7e')", "AB~"},
      {R"('\xe9')", "\xc3\xa9"},
      {R"('\101\060\000x')", std::string_view("A0\0x", 4)},
      {R"('\351\377')", "\xc3\xa9\xc3\xbf"},
      {R"('\u0041\u00E9\u20ac\uFFFD')", "A\xc3\xa9\xe2\x82\xac\xef\xbf\xbd"},
      {R"('\U00000041\U0001F9E9\U0010FFFF')", "A\xf0\x9f\xa7\xa9\xf4\x8f\xbf\xbf"},
      {R"(r'\n\\')", R"(\n\\)"},
      {R"(R"\u0041'")", R"(\u0041')"},
      {R"(r'''a\'b''')", R"(a\'b)"},
      {R"(r"a\")", R"(a\)"},
      {R"('Zürich 😀 e')", "Zürich 😀 e"},
  };
  for (const Text& each : cases) {
    const auto compiled = Expression::compile(each.literal, plainEnvironment());
    if (each.value == "\xff") {
      EXPECT_FALSE(compiled) << each.literal;
      continue;
    }
    ASSERT_TRUE(compiled) << each.literal;
    EXPECT_EQ((*compiled)->resultType(), "string") << each.literal;
    const auto result = (*compiled)->evaluate({});
    ASSERT_TRUE(result) << each.literal;
    EXPECT_EQ(result->view().begin()->value.asString(), each.value) << each.literal;
  }
  for (const std::string_view bad : {"'a\nb'",
                                     "\"a\rb\"",
                                     R"('\c')",
                                     R"('\ ')",
                                     R"('\x')",
                                     R"('\x4g')",
                                     R"('\u004')",
                                     R"('\u00g0')",
                                     R"('\U0000041')",
                                     R"('\U00110000')",
                                     R"('\ud800')",
                                     R"('\uDFFF')",
                                     R"('\U0000D800')",
                                     R"('\ud83d\ude00')",
                                     R"('\4')",
                                     R"('\40')",
                                     R"('\400')",
                                     R"('\089')",
                                     R"('\018')",
                                     "'",
                                     "\"",
                                     "'''",
                                     "'''a''",
                                     R"("""a"")",
                                     R"('\')",
                                     "'a\"",
                                     "r'a",
                                     "r'''a'",
                                     "u'a'",
                                     "rr'a'",
                                     "f'a'"}) {
    EXPECT_EQ(run(bad).outcome, refused) << bad;
  }
}

TEST(CelLexisRules, BytesLiterals) {
  const Text cases[] = {
      {"b''", ""},
      {"B\"a\"", "a"},
      {"b'\xc3\xa9'", "\xc3\xa9"},
      {R"(b'\xe9\XE9')", "\xe9\xe9"},
      {R"(b'\351\000\377')", std::string_view("\xe9\0\xff", 3)},
      {R"(b'\a\\\'\"\`\?')", "\a\\'\"`?"},
      {R"(b'\u00e9')", "\xc3\xa9"},
      {"b'''a\nb'''", "a\nb"},
      {R"(b"""a"b""")", "a\"b"},
      {R"(br'\xe9')", R"(\xe9)"},
      {R"(bR"\")", R"(\)"},
      {R"(Br'''\n''')", R"(\n)"},
      {"BR'a'", "a"},
  };
  for (const Text& each : cases) {
    const auto compiled = Expression::compile(each.literal, plainEnvironment());
    ASSERT_TRUE(compiled) << each.literal;
    EXPECT_EQ((*compiled)->resultType(), "bytes") << each.literal;
    const auto result = (*compiled)->evaluate({});
    ASSERT_TRUE(result) << each.literal;
    EXPECT_EQ(result->view().begin()->value.asBinary(), each.value) << each.literal;
  }
  for (const std::string_view bad :
       {R"(b'\U00000041')", R"(b'\ud800')", R"(b'\xg0')", R"(b'\400')", "b'a\nb'", "rb'a'", "bb'a'", "b 'a'", "b"}) {
    EXPECT_EQ(run(bad).outcome, refused) << bad;
  }
}

TEST(CelLexisRules, EveryOctetHasItsEscapes) {
  for (unsigned octet = 0; octet < 256; ++octet) {
    expectAll({{fmt::format(R"('\x{0:02x}' == '\{0:03o}' && '\X{0:02X}' == '\u{0:04x}')", octet), yes},
               {fmt::format(R"('\u{0:04X}' == '\U{0:08x}' && size('\{0:03o}') == 1)", octet), yes},
               {fmt::format(R"(b'\x{0:02x}' == b'\{0:03o}' && size(b'\{0:03o}') == 1)", octet), yes}});
  }
}

TEST(CelLexisRules, BlanksAndComments) {
  expectAll({
      {"1\t+\n1\r==\f2"},
      {"// first\n1 == 1 // last"},
      {"1 == // 2 ||\n1"},
      {"'// no comment' != ''"},
      {"1 // a\r== 1\n== 1"},
      {"[1,//x\n2] == [1, 2]"},
      {"1 == 1 /* no */", refused},
      {"1 == 1 # no", refused},
      {"1 =\n= 1", refused},
      {"1 &\n& 1", refused},
      {"\v1 == 1", refused},
      {"\u00a01 == 1", refused},
  });
}

// Each operator binds tighter than all later ones: the results of the two parses differ.
TEST(CelLexisRules, Precedence) {
  expectAll({
      {"-[5, 6][1] == -6 && !{'a': false}.a && -{'a': 3}['a'] == -3 && -'abc'.size() == -3"},
      {"-2 * -3 == 6 && -7 % 4 == -3 && !false && true && !(true && false)"},
      {"2 + 3 * 4 - 6 / 3 % 2 == 14"},
      {"20 - 3 - 2 == 15 && 60 / 6 / 2 == 5 && 60 / 6 * 2 == 20 && 17 % 10 % 4 == 3 && 2 * 7 % 4 == 2"},
      {"1 + 2 == 3 && 2 * 2 in [4] && 1 + 1 in [2, 3]"},
      {"1 < 2 == true && (1 < 2) == (3 > 2) && true == (2 > 1) == true"},
      {"3 in [1, 2] == false && 1 != 2 == true"},
      {"false && false || true"},
      {"(false && (false || true)) == false"},
      {"true || true && false"},
      {"false || true ? true : false"},
      {"true ? true : false ? false : false"},
      {"false ? 1 : true ? 2 : 3", error},
      {"(false ? 1 : true ? 2 : 3) == 2 && (true ? 1 : true ? 2 : 3) == 1"},
      {"(true && false ? 1 : 2) == 2 && (1 == 1 ? 'a' : 'b') + 'c' == 'ac'"},
      {"true ? (true ? false : true) : true", no},
      {"1 == 1 == 1", refused},
      {"true ? : false", refused},
      {"true ? true", refused},
      {"!", refused},
      {"1 in", refused},
      {"(1 == 1", refused},
      {"1 == 1)", refused},
      {"-!true", refused},
      {"!-1", refused},
      {"! - 1 == 1", refused},
      {"-(!true ? 1 : 2) == -2"},
  });
}

TEST(CelLexisRules, AggregatesAndCalls) {
  expectAll({
      {"[1, 2,].size() == 2 && {'a': 1,}.size() == 1 && [,].size() == 0 && {,}.size() == 0"},
      {"[[], {}, [[{}]]].size() == 3 && {'a': {'b': [1]}}.a.b[0] == 1"},
      {"[1,,].size() == 1", refused},
      {"[,1].size() == 1", refused},
      {"{'a'}.size() == 1", refused},
      {"{'a': }.size() == 1", refused},
      {"{'a': 1 'b': 2}.size() == 2", refused},
      {"{a: 1}.size() == 1", refused},
      {"size([1],) == 1", refused},
      {"size(,) == 1", refused},
      {"[1].size(,) == 1", refused},
      {"[1]['a'.size() - 1] == 1 && ([1, 2])[1] == 2 && ('a' + 'b').size() == 2 && {'f': 1}['f'] == 1"},
      {"[1][] == 1", refused},
      {"[1][0, 0] == 1", refused},
      {".size([7]) == 1 && .int('4') == 4"},
      {"..size([7]) == 1", refused},
      {"'a'.'b' == 1", refused},
      {"{'a': 1}.a() == 1", refused},
      {"(size)([1]) == 1", refused},
  });
}

}  // namespace
}  // namespace mb::cel
