#include "functions/flow_expression.h"

#include <gtest/gtest.h>

#include "document/json.h"
#include "functions/flow_helpers.h"
#include "functions/flow_template.h"
#include "functions/flow_values.h"

namespace mb::functions {
namespace {

std::string written(std::string_view source) {
  FlowScope scope({"orders", "total"});
  auto expression = compileExpression(source, scope);
  return expression ? expression->code : "refused: " + expression.error().message();
}

TEST(FlowExpression, MeansTheSameInJavaScript) {
  struct Case {
    std::string_view source, code;
  };
  const Case cases[] = {
      {"1 + 2", "add(1, 2)"},
      {"1.5 + 2.0", "1.5 + 2"},
      {"total * 1.5", "number(vars.total) * 1.5"},
      {"total / 2", "divide(vars.total, 2)"},
      {"total % 2 == 0", "modulo(vars.total, 2) === 0"},
      {"-total", "0 - number(vars.total)"},
      {"'a' + \"b\"", R"("a" + "b")"},
      {"event.document.title", R"(field(event, "document", "title"))"},
      {"event['document'].title", R"(field(item(event, "document"), "title"))"},
      {"orders[0].id", R"(field(item(vars.orders, 0), "id"))"},
      {"vars.orders", R"(field(vars, "orders"))"},
      {"auth == null", "ctx.auth == null"},
      {"request.body.x != 'y'", R"(field(ctx.request, "body", "x") !== "y")"},
      {"event.a == event.b", R"(same(field(event, "a"), field(event, "b")))"},
      {"event.a != event.b", R"(!same(field(event, "a"), field(event, "b")))"},
      {"total > 3", "order(vars.total, 3) > 0"},
      {"size(orders) >= 3", "size(vars.orders) >= 3"},
      {"orders.size() < 3", "size(vars.orders) < 3"},
      {"has(event.previous.x)", R"(has(field(event, "previous"), "x"))"},
      {"total > 1 && event.ok", R"((order(vars.total, 1) > 0) && truth(field(event, "ok")))"},
      {"true || !event.ok", R"(true || !truth(field(event, "ok")))"},
      {"!(total == 1)", "!(vars.total === 1)"},
      {"total > 1 ? 'a' : 'b'", R"((order(vars.total, 1) > 0) ? "a" : "b")"},
      {"total in [1, 2]", "isIn(vars.total, [1, 2])"},
      {"orders.exists(o, o.total > 3)", R"(items(vars.orders).some((o) => (order(field(o, "total"), 3) > 0)))"},
      {"orders.all(o, true)", "items(vars.orders).every((o) => true)"},
      {"orders.exists_one(o, o == 1)", "items(vars.orders).filter((o) => (o === 1)).length === 1"},
      {"orders.filter(o, o.ok).map(o, {'id': o.id})",
       R"(items(items(vars.orders).filter((o) => truth(field(o, "ok")))).map((o) => ({ id: field(o, "id") })))"},
      {"orders.map(o, o > 1, o)", "items(vars.orders).filter((o) => (order(o, 1) > 0)).map((o) => o)"},
      {"orders.map(new, new)", "items(vars.orders).map((new_) => new_)"},
      {"orders.map(field, field.x)", R"(items(vars.orders).map((field_) => field(field_, "x")))"},
      {"orders.map(event, event)", "items(vars.orders).map((event_) => event_)"},
      {"{'a b': 1, '__proto__': 2}", R"({ "a b": 1, ["__proto__"]: 2 })"},
      {"event.name.startsWith('x')", R"(string(field(event, "name")).startsWith("x"))"},
      {"string(total).contains('1')", R"(toText(vars.total).includes("1"))"},
      {"event.name.matches('^[a-z]+/x$')", R"(/^[a-z]+\/x$/u.test(string(field(event, "name"))))"},
      {"now - duration('24h')", R"(subtract(now, duration("24h")))"},
      {"now.getFullYear()", "now.getUTCFullYear()"},
      {"timestamp('2026-01-31T09:30:00Z').getDayOfMonth()", R"(timestamp("2026-01-31T09:30:00Z").getUTCDate() - 1)"},
      {"int('5') + 1", R"(add(toInt("5"), 1))"},
      {"dyn(1)", "1"},
      {"'\\u2028</script>'", "\"\xE2\x80\xA8</script>\""},
  };
  for (const Case& each : cases) EXPECT_EQ(written(each.source), each.code) << each.source;
}

TEST(FlowExpression, WhatHasNoCounterpartIsRefused) {
  struct Case {
    std::string_view source, message;
  };
  const Case cases[] = {
      {"1u", "line 1, column 1: unsigned integers, bytes and types cannot be used in a flow"},
      {"b'x'", "line 1, column 1: unsigned integers, bytes and types cannot be used in a flow"},
      {"9223372036854775807", "line 1, column 1: the integer is too large"},
      {"type(total) == int", "line 1, column 1: type() cannot be used in a flow"},
      {"uint(1)", "line 1, column 1: uint() cannot be used in a flow"},
      {"now.getHours('Europe/Berlin')", "line 1, column 5: time zones cannot be used in a flow: times are in UTC"},
      {"event.name.matches(event.pattern)", "line 1, column 12: the pattern must be written out"},
      {"event.name.matches('(?i)x')", "line 1, column 12: the pattern has a group that is not (?:…)"},
      {"event.name.matches('[[:alpha:]]')", "line 1, column 12: the pattern has a class by name"},
      {"nobody.x", "line 1, column 1: undeclared reference to 'nobody'"},
      {"1 +", "line 1, column 4: syntax error: the expression ends too early"},
      {"1 + 'a'", "line 1, column 3: no matching overload for '+' applied to (int, string)"},
  };
  for (const Case& each : cases) {
    const std::string code = written(each.source);
    EXPECT_TRUE(code.starts_with("refused: ")) << each.source << " -> " << code;
    EXPECT_TRUE(code.contains(each.message.substr(0, 30))) << each.source << " -> " << code;
  }
}

TEST(FlowExpression, AVariableTakesTheNameOfTheDocument) {
  FlowScope plain({});
  EXPECT_EQ(compileExpression("document.n == previous.n", plain)->code,
            R"(same(field(event.document, "n"), field(event.previous, "n")))");
  FlowScope taken({"document"});
  EXPECT_EQ(compileExpression("document.n", taken)->code, R"(field(vars.document, "n"))");
}

TEST(FlowExpression, ConditionsAreLookedAt) {
  FlowScope scope({"x"});
  EXPECT_EQ(*compileCondition("x == 1", scope), "vars.x === 1");
  EXPECT_EQ(*compileCondition("x", scope), "truth(vars.x)");
}

TEST(FlowTemplate, IsCutWhereItsExpressionsEnd) {
  struct Case {
    std::string_view text;
    std::vector<std::string> pieces;  // expressions with "=" in front
  };
  const Case cases[] = {
      {"", {}},
      {"plain", {"plain"}},
      {"{{ a }}", {"=a"}},
      {"Hi {{a}}, {{ b }}!", {"Hi ", "=a", ", ", "=b", "!"}},
      {"{{ {'a': {'b': 1}} }}", {"={'a': {'b': 1}}"}},
      {"{{ '}}' }}x", {"='}}'", "x"}},
      {"{{ '\\'}}' }}", {"='\\'}}'"}},
      {"{{ r'\\' }}", {"=r'\\'"}},
      {R"({{ """ "}} """ }})", {R"(=""" "}} """)"}},
      {"{ } }}", {"{ } }}"}},
  };
  for (const Case& each : cases) {
    const auto split = splitTemplate(each.text);
    ASSERT_TRUE(split) << each.text;
    std::vector<std::string> pieces;
    for (const TemplatePiece& piece : *split)
      pieces.push_back((piece.isExpression ? "=" : "") + std::string(piece.text));
    EXPECT_EQ(pieces, each.pieces) << each.text;
  }
  for (const std::string_view bad : {"{{", "{{ a }", "{{ }}", "{{ 'a }}", "x {{ {a }}", "{{ a } }}"}) {
    EXPECT_FALSE(splitTemplate(bad)) << bad;
  }
}

std::string valueCode(std::string_view json, ValueUse use = ValueUse::plain) {
  FlowScope scope({"x"});
  const auto parsed = doc::parseJsonValue(json, {.maxDepth = 50, .extended = doc::ExtendedJson::refuse});
  auto code = valueCode(parsed->view().begin()->value, use, 0, scope);
  return code ? *code : "refused: " + code.error().message();
}

TEST(FlowValues, AreWrittenUnchanged) {
  EXPECT_EQ(valueCode(R"({"a":1,"b c":[true,null,1.5,"x"],"$set":{}})"),
            R"({ a: 1, "b c": [true, null, 1.5, "x"], $set: {} })");
  EXPECT_EQ(valueCode(R"({"__proto__":1})"), R"({ ["__proto__"]: 1 })");
  EXPECT_EQ(valueCode("9007199254740993"), "9007199254740993n");
  EXPECT_EQ(valueCode(R"({"$date":"2026-01-31T09:30:00Z"})"), R"(new Date("2026-01-31T09:30:00.000Z"))");
  EXPECT_EQ(valueCode(R"("`${x}` \" \\ ")"), R"("`${x}` \" \\ ")");
  EXPECT_EQ(valueCode(R"("{{ x }}")"), "vars.x");
  EXPECT_EQ(valueCode(R"("Hi {{ x }} and {{ string(x) }}")"), R"("Hi " + text(vars.x) + " and " + toText(vars.x))");
  EXPECT_EQ(valueCode(R"("{{ now - timestamp(x) }}")"), "plain(subtract(now, timestamp(vars.x)))");
  EXPECT_EQ(valueCode(R"({"a":{"b":["{{ nobody }}"]}})").substr(0, 17), "refused: a.b.0: l");
  EXPECT_EQ(valueCode(R"({"$oid":"507f1f77bcf86cd799439011"})"),
            "refused: holds a value of a type that code cannot have");
}

TEST(FlowValues, AFilterTakesNoOperatorsFromData) {
  EXPECT_EQ(valueCode(R"({"a":"{{ x }}","b":{"$gt":"{{ size(x) }}"},"c":"{{ [x] }}"})", ValueUse::filter),
            "{ a: operand(vars.x), b: { $gt: size(vars.x) }, c: operand([vars.x]) }");
}

TEST(FlowHelpers, NeedWhatIsThere) {
  for (const FlowHelper& helper : flowHelpers()) {
    EXPECT_TRUE(helper.code.ends_with("}\n")) << helper.name;
    EXPECT_TRUE(helper.code.contains(helper.name)) << helper.name;
    for (const std::string_view needed : helper.needs) {
      EXPECT_TRUE(std::ranges::any_of(flowHelpers(), [&](const FlowHelper& each) { return each.name == needed; }))
          << helper.name << " needs " << needed;
    }
    // All helpers that a helper calls are listed.
    for (const FlowHelper& other : flowHelpers()) {
      const bool calls = helper.code.contains(fmt::format(" {}(", other.name)) ||
                         helper.code.contains(fmt::format("({}(", other.name)) ||
                         helper.code.contains(fmt::format("!{}(", other.name)) ||
                         helper.code.contains(fmt::format("instanceof {}", other.name));
      if (!calls || other.name == helper.name) continue;
      EXPECT_TRUE(std::ranges::find(helper.needs, other.name) != helper.needs.end())
          << helper.name << " calls " << other.name;
    }
  }
}

}  // namespace
}  // namespace mb::functions
