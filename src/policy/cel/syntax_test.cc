// Sections "Syntax", "String and Bytes Values" and "Name Resolution" of the language definition.
#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

using enum Outcome;

TEST(CelSyntax, Literals) {
  expectAll({
      {"0x1F == 31 && -0x1F == -31 && 0xAu == 10u && 007 == 7"},
      {"7u == 7U && 1e3 == 1000.0 && .700e1 == 7.0 && 7e0 == 7.0 && 1.5E-1 == 0.15"},
      {"-9223372036854775808 < 0 && 9223372036854775807 > 0 && 18446744073709551615u > 0u"},
      {"-0x8000000000000000 == -9223372036854775808"},
      {"9223372036854775808 > 0", refused},
      {"-9223372036854775809 < 0", refused},
      {"18446744073709551616u > 0u", refused},
      {"-1u == 0u", refused},
      {"1e999 > 0.0", refused},
      {"1e-999 == 0.0"},
      {"1.e3 == 1.0", refused},
      {"1abc == 1", refused},
      {"true && !false && null == null"},
      {"[] == [] && {} == {} && [1,] == [1] && {'a': 1,} == {'a': 1} && [,] == [] && {,} == {}"},
      {"[1,,] == [1]", refused},
      {"[1 2] == [1]", refused},
  });
}

TEST(CelSyntax, StringsAndBytes) {
  expectAll({
      {R"('' == "" && '""' == "\"\"" && '''x''x''' == "x''x" && """a"b""" == 'a"b')"},
      {R"("\\".size() == 1 && r"\\".size() == 2 && R'\n'.size() == 2)"},
      {R"("\a\b\f\n\r\t\v\?\"\'\`" == "\x07\x08\x0c\x0a\x0d\x09\x0b\x3f\x22\x27\x60")"},
      {R"("\303\277" == "Ã¿" && "\377" == "ÿ" && "\xFF" == "\u00ff" && "\U0001F600" == "😀")"},
      {R"(b"abc" == b'\x61\142\u0063' && b"ÿ" == b"\303\277" && b"\377" != b"ÿ" && b"\xff".size() == 1)"},
      {R"(br'\x'.size() == 2 && BR"""a'b""" == b"a'b" && bR'' == b'')"},
      {"'''a\nb''' == \"a\\nb\""},
      {R"("\u00e9".size() == 1 && "e\u0301".size() == 2)"},
      {"'a\nb' == ''", refused},
      {R"('\s' == '')", refused},
      {R"('\400' == '')", refused},
      {R"('\8' == '')", refused},
      {R"('\x4' == '')", refused},
      {R"('\uD83D\uDE03' == '')", refused},
      {R"('\UD83DDE03' == '')", refused},
      {R"('\U00110000' == '')", refused},
      {R"('a' == 'a)", refused},
      {R"("a\)", refused},
      {R"('''a'' == '')", refused},
      {R"(rb'a' == b'a')", refused},
  });
}

TEST(CelSyntax, PrecedenceAndAssociativity) {
  expectAll({
      {"1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 10 - 4 - 3 == 3 && 100 / 10 / 2 == 5 && 7 - 7 % 4 == 4"},
      {"true || false && false"},
      {"!true || true"},
      {"1 < 2 == true"},
      {"1 + 1 in [2]"},
      {"false ? false : true ? true : false"},
      {"true ? false : true ? true : true", no},
      {"--1 == 1 && ---1 == -1 && !!true && - 1 == -1"},
      {"1 - -1 == 2 && 1-1 == 0"},
      {"!-1 == 1", refused},
      {"-!true", refused},
      {"true ? true ? true : true : true", refused},
      {"(true ? 1 : 2) == 1"},
      {"{'a': [{'b': 5}]}.a[0]['b'] == 5"},
      {"-[1, 2].size() == -2 && -1.0 == 0.0 - 1.0"},
  });
}

TEST(CelSyntax, BlanksAndComments) {
  expectAll({
      {" \t\r\n\f1 ==// a comment\n1"},
      {"1 == 1 // at the end"},
      {"1 == 1 / 1"},
      {"//", refused},
      {"", refused},
      {"  ", refused},
  });
}

TEST(CelSyntax, NamesAndReservedWords) {
  for (const std::string_view word : {"as", "break", "const", "continue", "else", "for", "function", "if", "import",
                                      "let", "loop", "package", "namespace", "return", "var", "void", "while"}) {
    const std::string name(word);
    expectAll({{name + " == 1", refused}, {name + "(1) == 1", refused}, {"{'" + name + "': 1}." + name + " == 1"}});
  }
  expectAll({
      {"in == 1", refused},
      {"document.true == 1", refused},
      {"document.in == 1", refused},
      {"{'content-type': 1}.`content-type` == 1 && has({'a.b': 1}.`a.b`) && {'/x y': 2}.`/x y` == 2"},
      {"document.`` == 1", refused},
      {"`x` == 1", refused},
      {"document.`a!b` == 1", refused},
      {".x == 1 || true"},
      {"[1].exists(x, x == 1)"},
      {"[1].exists(x, .x == 1)", error},
      {"unknown == 1", refused},
      {"unknown(1)", refused},
      {"x.unknown(1)", refused},
      {"document..a == 1", refused},
      {"document.a() == 1", refused},
      {"size", refused},
  });
}

TEST(CelSyntax, MessagesAreRefusedAsUnknownTypes) {
  for (const std::string_view source :
       {"Foo{}", "a.b.Foo{x: 1, y: [2],} == 1", ".Foo{} == 1", "google.protobuf.Any{}"}) {
    const Ran ran = run(source);
    EXPECT_EQ(ran.outcome, refused) << source;
    EXPECT_NE(ran.message.find("unknown type"), std::string::npos) << ran.message;
  }
  expectAll({{"Foo{1: 2}", refused}, {"(1){}", refused}, {"'a'{}", refused}, {"Foo{a: unknown} == 1", refused}});
}

std::string repeated(std::string_view text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(CelSyntax, WhatMustBeSupportedIs) {
  expectAll({
      {repeated("false || ", 31) + "true"},
      {repeated("true && ", 31) + "true"},
      {repeated("false ? false : ", 24) + "true"},
      {repeated("1 + ", 24) + "1 == 25"},
      {repeated("(", 32) + "true" + repeated(")", 32)},
      {repeated("int(", 12) + "1" + repeated(")", 12) + " == 1"},
      {repeated("[", 12) + "1" + repeated("]", 12) + repeated("[0]", 12) + " == 1"},
      {repeated("!", 32) + "true"},
      {repeated("-", 32) + "19 == 19"},
      {"[" + repeated("1, ", 31) + "1].size() == 32"},
      {"x" + repeated(".a", 12) + " == 1 || true"},
  });
}

TEST(CelSyntax, SizeAndDepthAreBounded) {
  for (const std::string& source :
       {repeated("(", 2000) + "1" + repeated(")", 2000), repeated("[", 2000), repeated("1+", 2000) + "1",
        "x" + repeated(".a", 2000), repeated("!", 4000) + "true", repeated("-", 4000) + "1",
        repeated("true?true:", 800), repeated("[0].map(x,", 500), std::string(9000, ' ') + "true",
        "x" + repeated("[0]", 2000)}) {
    EXPECT_EQ(run(source).outcome, refused) << source.substr(0, 40);
  }
  EXPECT_EQ(run(repeated("true && ", 1000) + "true").outcome, yes);
}

TEST(CelSyntax, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(run("'\xff' == ''").outcome, refused);
  EXPECT_EQ(run(std::string_view("1 == 1\0", 7)).outcome, refused);
  EXPECT_EQ(run("1 == 1 # 2").outcome, refused);
  EXPECT_EQ(run("1 & 2").outcome, refused);
  EXPECT_EQ(run("1 = 2").outcome, refused);
}

struct Placed {
  std::string_view source;
  std::string_view place;  // line:column
  std::string_view words;
};

TEST(CelSyntax, ProblemsSayWhereAndWhat) {
  const Placed cases[] = {
      {"1 +", "1:4", "too early"},
      {"document.a &&\n  )", "2:3", "unexpected ')'"},
      {"'é' == é", "1:8", "unexpected character"},
      {"[1, 2", "1:6", "expected ']'"},
      {"document.has(1)", "1:10", "'has'"},
      {"has(document)", "1:5", "has() takes a field selection"},
      {"[1].all(1, true)", "1:9", "plain name"},
      {"[1].all(a.b, true)", "1:11", "plain name"},
      {"\n\n  nowhere == 1", "3:3", "undeclared reference to 'nowhere'"},
      {"1 + 'a' == 2", "1:3", "no matching overload for '_+_' applied to (int, string)"},
      {"'a'.size(1) == 1", "1:5", "no matching overload for 'size' applied to (string, int)"},
      {"'a'.matches('(')", "1:13", "not a regular expression"},
      {"let == 1", "1:1", "'let' is a reserved word"},
  };
  for (const Placed& each : cases) {
    const auto compiled = Expression::compile(each.source, plainEnvironment());
    ASSERT_FALSE(compiled) << each.source;
    ASSERT_FALSE(compiled.error().details().empty());
    EXPECT_EQ(compiled.error().details()[0].path, each.place) << each.source;
    EXPECT_NE(compiled.error().details()[0].message.find(each.words), std::string::npos)
        << each.source << ": " << compiled.error().details()[0].message;
  }
}

TEST(CelSyntax, TheCheckerReportsAllProblems) {
  const auto compiled = Expression::compile("one == 1 && two == 2 && 1 + 'a' == three", plainEnvironment());
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().details().size(), 4U);
}

}  // namespace
}  // namespace mb::cel
