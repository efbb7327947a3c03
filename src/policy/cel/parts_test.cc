#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

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
  return doc::toJson(out.finish());
}

TEST(Parts, AreTheOperandsOfTheOutermostOperator) {
  EXPECT_EQ(partsOf("document.a == 1"), R"({"parts":[{"text":"document.a","value":1},{"text":"1","value":1}]})");
  EXPECT_EQ(partsOf("document.a in document.l"),
            R"({"parts":[{"text":"document.a","value":1},{"text":"document.l","value":[1,2]}]})");
  EXPECT_EQ(partsOf("!(document.a > 1)"), R"({"parts":[{"text":"(document.a > 1)","value":false
}]
})");
  EXPECT_EQ(partsOf("! !true"), R"({"parts":[{"text":"!true","value":false}]})");
EXPECT_EQ(partsOf("- -5 == 5"), R"({"parts":[{"text":"- -5","value":5},{"text":"5","value":5}]})");
  EXPECT_EQ(partsOf("true && (false || true) &&\n 'x' == \"x\""),
            R"({"parts":[{"text":"true","value":true},{"text":"(false || true)","value":true
  },)"
            R"({"text":"'x' == \"x\"","value":true}]})");
  EXPECT_EQ(partsOf("(document.a == 1 || false)"),
            R"({"parts":[{"text":"document.a == 1","value":true},{"text":"false","value":false}]})");
  EXPECT_EQ(partsOf("document.a > 0 ? true : document.none"),
            R"({"parts":[{"text":"document.a > 0","value":true},{"text":"true","value":true},)"
            R"({"text":"document.none","error":"no such key (line 1, column 34)"
  }]
  })");
  EXPECT_EQ(partsOf("1 + 2 + 3 == document.a * 2"),
            R"({"parts":[{"text":"1 + 2 + 3","value":6},{"text":"document.a * 2","value":2}]})");
  EXPECT_EQ(partsOf("'\u00e9' == document.s // a comment"),
            R"({"parts":[{"text":"'é'","value":"é"},{"text":"document.s","value":"x"}]})");
  }

  TEST(Parts, AreNoneWithoutAnOperator) {
    for (const char* source : {"true", "has(document.a)", "document.s.startsWith('x')", "size(document.l)",
                               "document.l[0]", "document.l.all(x, x > 0 && x < 5)", "bool('true')"}) {
      EXPECT_EQ(partsOf(source), R"({"parts":[]})") << source;
    }
  }

TEST(Parts, AreEvaluatedWhereTheShortCircuitStops) {
  EXPECT_EQ(partsOf("false && document.none == 1 && 1 / 0 == 1 && document.a == 1"),
            R"({"parts":[{"text":"false","value":false},)"
            R"({"text":"document.none == 1","error":"no such key (line 1, column 19)"},)"
            R"({"text":"1 / 0 == 1","error":"division by zero (line 1, column 34)"
},)"
            R"({"text":"document.a == 1","value":true}]})");
}

TEST(Parts, HaveALimitOfTheirOwn) {
  std::string many = "true";
  for (int i = 0; i < 200; ++i) many += " && true";
  EXPECT_EQ(std::ranges::count(partsOf(many), '{'), 101);
  // A million steps.
  const std::string costly = "document.l.all(a, document.l.all(b, document.l.all(c, true)))";
  std::string list = "0";
  for (int i = 1; i < 100; ++i) list += fmt::format(",{}", i);
  const std::string parts = partsOf(costly + " || true", R"({"l":[)" + list + "]}");
  EXPECT_NE(parts.find(R"("error":"the cost limit is exceeded"},{)"), std::string::npos) << parts;
}

}  // namespace
}  // namespace mb::cel
