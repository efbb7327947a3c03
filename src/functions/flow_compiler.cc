#include "functions/flow_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "functions/code_place.h"
#include "functions/flow_nodes.h"
#include "functions/function_rules.h"

namespace mb::functions {

namespace {

// Where control continues after the current statements: at a node, or at the end of their region.
using Follow = std::optional<size_t>;

// Indents by one level. Every line break in compiled statements ends a line of code: no string spans several lines.
std::string deeper(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n') + 1;
    out += "  ";
    out += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

// Writes regions as nested statements. A node with several incoming paths follows the last node that all of them pass
// (FlowRegion::before); a path that does not fall through to it leaves the block that ends there.
class Structure {
 public:
  Structure(const FlowGraph& graph, FlowScope& scope) : graph_(graph), nodes_(graph, scope) {}

  std::string body() { return region(graph_.outermost, 1); }
  const NodeWriter& nodes() const { return nodes_; }

 private:
  static std::string pad(size_t indent) { return std::string(2 * indent, ' '); }

  std::string region(const FlowRegion& region, size_t indent) {
    if (!region.start) return "";
    regions_.push_back(&region);
    std::string out = node(*region.start, std::nullopt, indent);
    regions_.pop_back();
    return out;
  }

  bool isJoin(size_t node) const {
    const auto arrivals = regions_.back()->arrivals.find(node);
    return arrivals != regions_.back()->arrivals.end() && arrivals->second > 1;
  }

  // In the order of the region.
  std::vector<size_t> joinsBehind(size_t node) const {
    std::vector<size_t> joins;
    for (const size_t each : regions_.back()->order) {
      const auto before = regions_.back()->before.find(each);
      if (before != regions_.back()->before.end() && before->second == node && isJoin(each)) joins.push_back(each);
    }
    return joins;
  }

  std::string node(size_t at, Follow follow, size_t indent) { return within(at, joinsBehind(at), follow, indent); }

  // `at`, and the joins that follow it.
  std::string within(size_t at, std::vector<size_t> joins, Follow follow, size_t indent) {
    if (joins.empty()) return own(at, follow, indent);
    const size_t join = joins.back();
    joins.pop_back();
    std::string out = within(at, std::move(joins), join, indent);
    if (const auto block = blocks_.find(join); block != blocks_.end()) {
      out = fmt::format("{}block{}: {{\n{}{}}}\n", pad(indent), block->second, deeper(out), pad(indent));
    }
    return out + node(join, follow, indent);
  }

  std::string own(size_t at, Follow follow, size_t indent) {
    const FlowNode& node = graph_.nodes[at];
    const std::string comment = fmt::format("{}{}\n", pad(indent), nodes_.comment(at));
    if (node.type == "condition") return comment + condition(at, follow, indent);
    if (node.type == "forEach") {
      const std::string repeated = loop(at, indent);
      return comment + repeated + way(node.to("done"), follow, indent);
    }
    const std::string statements = comment + nodes_.statements(at, indent);
    if (node.type == "respond" || node.type == "stop") return statements;
    return statements + way(node.to(""), follow, indent);
  }

  std::string condition(size_t at, Follow follow, size_t indent) {
    const std::string test = nodes_.condition(at);
    const std::string yes = way(graph_.nodes[at].to("true"), follow, indent + 1);
    const std::string no = way(graph_.nodes[at].to("false"), follow, indent + 1);
    if (yes.empty()) return fmt::format("{}if (!({})) {{\n{}{}}}\n", pad(indent), test, no, pad(indent));
    std::string out = fmt::format("{}if ({}) {{\n{}{}}}", pad(indent), test, yes, pad(indent));
    if (!no.empty()) out += fmt::format(" else {{\n{}{}}}", no, pad(indent));
    return out + "\n";
  }

  std::string loop(size_t at, size_t indent) {
    const std::string items = nodes_.items(at);
    const std::string body = region(graph_.loops.at(at), indent + 1);
    const auto label = loops_.find(at);
    return fmt::format("{}{}for (const item of {}) {{\n{}vars.{} = item;\n{}{}}}\n", pad(indent),
                       label == loops_.end() ? "" : fmt::format("loop{}: ", label->second), items, pad(indent + 1),
                       nodes_.variable(at), body, pad(indent));
  }

  // The statements that lead from the end of the current ones to `to`.
  std::string way(std::optional<size_t> to, Follow follow, size_t indent) {
    const auto head = regions_.back()->head;
    if (!to || to == head) {
      if (!follow) return "";
      return fmt::format("{}{};\n", pad(indent), head ? "continue" : "return");
    }
    if (std::ranges::any_of(regions_, [&](const FlowRegion* each) { return each->head == to; })) {
      return fmt::format("{}continue loop{};\n", pad(indent), numbered(loops_, *to));
    }
    if (!isJoin(*to)) return node(*to, follow, indent);
    if (to == follow) return "";
    return fmt::format("{}break block{};\n", pad(indent), numbered(blocks_, *to));
  }

  static size_t numbered(std::map<size_t, size_t>& labels, size_t node) {
    return labels.try_emplace(node, labels.size() + 1).first->second;
  }

  const FlowGraph& graph_;
  NodeWriter nodes_;
  std::vector<const FlowRegion*> regions_;  // the enclosing ones, the innermost last
  std::map<size_t, size_t> blocks_;         // labels of blocks that a statement leaves, by the join after them
  std::map<size_t, size_t> loops_;          // labels of loops that a statement in an inner loop continues
};

int lineOf(std::string_view text) {
  return static_cast<int>(std::ranges::count(text, '\n')) + 1;
}

std::string declarations(const std::set<std::string>& names, bool usesNow) {
  std::string out = "  const vars = {";
  for (const std::string& name : names) out += fmt::format("{}{}: null", name == *names.begin() ? " " : ", ", name);
  out += names.empty() ? "};\n" : " };\n";
  if (usesNow) out += "  const now = new Date();\n";
  return out;
}

// The column after the last character, as engines count: in units of UTF-16, from 1.
int endOfLastLine(std::string_view text) {
  int column = 1;
  for (const char c : text.substr(text.rfind('\n') + 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) column += byte >= 0xF0 ? 2 : 1;
  }
  return column;
}

Error aboutCode(const CompiledFlow::Part& part, std::string_view message) {
  return asError(
      {{fmt::format("/flow/nodes/{}/data/code", part.node), fmt::format("node \"{}\" {}", part.id, message)}});
}

}  // namespace

Result<CompiledFlow> compileFlow(doc::DocumentView flow) {
  TRY(const FlowGraph graph, parseFlow(flow));
  std::vector<ErrorDetail> problems;
  const std::set<std::string> names = flowVariables(graph, problems);
  if (!problems.empty()) return fail(asError(std::move(problems)));
  FlowScope scope(names);
  Structure structure(graph, scope);
  const std::string body = structure.body();
  if (!scope.problems().empty()) return fail(asError(std::move(scope.problems())));
  CompiledFlow compiled;
  std::string& code = compiled.code;
  code = fmt::format("{}\nexport default async function (event, ctx) {{\n{}{}}}\n", kFlowHeader,
                     declarations(names, scope.usesNow()), body);
  for (const auto& [name, index] : structure.nodes().codes()) {
    const FlowNode& node = graph.nodes[index];
    const size_t begin = code.size();
    code += fmt::format("\n// {}\nasync function {}(event, ctx, vars) {{\n", node.id, name);
    const int first = lineOf(code);
    std::string own(node.data.view().stringOr("code"));
    code += own + "\n";
    compiled.parts.push_back({index, node.id, first, lineOf(code) - 1, begin, std::move(own)});
    code += "}\n";
  }
  code += scope.helperCode();
  if (code.size() > kMaxCodeBytes) {
    return fail(asError({{"/flow", "gives more than 262144 bytes of code"}}));
  }
  return compiled;
}

Error aboutFlow(const CompiledFlow& flow, const Error& error) {
  const auto place = placeIn(error.message());
  const auto part = std::ranges::find_if(flow.parts, [&](const CompiledFlow::Part& each) {
    return place && place->line >= each.first && place->line <= each.last;
  });
  if (part == flow.parts.end()) {
    return asError({{"/flow", fmt::format("gives code that does not run: {}", error.message())}});
  }
  return aboutCode(*part, place->inWords(part->first - 1));
}

std::string apart(const CompiledFlow& flow) {
  std::string code;
  size_t done = 0;
  for (const CompiledFlow::Part& part : flow.parts) {
    code += flow.code.substr(done, part.begin - done) + "export {};";
    done = part.begin;
  }
  return code + flow.code.substr(done);
}

std::string aloneOf(const CompiledFlow::Part& part) {
  return fmt::format("export default async function (event, ctx, vars) {{\n{}\n}}\n", part.code);
}

Error aboutPart(const CompiledFlow::Part& part, const Error& error) {
  auto place = placeIn(error.message());
  if (!place) return aboutCode(part, error.message());
  // An unclosed bracket is reported after the code's end.
  if (const int lines = part.last - part.first + 1; place->line > lines + 1) {
    place->line = lines + 1;
    place->column = endOfLastLine(part.code);
  }
  return aboutCode(part, place->inWords(1));
}

}  // namespace mb::functions
