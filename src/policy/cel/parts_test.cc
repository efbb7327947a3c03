#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

// Lines "text = value" and "text ! error".
std::string partsOf(std::string_view source, std::string_view documentJson = R"({"a":1,"s":"x","l":[1,2]})") {
  const auto expression = Expression::compile(source, plainEnvironment());
  if (!expression) return expression.error().message();
  EXPECT_EQ((*expression)->source(), source);
  const auto document = doc::parseJson(documentJson);
  std::vector<Variable> variables(2);
  variables[0].name = "document";
  variables[0].value = document->view();
  variables[1].name = "now";
  variables[1].timestamp = Timestamp{1'769'851'800'250};
  doc::BsonWriter out;
  (*expression)->writeParts(out, "parts", variables);
  const doc::Document written = out.finish();
  std::string lines;
  for (const doc::Element& each : written.view().find("parts")->asDocument()) {
    const doc::DocumentView part = each.value.asDocument();
    lines += part.stringOr("text");
    const auto value = part.find("value");
    if (value) {
      doc::BsonWriter wrapped;
      wrapped.append("v", *value);
      const std::string json = doc::toJson(wrapped.finish());
      lines += " = " + json.substr(5, json.size() - 6) + "\n";
    } else {
      lines += " ! " + std::string(part.stringOr("error")) + "\n";
    }
  }
  return lines;
}

TEST(Parts, AreTheOperandsOfTheOutermostOperator) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"document.a == 1", "document.a = 1\n1 = 1\n"},
      {"document.a in document.l", "document.a = 1\ndocument.l = [1,2]\n"},
      {"!(document.a > 1)", "(document.a > 1) = false\n"},
      {"! !true", "!true = false\n"},
      {"- -5 == 5", "- -5 = 5\n5 = 5\n"},
      {"true && (false || true) &&\n 'x' == \"x\"", "true = true\n(false || true) = true\n'x' == \"x\" = true\n"},
      {"(document.a == 1 || false)", "document.a == 1 = true\nfalse = false\n"},
      {"document.a > 0 ? true : document.none",
       "document.a > 0 = true\ntrue = true\ndocument.none ! no such key (line 1, column 34)\n"},
      {"1 + 2 + 3 == document.a * 2", "1 + 2 + 3 = 6\ndocument.a * 2 = 2\n"},
      {"'\u00e9' == document.s // a comment", "'\u00e9' = \"\u00e9\"\ndocument.s = \"x\"\n"},
  };
  for (const auto& [source, parts] : cases) EXPECT_EQ(partsOf(source), parts) << source;
}

TEST(Parts, AreNoneWithoutAnOperator) {
  for (const char* source : {"true", "has(document.a)", "document.s.startsWith('x')", "size(document.l)",
                             "document.l[0]", "document.l.all(x, x > 0 && x < 5)", "bool('true')"}) {
    EXPECT_EQ(partsOf(source), "") << source;
  }
}

TEST(Parts, AreEvaluatedWhereTheShortCircuitStops) {
  EXPECT_EQ(partsOf("false && document.none == 1 && 1 / 0 == 1 && document.a == 1"),
            "false = false\n"
            "document.none == 1 ! no such key (line 1, column 19)\n"
            "1 / 0 == 1 ! division by zero (line 1, column 34)\n"
            "document.a == 1 = true\n");
}

TEST(Parts, HaveALimitOfTheirOwn) {
  std::string many = "true";
  for (int i = 0; i < 200; ++i) many += " && true";
  EXPECT_EQ(std::ranges::count(partsOf(many), '\n'), 100);
  // A million steps.
  const std::string costly = "document.l.all(a, document.l.all(b, document.l.all(c, true)))";
  std::string list = "0";
  for (int i = 1; i < 100; ++i) list += fmt::format(",{}", i);
  EXPECT_EQ(partsOf(costly + " || true", R"({"l":[)" + list + "]}"),
            costly + " ! the cost limit is exceeded\ntrue ! the cost limit is exceeded\n");
}

}  // namespace
}  // namespace mb::cel
