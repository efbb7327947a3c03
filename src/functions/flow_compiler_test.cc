#include "functions/flow_compiler.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

#include "document/json.h"
#include "functions/flow_graph.h"

namespace mb::functions {
namespace {

// Nodes as "id type {data}", edges as "from to" or "from to branch".
doc::Document flow(const std::vector<std::string>& nodes, const std::vector<std::string>& edges) {
  std::string json = R"({"nodes":[)";
  for (const std::string& node : nodes) {
    const size_t type = node.find(' ') + 1;
    const size_t data = node.find(' ', type);
    if (!json.ends_with('[')) json += ',';
    json += fmt::format(R"({{"id":"{}","type":"{}","data":{},"position":{{"x":1,"y":2.5}}}})", node.substr(0, type - 1),
                        node.substr(type, data - type), data == std::string::npos ? "{}" : node.substr(data + 1));
  }
  json += R"(],"edges":[)";
  for (size_t i = 0; i < edges.size(); ++i) {
    const size_t to = edges[i].find(' ') + 1;
    const size_t branch = edges[i].find(' ', to);
    if (i > 0) json += ',';
    json += fmt::format(R"({{"id":"e{}","source":"{}","target":"{}")", i, edges[i].substr(0, to - 1),
                        edges[i].substr(to, branch - to));
    if (branch != std::string::npos) json += fmt::format(R"(,"branch":"{}")", edges[i].substr(branch + 1));
    json += '}';
  }
  auto parsed = doc::parseJson(json + "]}", {.maxDepth = 50, .extended = doc::ExtendedJson::refuse});
  EXPECT_TRUE(parsed) << json;
  return parsed ? *std::move(parsed) : doc::Document();
}

// The statements of the handler, without header, declarations and helpers.
std::string body(const std::vector<std::string>& nodes, const std::vector<std::string>& edges) {
  const auto compiled = compileFlow(flow(nodes, edges));
  if (!compiled) return "refused: " + compiled.error().message();
  const size_t begin = compiled->code.find("  // ");
  return compiled->code.substr(begin, compiled->code.find("\n}\n", begin) + 1 - begin);
}

std::vector<std::string> problems(const doc::Document& given) {
  const auto compiled = compileFlow(given);
  std::vector<std::string> found;
  if (compiled) return found;
  for (const ErrorDetail& each : compiled.error().details()) found.push_back(each.path + " " + each.message);
  return found;
}

TEST(FlowCompiler, WritesAHandlerThatReadsLikeOne) {
  const auto compiled = compileFlow(flow(
      {"start trigger",
       R"(found find {"collection":"orders","filter":{"customer":"{{ event.documentId }}"},"limit":5,"as":"orders"})",
       R"(done respond {"status":201,"body":{"count":"{{ size(orders) }}"}})"},
      {"start found", "found done"}));
  ASSERT_TRUE(compiled) << compiled.error().message();
  EXPECT_TRUE(compiled->code.starts_with(std::string(kFlowHeader) + R"(
export default async function (event, ctx) {
  const vars = { orders: null };
  // start: trigger
  // found: find orders
  vars.orders = await ctx.db.find("orders", { customer: operand(field(event, "documentId")) }, { limit: 5 });
  // done: respond
  return { status: 201, body: { count: size(vars.orders) } };
}

function field(value, ...names) {
)")) << compiled->code;
  EXPECT_TRUE(compiled->code.contains("function isMap("));
  EXPECT_FALSE(compiled->code.contains("function add("));
}

TEST(FlowCompiler, HasAStatementForEachNode) {
  struct Case {
    std::string node, statement;
  };
  const Case cases[] = {
      {R"(n set {"values":{"a":1,"b":"{{ now }}"}})", "  vars.a = 1;\n  vars.b = now;\n"},
      {R"(n find {"collection":"{{ event.collection }}","as":"a"})",
       "  vars.a = await ctx.db.find(text(field(event, \"collection\")), {});\n"},
      {R"(n find {"collection":"c","as":"a","limit":"{{ 1 + 1 }}"})",
       "  vars.a = await ctx.db.find(\"c\", {}, { limit: add(1, 1) });\n"},
      {R"(n insert {"collection":"c","document":{"a":1}})", "  await ctx.db.insertOne(\"c\", { a: 1 });\n"},
      {R"(n insert {"collection":"c","document":"{{ event.document }}"})",
       "  await ctx.db.insertOne(\"c\", field(event, \"document\"));\n"},
      {R"(n update {"collection":"c","filter":{"id":"x"},"update":{"$inc":{"n":1}}})",
       "  await ctx.db.updateMany(\"c\", { id: \"x\" }, { $inc: { n: 1 } });\n"},
      {R"(n delete {"collection":"c","filter":{"id":"x"}})", "  await ctx.db.deleteMany(\"c\", { id: \"x\" });\n"},
      {R"(n integration {"integration":"mail","op":"send","args":{"to":"a@b.c"},"as":"sent"})",
       "  vars.sent = await ctx.integrations.call(\"mail\", \"send\", { to: \"a@b.c\" });\n"},
      {R"(n integration {"integration":"mail","op":"send"})",
       "  await ctx.integrations.call(\"mail\", \"send\", {});\n"},
      {R"(n log {"message":"Hi {{ event.type }}"})", "  console.info(\"Hi \" + text(field(event, \"type\")));\n"},
      {R"(n log {"level":"warn","message":""})", "  console.warn(\"\");\n"},
      {R"(n respond {"status":204})", "  return { status: 204, body: null };\n"},
      {R"(n respond {"status":"{{ event.status }}","headers":{"x-a":"1"},"body":"x"})",
       "  return { status: field(event, \"status\"), headers: { \"x-a\": \"1\" }, body: \"x\" };\n"},
      {R"(n stop)", "  return;\n"},
      {R"(n stop {"reason":"no {{ event.type }}"})",
       "  console.info(\"stopped: \" + \"no \" + text(field(event, \"type\")));\n  return;\n"},
      {R"(n code {"code":"vars.x = 1;"})", "  await code1(event, ctx, vars);\n"},
  };
  for (const Case& each : cases) {
    const std::string written = body({"t trigger", each.node}, {"t n"});
    const size_t second = written.find('\n', written.find("// n:"));
    EXPECT_EQ(second == std::string::npos ? written : written.substr(second + 1), each.statement) << each.node;
  }
}

TEST(FlowCompiler, BranchesJoinAgain) {
  const std::vector<std::string> nodes = {"t trigger", R"(c condition {"expression":"event.ok == true"})",
                                          R"(a log {"message":"a"})", R"(b log {"message":"b"})",
                                          R"(z log {"message":"z"})"};
  EXPECT_EQ(body(nodes, {"t c", "c a true", "c b false", "a z", "b z"}), R"(  // t: trigger
  // c: condition event.ok == true
  if (field(event, "ok") === true) {
    // a: log
    console.info("a");
  } else {
    // b: log
    console.info("b");
  }
  // z: log
  console.info("z");
)");
  EXPECT_EQ(body({nodes[0], nodes[1], nodes[2], nodes[4]}, {"t c", "c a true", "c z false", "a z"}), R"(  // t: trigger
  // c: condition event.ok == true
  if (field(event, "ok") === true) {
    // a: log
    console.info("a");
  }
  // z: log
  console.info("z");
)");
  EXPECT_EQ(body({nodes[0], nodes[1], nodes[2]}, {"t c", "c a false"}), R"(  // t: trigger
  // c: condition event.ok == true
  if (!(field(event, "ok") === true)) {
    // a: log
    console.info("a");
  }
)");
}

// c1 and c2 share b, which does not join both branches of either: the code leaves a block for it.
TEST(FlowCompiler, WaysThatCrossLeaveBlocks) {
  EXPECT_EQ(body({"t trigger", R"(c1 condition {"expression":"event.a == 1"})",
                  R"(c2 condition {"expression":"event.b == 1"})", R"(a log {"message":"a"})",
                  R"(b log {"message":"b"})", R"(z log {"message":"z"})"},
                 {"t c1", "c1 c2 true", "c1 b false", "c2 a true", "c2 b false", "a z", "b z"}),
            R"(  // t: trigger
  block1: {
    // c1: condition event.a == 1
    if (field(event, "a") === 1) {
      // c2: condition event.b == 1
      if (field(event, "b") === 1) {
        // a: log
        console.info("a");
        break block1;
      }
    }
    // b: log
    console.info("b");
  }
  // z: log
  console.info("z");
)");
}

TEST(FlowCompiler, AWayThatEndsEarlyReturns) {
  EXPECT_EQ(body({"t trigger", R"(c condition {"expression":"event.a == 1"})",
                  R"(d condition {"expression":"event.b == 1"})", R"(z log {"message":"z"})"},
                 {"t c", "c d true", "c z false", "d z true"}),
            R"(  // t: trigger
  // c: condition event.a == 1
  if (field(event, "a") === 1) {
    // d: condition event.b == 1
    if (!(field(event, "b") === 1)) {
      return;
    }
  }
  // z: log
  console.info("z");
)");
}

TEST(FlowCompiler, LoopsHoldWhatTheyRepeat) {
  EXPECT_EQ(body({"t trigger", R"(f forEach {"items":"{{ event.lines }}","as":"line"})",
                  R"(c condition {"expression":"line.free"})", R"(a log {"message":"{{ line.id }}"})",
                  R"(g forEach {"items":["x"],"as":"each"})", R"(b log {"message":"b"})", R"(z log {"message":"z"})"},
                 {"t f", "f c each", "f z done", "c f true", "c a false", "a g", "g b each", "b f"}),
            R"(  // t: trigger
  // f: forEach {{ event.lines }}
  loop1: for (const item of items(field(event, "lines"))) {
    vars.line = item;
    // c: condition line.free
    if (!(truth(field(vars.line, "free")))) {
      // a: log
      console.info(text(field(vars.line, "id")));
      // g: forEach
      for (const item of ["x"]) {
        vars.each = item;
        // b: log
        console.info("b");
        continue loop1;
      }
    }
  }
  // z: log
  console.info("z");
)");
}

TEST(FlowCompiler, CodeIsInFunctionsOfItsOwn) {
  const doc::Document given = flow(
      {"t trigger", R"(a code {"code":"vars.x = `\n  ${1}`;\nreturn;"})", R"(b code {"code":"x"})"}, {"t a", "a b"});
  const auto compiled = compileFlow(given);
  ASSERT_TRUE(compiled) << compiled.error().message();
  EXPECT_TRUE(
      compiled->code.contains("\n// a\nasync function code1(event, ctx, vars) {\nvars.x = `\n  ${1}`;\nreturn;\n}\n"
                              "\n// b\nasync function code2(event, ctx, vars) {\nx\n}\n"))
      << compiled->code;
  ASSERT_EQ(compiled->parts.size(), 2u);
  const std::string parted = apart(*compiled);
  EXPECT_TRUE(parted.contains("}\nexport {};\n// a\n") && parted.contains("}\nexport {};\n// b\n")) << parted;
  EXPECT_EQ(std::ranges::count(parted, '\n'), std::ranges::count(compiled->code, '\n'));
  const int line = compiled->parts[0].first;
  EXPECT_EQ(compiled->parts[0].last, line + 2);
  const Error error =
      aboutFlow(*compiled, Error(ErrorCode::validation, fmt::format("{}:5: Unexpected token", line + 1)));
  EXPECT_EQ(error.details().at(0).path, "/flow/nodes/1/data/code");
  EXPECT_EQ(error.details().at(0).message, "node \"a\" line 2, column 5: Unexpected token");
  EXPECT_EQ(aboutFlow(*compiled, Error(ErrorCode::validation, "1:1: x")).details().at(0).path, "/flow");
}

TEST(FlowCompiler, CodeIsWrongInItsOwnLines) {
  const doc::Document given = flow({"t trigger", "a code {\"code\":\"let x;\\nx = `é😀\"}"}, {"t a"});
  const auto compiled = compileFlow(given);
  ASSERT_TRUE(compiled) << compiled.error().message();
  const CompiledFlow::Part& part = compiled->parts.at(0);
  EXPECT_EQ(aloneOf(part), "export default async function (event, ctx, vars) {\nlet x;\nx = `é😀\n}\n");
  const auto about = [&](std::string_view said) {
    const Error error = aboutPart(part, Error(ErrorCode::validation, std::string(said)));
    EXPECT_EQ(error.details().at(0).path, "/flow/nodes/1/data/code");
    return error.details().at(0).message;
  };
  EXPECT_EQ(about("2:5: no"), "node \"a\" line 1, column 5: no");
  EXPECT_EQ(about("3:1: no"), "node \"a\" line 2, column 1: no");
  EXPECT_EQ(about("5:1: unfinished"), "node \"a\" line 2, column 9: unfinished");
  EXPECT_EQ(about("out of memory"), "node \"a\" out of memory");
}

TEST(FlowGraph, ProblemsNameTheirNode) {
  const std::string log = R"( log {"message":"x"})";
  struct Case {
    std::vector<std::string> nodes, edges;
    std::string_view problem;
  };
  const Case cases[] = {
      {{"a" + log}, {}, "/flow/nodes has no trigger node"},
      {{"t trigger", "u trigger"}, {}, "/flow/nodes/1 node \"u\" is a second trigger"},
      {{"t trigger", "t" + log}, {}, "/flow/nodes/1/id node \"t\" is listed twice"},
      {{"t trigger", "a nothing"}, {}, "/flow/nodes/1/type node \"a\" has the unknown type \"nothing\""},
      {{"t trigger", "a" + log}, {}, "/flow/nodes/1 node \"a\" is unreachable: no way leads to it from the trigger"},
      {{"t trigger", "a" + log, "b" + log},
       {"t a", "a b", "b a"},
       "/flow/nodes/1 node \"a\" is part of a cycle: only the way back to a forEach may lead back"},
      {{"t trigger", "a" + log},
       {"t a", "a a"},
       "/flow/nodes/1 node \"a\" is part of a cycle: only the way back to a forEach may lead back"},
      {{"t trigger", "a" + log}, {"t a", "a t"}, "/flow/edges/1/target node \"t\" is the trigger: nothing leads to it"},
      {{"t trigger", "a" + log, "b" + log}, {"t a", "t b"}, "/flow/edges/1 node \"t\" has two ways out"},
      {{"t trigger", "s stop", "a" + log}, {"t s", "s a"}, "/flow/edges/1 node \"s\" is a stop: nothing follows it"},
      {{"t trigger", "a" + log}, {"t a true"}, "/flow/edges/0/branch node \"t\" has no branches"},
      {{"t trigger", R"(c condition {"expression":"true"})", "a" + log},
       {"t c", "c a"},
       "/flow/edges/1/branch node \"c\" has the branches true and false"},
      {{"t trigger", R"(c condition {"expression":"true"})", "a" + log},
       {"t c", "c a true", "c a true"},
       "/flow/edges/2 node \"c\" has its branch true twice"},
      {{"t trigger", R"(c condition {"expression":"true"})"}, {"t c"}, "/flow/nodes/1 node \"c\" has no branch"},
      {{"t trigger", R"(f forEach {"items":[],"as":"x"})"}, {"t f"}, "/flow/nodes/1 node \"f\" has no branch each"},
      {{"t trigger", R"(f forEach {"items":[],"as":"x"})", "a" + log},
       {"t f", "f a each", "f a done"},
       "/flow/nodes/2 node \"a\" is reached from inside of a forEach and from outside of it"},
      {{"t trigger"}, {"t x"}, "/flow/edges/0/target there is no node \"x\""},
  };
  for (const Case& each : cases) {
    const auto found = problems(flow(each.nodes, each.edges));
    ASSERT_FALSE(found.empty()) << each.problem;
    EXPECT_TRUE(found.front().starts_with(each.problem)) << found.front() << "\n  not " << each.problem;
  }
}

TEST(FlowNodes, ProblemsNameTheirNode) {
  struct Case {
    std::string node;
    std::string_view problem;
  };
  const Case cases[] = {
      {R"(n condition {})", "/flow/nodes/1/data/expression node \"n\" expression: is required"},
      {R"(n condition {"expression":"1"})", ""},
      {R"(n condition {"expression":"nobody"})",
       "/flow/nodes/1/data/expression node \"n\" expression: line 1, column 1: undeclared reference to 'nobody'"},
      {R"(n set {})", "/flow/nodes/1/data/values node \"n\" values: must be an object of at least one value"},
      {R"(n set {"values":{"a b":1}})", "/flow/nodes/1/data/values/a b node \"n\" \"a b\" must be a name"},
      {R"(n set {"values":{"event":1}})",
       "/flow/nodes/1/data/values/event node \"n\" \"event\" is a name that expressions have already"},
      {R"(n set {"values":{"while":1}})", "/flow/nodes/1/data/values/while node \"n\" \"while\" is a reserved word"},
      {R"(n set {"values":{"a":"{{ b"}})", "/flow/nodes/1/data/values/a node \"n\" values/a: has {{ without its }}"},
      {R"(n find {"collection":"c"})", "/flow/nodes/1/data/as node \"n\" as: is required"},
      {R"(n find {"collection":1,"as":"a"})", "/flow/nodes/1/data/collection node \"n\" collection: must be a string"},
      {R"(n find {"collection":"c","as":"a","filter":"x"})",
       "/flow/nodes/1/data/filter node \"n\" filter: must be an object"},
      {R"(n find {"collection":"c","as":"a","limit":-1})",
       "/flow/nodes/1/data/limit node \"n\" limit: must be 0 to 1000, or an expression"},
      {R"(n find {"collection":"c","as":"a","sort":1})",
       "/flow/nodes/1/data/sort node \"n\" sort: is not a known field"},
      {R"(n insert {"collection":"c","document":[1]})",
       "/flow/nodes/1/data/document node \"n\" document: must be an object"},
      {R"(n update {"collection":"c","filter":{}})", "/flow/nodes/1/data/update node \"n\" update: is required"},
      {R"(n integration {"op":"x"})", "/flow/nodes/1/data/integration node \"n\" integration: is required"},
      {R"(n forEach {"items":5,"as":"x"})", "/flow/nodes/1/data/items node \"n\" items: must be a string"},
      {R"(n forEach {"items":"[1]"})", "/flow/nodes/1/data/as node \"n\" as: is required"},
      {R"(n code {"code":5})", "/flow/nodes/1/data/code node \"n\" code: must be a string"},
      {R"(n log {"message":"x","level":"loud"})",
       "/flow/nodes/1/data/level node \"n\" level: must be log, info, warn, error or debug"},
      {R"(n respond {"status":99})", "/flow/nodes/1/data/status node \"n\" status: must be 200 to 599"},
      {R"(n respond {"headers":"x"})", "/flow/nodes/1/data/headers node \"n\" headers: must be an object"},
  };
  for (const Case& each : cases) {
    std::vector<std::string> edges = {"t n"};
    if (each.node.starts_with("n forEach")) edges.emplace_back("n s each");
    if (each.node.starts_with("n condition")) edges.emplace_back("n s true");
    const bool more = edges.size() > 1;
    const auto found = problems(flow(more ? std::vector<std::string>{"t trigger", each.node, "s stop"}
                                          : std::vector<std::string>{"t trigger", each.node},
                                     edges));
    if (each.problem.empty()) continue;
    ASSERT_FALSE(found.empty()) << each.node;
    EXPECT_TRUE(found.front().starts_with(each.problem)) << found.front() << "\n  not " << each.problem;
  }
}

TEST(FlowGraph, TheFormItselfIsLookedAt) {
  const auto found = [](std::string_view json) { return problems(*doc::parseJson(json)); };
  using Problems = std::vector<std::string>;
  EXPECT_EQ(found("{}"), (Problems{
                             "/flow/nodes is required",
                         }));
  EXPECT_EQ(found(R"({"nodes":1,"edges":[]})"), (Problems{"/flow/nodes must be an array"}));
  EXPECT_EQ(found(R"({"nodes":[7],"edges":[],"more":1})"),
            (Problems{"/flow/more is not a known field", "/flow/nodes/0 must be an object"}));
  EXPECT_EQ(found(R"({"nodes":[{"id":"a b","type":"trigger","position":{"z":1},"data":1}],"edges":[]})"),
            (Problems{"/flow/nodes/0/position must be {x, y}, two numbers",
                      "/flow/nodes/0/id must be 1 to 64 letters, digits, - or _"}));
  std::string many = R"({"edges":[],"nodes":[)";
  for (size_t i = 0; i <= kMaxNodes; ++i) many += fmt::format(R"({}{{"id":"n{}","type":"log"}})", i > 0 ? "," : "", i);
  EXPECT_EQ(found(many + "]}"), (Problems{"/flow/nodes must have at most 100 entries"}));
}

// A chain of a hundred conditions, each of which may branch to the end.
TEST(FlowCompiler, LongFlowsAreWrittenOnce) {
  std::vector<std::string> nodes = {"t trigger"};
  std::vector<std::string> edges = {"t c0"};
  for (size_t i = 0; i + 2 < kMaxNodes; ++i) {
    nodes.push_back(fmt::format(R"(c{} condition {{"expression":"event.a == {}"}})", i, i));
    edges.push_back(fmt::format("c{} {} true", i, i + 3 < kMaxNodes ? fmt::format("c{}", i + 1) : "z"));
    edges.push_back(fmt::format("c{} z false", i));
  }
  nodes.emplace_back(R"(z log {"message":"z"})");
  const auto compiled = compileFlow(flow(nodes, edges));
  ASSERT_TRUE(compiled) << compiled.error().message();
  EXPECT_LT(compiled->code.size(), 60'000u);
  EXPECT_EQ(compiled->code.find("// z: log"), compiled->code.rfind("// z: log"));
}

// Any flow is compiled, or rejected with a validation error.
TEST(FlowCompiler, BrokenFlowsAreRejected) {
  const std::string whole = doc::toJson(
      flow({"t trigger", R"(c condition {"expression":"event.a == 1 && size(rows) > {'a': 1}.a"})",
            R"(f forEach {"items":"{{ event.lines }}","as":"rows"})", R"(s set {"values":{"x":"a {{ rows + 'b' }}"}})",
            R"(q find {"collection":"c","filter":{"a":{"$gt":"{{ now }}"}},"as":"found"})",
            R"(r respond {"status":200,"body":[1,null,"{{ found }}"]})"},
           {"t c", "c f true", "c r false", "f s each", "s f", "f q done", "q r"}));
  ASSERT_TRUE(compileFlow(*doc::parseJson(whole)));
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  constexpr std::string_view kPieces[] = {"\"", "{{",   "}}",   "{",    "}",       "[",       "]", ",",
                                          ":",  "1",    "null", "t",    "c",       "f",       "s", "q",
                                          "r",  "each", "done", "true", "trigger", "forEach", "'", "("};
  size_t read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole;
    for (size_t changes = 1 + below(3); changes > 0; --changes) {
      const size_t at = below(text.size());
      text.replace(at, below(3) * below(20), kPieces[below(std::size(kPieces))]);
    }
    const auto parsed = doc::parseJson(text);
    if (!parsed) continue;
    ++read;
    const auto compiled = compileFlow(*parsed);
    if (!compiled) {
      EXPECT_FALSE(compiled.error().details().empty()) << text;
    }
  }
  EXPECT_GT(read, 500u);
}

TEST(FlowGraph, HasOneForm) {
  const auto canonical = [](std::string_view json) { return doc::toJson(*canonicalFlow(*doc::parseJson(json))); };
  EXPECT_EQ(canonical(R"({"edges":[{"branch":null,"target":"b","source":"a","id":"e"}],
      "nodes":[{"position":{"y":1,"x":2},"data":{"message":{"z":1,"a":2},"level":3},"type":"log","id":"a"}]})"),
            R"({"nodes":[{"id":"a","type":"log","data":{"level":3,"message":{"z":1,"a":2}},"position":{"x":2,"y":1}}],)"
            R"("edges":[{"id":"e","source":"a","target":"b"}]})");
  EXPECT_EQ(canonical(R"({"nodes":[{"data":{"at":{"$date":"2026-01-31T10:30:00+01:00"},"n":5.0}}]})"),
            R"({"nodes":[{"data":{"at":{"$date":"2026-01-31T09:30:00.000Z"},"n":5}}]})");
  EXPECT_EQ(canonical(R"({"nodes":[1],"edges":{},"x":1})"), R"({"nodes":[1],"edges":{},"x":1})");
}

}  // namespace
}  // namespace mb::functions
