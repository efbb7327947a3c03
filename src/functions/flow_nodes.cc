#include "functions/flow_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "document/json.h"
#include "functions/contains.h"
#include "functions/flow_expression.h"
#include "functions/flow_template.h"
#include "functions/flow_values.h"

namespace mb::functions {

namespace {

using doc::BsonType;
using doc::ValueView;

constexpr size_t kMaxComment = 100;
constexpr size_t kMaxVariables = 100;

std::string oneLine(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMaxComment)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7F ? '?' : c;
  }
  return text.size() > kMaxComment ? out + "…" : out;
}

// The expression of a string that consists of one expression, with or without braces around it.
std::string_view asExpression(std::string_view text) {
  const auto pieces = splitTemplate(text);
  return pieces && pieces->size() == 1 && pieces->front().isExpression ? pieces->front().text : text;
}

}  // namespace

// Compiles a node's data field by field; problems are reported with the path of the field.
struct NodeWriter::Node {
  Node(const FlowGraph& graph, size_t index, size_t indent, FlowScope& scope)
      : node(graph.nodes[index]), path(fmt::format("/flow/nodes/{}/data", index)), indent(indent), scope(scope) {
    for (const doc::Element& field : node.data.view()) {
      if (!contains(dataFields(node.type), field.key)) problem(field.key, "is not a known field");
    }
  }

  void problem(std::string_view field, std::string_view message) {
    scope.problem(fmt::format("{}/{}", path, field), aboutNode(node, fmt::format("{}: {}", field, message)));
  }
  std::optional<ValueView> find(std::string_view field) const {
    const auto value = node.data.view().find(field);
    return value && value->type() == BsonType::null ? std::nullopt : value;
  }
  template <class T>
  std::string orProblem(std::string_view field, Result<T> result) {
    if (result) return *std::move(result);
    problem(field, result.error().message());
    return "null";
  }
  std::string missing(std::string_view field) {
    problem(field, "is required");
    return "null";
  }

  std::optional<std::string_view> string(std::string_view field) {
    const auto value = find(field);
    if (!value) {
      missing(field);
    } else if (value->type() != BsonType::string) {
      problem(field, "must be a string");
    } else {
      return value->asString();
    }
    return std::nullopt;
  }
  std::string text(std::string_view field) {
    const auto given = string(field);
    return given ? orProblem(field, textCode(*given, scope)) : "null";
  }
  std::string expression(std::string_view field) {
    const auto given = string(field);
    return given ? orProblem(field, compileCondition(asExpression(*given), scope)) : "null";
  }
  std::string value(std::string_view field, ValueUse use = ValueUse::plain) {
    const auto given = find(field);
    return given ? orProblem(field, valueCode(*given, use, indent, scope)) : missing(field);
  }
  // The code of an object, or {} if it is optional and absent.
  std::string object(std::string_view field, ValueUse use, bool optional) {
    const auto given = find(field);
    if (!given && optional) return "{}";
    if (given && given->type() != BsonType::document) {
      problem(field, "must be an object");
      return "null";
    }
    return value(field, use);
  }
  // A whole number, or an expression whose value is one; `absent` if the field is absent.
  std::string number(std::string_view field, int64_t min, int64_t max, std::string_view absent) {
    const auto given = find(field);
    if (!given) return std::string(absent);
    const auto whole = given->isNumber() ? given->toInteger() : std::nullopt;
    if (whole && *whole >= min && *whole <= max) return fmt::format("{}", *whole);
    if (given->type() == BsonType::string) {
      const auto pieces = splitTemplate(given->asString());
      if (pieces && pieces->size() == 1 && pieces->front().isExpression) return value(field);
    }
    problem(field, fmt::format("must be {} to {}, or an expression", min, max));
    return "null";
  }
  std::string as() {
    const auto name = string("as");
    return name ? fmt::format("vars.{} = ", *name) : "";
  }
  std::string line(std::string_view statement) const {
    return fmt::format("{}{}\n", std::string(2 * indent, ' '), statement);
  }

  // ---- by type

  std::string set() {
    const auto values = find("values");
    if (!values || values->type() != BsonType::document || values->asDocument().empty()) {
      problem("values", "must be an object of at least one value");
      return "";
    }
    std::string out;
    for (const auto& [name, each] : values->asDocument()) {
      const std::string field = fmt::format("values/{}", name);
      out +=
          line(fmt::format("vars.{} = {};", name, orProblem(field, valueCode(each, ValueUse::plain, indent, scope))));
    }
    return out;
  }
  std::string find() {
    const std::string collection = text("collection");
    const std::string filter = object("filter", ValueUse::filter, true);
    const std::string limit = number("limit", 0, 1000, "");
    const std::string options = limit.empty() ? "" : fmt::format(", {{ limit: {} }}", limit);
    return line(fmt::format("{}await ctx.db.find({}, {}{});", as(), collection, filter, options));
  }
  std::string insert() {
    const auto document = find("document");
    const bool fits = document && (document->type() == BsonType::document || document->type() == BsonType::string);
    if (document && !fits) problem("document", "must be an object, or an expression that gives one");
    return line(fmt::format("await ctx.db.insertOne({}, {});", text("collection"), value("document")));
  }
  std::string update() {
    return line(fmt::format("await ctx.db.updateMany({}, {}, {});", text("collection"),
                            object("filter", ValueUse::filter, true), object("update", ValueUse::plain, false)));
  }
  std::string remove() {
    return line(
        fmt::format("await ctx.db.deleteMany({}, {});", text("collection"), object("filter", ValueUse::filter, true)));
  }
  std::string integration() {
    const std::string result = find("as") ? as() : "";
    const std::string args = find("args") ? value("args") : "{}";
    return line(
        fmt::format("{}await ctx.integrations.call({}, {}, {});", result, text("integration"), text("op"), args));
  }
  std::string log() {
    constexpr std::string_view kLevels[] = {"log", "info", "warn", "error", "debug"};
    std::string_view level = "info";
    if (find("level")) level = string("level").value_or("info");
    if (!contains(kLevels, level)) problem("level", "must be log, info, warn, error or debug");
    return line(fmt::format("console.{}({});", level, text("message")));
  }
  std::string respond() {
    std::vector<std::string> parts = {"status: " + number("status", 200, 599, "200")};
    if (find("headers")) parts.push_back("headers: " + object("headers", ValueUse::plain, false));
    parts.push_back("body: " + (find("body") ? value("body") : std::string("null")));
    std::string answer = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) answer += ", " + parts[i];
    return line(fmt::format("return {{ {} }};", answer));
  }
  std::string stop() {
    std::string out;
    if (find("reason")) out = line(fmt::format("console.info(\"stopped: \" + {});", text("reason")));
    return out + line("return;");
  }

  const FlowNode& node;
  const std::string path;
  const size_t indent;
  FlowScope& scope;
};

std::set<std::string> flowVariables(const FlowGraph& graph, std::vector<ErrorDetail>& problems) {
  std::set<std::string> names;
  const auto add = [&](size_t node, std::string_view field, std::string_view name) {
    if (auto problem = variableProblem(name)) {
      problems.push_back({fmt::format("/flow/nodes/{}/data/{}", node, field),
                          aboutNode(graph.nodes[node], fmt::format("\"{}\" {}", name, *problem))});
    } else {
      names.emplace(name);
    }
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const doc::DocumentView data = graph.nodes[i].data;
    const auto as = data.find("as");
    if (as && as->type() == BsonType::string) add(i, "as", as->asString());
    const auto values = graph.nodes[i].type == "set" ? data.find("values") : std::nullopt;
    if (!values || values->type() != BsonType::document) continue;
    for (const doc::Element& value : values->asDocument()) add(i, fmt::format("values/{}", value.key), value.key);
  }
  if (names.size() > kMaxVariables) problems.push_back({"/flow", "sets more than 100 variables"});
  return names;
}

std::string NodeWriter::statements(size_t index, size_t indent) {
  Node node(graph_, index, indent, scope_);
  const std::string& type = node.node.type;
  if (type == "set") return node.set();
  if (type == "find") return node.find();
  if (type == "insert") return node.insert();
  if (type == "update") return node.update();
  if (type == "delete") return node.remove();
  if (type == "integration") return node.integration();
  if (type == "log") return node.log();
  if (type == "respond") return node.respond();
  if (type == "stop") return node.stop();
  if (type != "code") return "";
  node.string("code");
  codes_.emplace_back(fmt::format("code{}", codes_.size() + 1), index);
  return node.line(fmt::format("await {}(event, ctx, vars);", codes_.back().first));
}

std::string NodeWriter::condition(size_t index) {
  return Node(graph_, index, 0, scope_).expression("expression");
}

std::string NodeWriter::items(size_t index) {
  Node node(graph_, index, 0, scope_);
  node.string("as");
  const auto given = node.find("items");
  if (!given) return node.missing("items");
  if (given->type() == BsonType::array) return node.value("items");
  const auto text = node.string("items");
  if (!text) return "null";
  auto expression = compileExpression(asExpression(*text), scope_);
  if (!expression) return node.orProblem<std::string>("items", fail(std::move(expression).error()));
  return fmt::format("{}({})", scope_.helper("items"), expression->code);
}

std::string NodeWriter::variable(size_t index) const {
  return std::string(graph_.nodes[index].data.view().stringOr("as"));
}

std::string NodeWriter::comment(size_t index) const {
  const FlowNode& node = graph_.nodes[index];
  std::string out = fmt::format("// {}: {}", node.id, node.type);
  for (const std::string_view field : {"expression", "items", "collection", "integration"}) {
    const std::string_view text = node.data.view().stringOr(field);
    if (!text.empty()) return fmt::format("{} {}", out, oneLine(text));
  }
  return out;
}

}  // namespace mb::functions
