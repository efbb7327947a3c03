#include "graphql/language/parser.h"

#include <gtest/gtest.h>

#include "graphql/language/lexer.h"

namespace mb::graphql {
namespace {

Request parsed(std::string text) {
  auto request = parse(text);
  EXPECT_TRUE(request) << text << ": " << (request ? "" : request.error().message);
  return request ? *std::move(request) : Request();
}

std::string problem(std::string text) {
  const auto request = parse(text);
  EXPECT_FALSE(request) << text;
  return request ? "" : request.error().message;
}

const Value& argumentOf(const Request& request) {
  return request.operations.front().selections.front().arguments.front().value;
}

std::string stringOf(const std::string& literal) {
  const Request request = parsed("{a(b: " + literal + ")}");
  return request.operations.empty() ? "" : argumentOf(request).text;
}

TEST(ParserTest, ReadsAnOperationWithAllItsParts) {
  const Request request = parsed(R"(
    # a comment
    query Q($id: ID! = "1" @deprecated, $list: [[Int!]]!) @include(if: true) {
      alias: posts(limit: 2, filter: {a: [1, -2.5e3, $id], b: null, c: RED, d: true}) { id, ...F }
      ... on Query @skip(if: false) { b }
      ... { c }
    }
    fragment F on Posts { title }
  )");
  ASSERT_EQ(request.operations.size(), 1u);
  const Operation& operation = request.operations.front();
  EXPECT_EQ(operation.name, "Q");
  ASSERT_EQ(operation.variables.size(), 2u);
  EXPECT_EQ(operation.variables[0].type.text(), "ID!");
  EXPECT_EQ(operation.variables[0].fallback->text, "1");
  EXPECT_EQ(operation.variables[1].type.text(), "[[Int!]]!");
  ASSERT_EQ(operation.selections.size(), 3u);
  const Selection& posts = operation.selections[0];
  EXPECT_EQ(posts.key(), "alias");
  EXPECT_EQ(posts.name, "posts");
  EXPECT_EQ(posts.arguments[1].value.fields[0].value.items[1].name, "-2.5e3");
  EXPECT_EQ(posts.arguments[1].value.fields[0].value.items[2].kind, ValueKind::variable);
  EXPECT_EQ(posts.arguments[1].value.fields[1].value.kind, ValueKind::null);
  EXPECT_EQ(posts.arguments[1].value.fields[2].value.kind, ValueKind::enumeration);
  EXPECT_EQ(posts.selections[1].kind, SelectionKind::spread);
  EXPECT_EQ(operation.selections[1].condition, "Query");
  EXPECT_FALSE(operation.selections[2].condition);
  ASSERT_TRUE(request.fragment("F"));
  EXPECT_EQ(request.fragment("F")->condition, "Posts");
  EXPECT_FALSE(request.fragment("G"));
}

TEST(ParserTest, NamesMayBeKeywords) {
  const Request request = parsed("query query { query: on fragment(true: null) mutation null }");
  EXPECT_EQ(request.operations.front().name, "query");
  EXPECT_EQ(request.operations.front().selections.size(), 4u);
}

TEST(ParserTest, ReadsStrings) {
  EXPECT_EQ(stringOf(R"("a\n\"\\\/é\u00e9\u{1F600}\uD83D\uDE00")"), "a\n\"\\/éé😀😀");
  EXPECT_EQ(stringOf(R"("")"), "");
  EXPECT_EQ(stringOf("\"\"\"\n    one\n      two\n\n    three \\\"\"\"\n  \"\"\""), "one\n  two\n\nthree \"\"\"");
  EXPECT_EQ(stringOf("\"\"\"a\r\n  b\rc\"\"\""), "a\n  b\nc");
  EXPECT_EQ(stringOf(R"("""\n""")"), "\\n");
}

TEST(ParserTest, TellsWhatIsWrong) {
  EXPECT_EQ(problem(""), "Syntax Error: Unexpected <EOF>.");
  EXPECT_EQ(problem("{"), "Syntax Error: Expected Name, found <EOF>.");
  EXPECT_EQ(problem("{}"), "Syntax Error: Expected Name, found \"}\".");
  EXPECT_EQ(problem("{a"), "Syntax Error: Expected Name, found <EOF>.");
  EXPECT_EQ(problem("{a()}"), "Syntax Error: Expected Name, found \")\".");
  EXPECT_EQ(problem("{a(b: )}"), "Syntax Error: Unexpected \")\".");
  EXPECT_EQ(problem("{ ...on }"), "Syntax Error: Expected Name, found \"}\".");
  EXPECT_EQ(problem("fragment on on on { on }"), "Syntax Error: Unexpected Name \"on\".");
  EXPECT_EQ(problem("fragment F Posts { a }"), "Syntax Error: Expected \"on\", found Name \"Posts\".");
  EXPECT_EQ(problem("query ($a: Int = $b) { a }"), "Syntax Error: Unexpected variable \"$b\" in constant value.");
  EXPECT_EQ(problem("type Posts { id: ID }"), "Syntax Error: Unexpected Name \"type\".");
  EXPECT_EQ(problem("notAnOperation Foo { field }"), "Syntax Error: Unexpected Name \"notAnOperation\".");
  EXPECT_EQ(problem("{a} }"), "Syntax Error: Unexpected \"}\".");
}

TEST(ParserTest, TellsWhatIsNoToken) {
  EXPECT_EQ(problem("{ ? }"), "Syntax Error: Unexpected character: \"?\".");
  EXPECT_EQ(problem("{ .. }"), "Syntax Error: Unexpected character: \".\".");
  EXPECT_EQ(problem("{ é }"), "Syntax Error: Unexpected character: \"é\".");
  EXPECT_EQ(problem("{a(b: 00)}"), "Syntax Error: Invalid number, unexpected digit after 0: \"0\".");
  EXPECT_EQ(problem("{a(b: 1.)}"), "Syntax Error: Invalid number, expected digit but got: \")\".");
  EXPECT_EQ(problem("{a(b: -x)}"), "Syntax Error: Invalid number, expected digit but got: \"x\".");
  EXPECT_EQ(problem("{a(b: 1x)}"), "Syntax Error: Invalid number, expected digit but got: \"x\".");
  EXPECT_EQ(problem("{a(b: 1e)}"), "Syntax Error: Invalid number, expected digit but got: \")\".");
  EXPECT_EQ(problem("{a(b: \"x"), "Syntax Error: Unterminated string.");
  EXPECT_EQ(problem("{a(b: \"x\ny\")}"), "Syntax Error: Unterminated string.");
  EXPECT_EQ(problem("{a(b: \"\"\"x\"\")}"), "Syntax Error: Unterminated string.");
  EXPECT_EQ(problem(R"({a(b: "\x")})"), "Syntax Error: Invalid character escape sequence: \"\\x\".");
  for (const char* escape :
       {R"("\u12")", R"("\uD83D")", R"("\uDE00")", R"("\u{110000}")", R"("\u{}")", R"("\uD83D\u0041")"}) {
    EXPECT_TRUE(problem(std::string("{a(b: ") + escape + ")}").starts_with("Syntax Error: Invalid Unicode escape"))
        << escape;
  }
}

TEST(ParserTest, BoundsDepthAndTokens) {
  const auto nested = [](int levels, const std::string& open, const std::string& close) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += open;
    text += "a";
    for (int i = 0; i < levels; ++i) text += close;
    return text;
  };
  EXPECT_TRUE(parse(nested(kMaxNested, "{a ", "}")));
  EXPECT_NE(problem(nested(kMaxNested + 1, "{a ", "}")).find("nested more than"), std::string::npos);
  EXPECT_NE(problem("{a(b: " + nested(100'000, "[", "]") + ")}").find("nested more than"), std::string::npos);
  EXPECT_NE(problem("{a(b: " + nested(100'000, "{a:", "}") + ")}").find("nested more than"), std::string::npos);
  EXPECT_NE(problem("query ($a: " + nested(100'000, "[", "]") + ") {a}").find("nested more than"), std::string::npos);
  EXPECT_TRUE(parse("{" + std::string(kMaxNameBytes, 'a') + "}"));
  EXPECT_NE(problem("{" + std::string(kMaxNameBytes + 1, 'a') + "}").find("Names have at most"), std::string::npos);
  std::string many = "{";
  for (size_t i = 0; i < kMaxTokens; ++i) many += "a ";
  EXPECT_NE(problem(many + "}").find("more than"), std::string::npos);
}

}  // namespace
}  // namespace mb::graphql
