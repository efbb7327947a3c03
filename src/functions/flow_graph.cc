#include "functions/flow_graph.h"

#include <algorithm>
#include <set>

#include "configuration/canonical_form.h"
#include "functions/contains.h"
#include "functions/flow_regions.h"
#include "functions/function_rules.h"

namespace mb::functions {

namespace {

using doc::BsonType;

constexpr size_t kMaxProblems = 20;

// The branches of a node, and the fields of its data, by its type.
struct TypeRule {
  std::string_view type;
  std::vector<std::string_view> branches;  // {""}: a single outgoing edge; empty: the flow ends there
  std::vector<std::string_view> fields;
};

const std::vector<TypeRule>& types() {
  static const std::vector<TypeRule> kTypes = {
      {"trigger", {""}, {}},
      {"condition", {"true", "false"}, {"expression"}},
      {"set", {""}, {"values"}},
      {"find", {""}, {"collection", "filter", "limit", "as"}},
      {"insert", {""}, {"collection", "document"}},
      {"update", {""}, {"collection", "filter", "update"}},
      {"delete", {""}, {"collection", "filter"}},
      {"integration", {""}, {"integration", "op", "args", "as"}},
      {"forEach", {"each", "done"}, {"items", "as"}},
      {"code", {""}, {"code"}},
      {"log", {""}, {"level", "message"}},
      {"respond", {}, {"status", "headers", "body"}},
      {"stop", {}, {"reason"}},
  };
  return kTypes;
}

constexpr std::string_view kNodeFields[] = {"id", "type", "data", "position"};
constexpr std::string_view kEdgeFields[] = {"id", "source", "target", "branch"};
constexpr std::string_view kPositionFields[] = {"x", "y"};

bool isId(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

class Reader {
 public:
  Result<FlowGraph> read(doc::DocumentView flow) {
    for (const doc::Element& field : flow) {
      if (field.key != "nodes" && field.key != "edges")
        problem(fmt::format("/flow/{}", field.key), "is not a known field");
    }
    each(flow, "nodes", kMaxNodes, [&](doc::DocumentView node, const std::string& path) { readNode(node, path); });
    if (problems_.empty()) {
      each(flow, "edges", kMaxEdges, [&](doc::DocumentView edge, const std::string& path) { readEdge(edge, path); });
    }
    if (problems_.empty()) findTrigger();
    if (problems_.empty()) checkBranches();
    if (problems_.empty()) findRegions(graph_, problems_);
    if (!problems_.empty()) return fail(asError(std::move(problems_)));
    return std::move(graph_);
  }

 private:
  void problem(std::string path, std::string message) {
    if (problems_.size() < kMaxProblems) problems_.push_back({std::move(path), std::move(message)});
  }

  template <class F>
  void each(doc::DocumentView flow, std::string_view name, size_t max, F read) {
    const std::string path = fmt::format("/flow/{}", name);
    const auto all = flow.find(name);
    if (!all) return problem(path, "is required");
    if (all->type() != BsonType::array) return problem(path, "must be an array");
    if (all->asDocument().count() > max) return problem(path, fmt::format("must have at most {} entries", max));
    for (const auto& [index, value] : all->asDocument()) {
      const std::string at = fmt::format("{}/{}", path, index);
      if (value.type() == BsonType::document) {
        read(value.asDocument(), at);
      } else {
        problem(at, "must be an object");
      }
    }
  }

  // The text of a required field.
  std::optional<std::string> text(doc::DocumentView entry, std::string_view name, const std::string& path) {
    const auto value = entry.find(name);
    if (value && value->type() == BsonType::string) return std::string(value->asString());
    problem(fmt::format("{}/{}", path, name), value ? "must be a string" : "is required");
    return std::nullopt;
  }

  void refuseOthers(doc::DocumentView entry, std::span<const std::string_view> known, const std::string& path) {
    for (const doc::Element& field : entry) {
      if (!contains(known, field.key)) problem(fmt::format("{}/{}", path, field.key), "is not a known field");
    }
  }

  void readPosition(doc::ValueView position, const std::string& path) {
    bool fits = position.type() == BsonType::document;
    if (fits) {
      for (const doc::Element& each : position.asDocument()) {
        fits = fits && (each.key == "x" || each.key == "y") && each.value.isNumber();
      }
    }
    if (!fits) problem(path, "must be {x, y}, two numbers");
  }

  void readNode(doc::DocumentView entry, const std::string& path) {
    FlowNode node;
    const auto id = text(entry, "id", path);
    const auto type = text(entry, "type", path);
    refuseOthers(entry, kNodeFields, path);
    if (const auto position = entry.find("position")) readPosition(*position, path + "/position");
    if (!id || !type) return;
    if (!isId(*id)) return problem(path + "/id", "must be 1 to 64 letters, digits, - or _");
    node.id = *id;
    node.type = *type;
    if (!index_.emplace(node.id, graph_.nodes.size()).second) problem(path + "/id", aboutNode(node, "is listed twice"));
    if (!contains(types(), node.type, &TypeRule::type)) {
      problem(path + "/type", aboutNode(node, fmt::format("has the unknown type \"{}\"", node.type)));
    }
    if (const auto data = entry.find("data")) {
      if (data->type() != BsonType::document) {
        problem(path + "/data", aboutNode(node, "must have an object as its data"));
      } else {
        node.data = doc::Document(data->asDocument());
      }
    }
    graph_.nodes.push_back(std::move(node));
  }

  std::optional<size_t> nodeNamed(doc::DocumentView edge, std::string_view end, const std::string& path) {
    const auto id = text(edge, end, path);
    if (!id) return std::nullopt;
    const auto found = index_.find(*id);
    if (found != index_.end()) return found->second;
    problem(fmt::format("{}/{}", path, end), fmt::format("there is no node \"{}\"", *id));
    return std::nullopt;
  }

  void readEdge(doc::DocumentView edge, const std::string& path) {
    const auto id = text(edge, "id", path);
    if (id && (!isId(*id) || !edges_.insert(*id).second)) {
      problem(path + "/id", "must be 1 to 64 letters, digits, - or _, and unique");
    }
    refuseOthers(edge, kEdgeFields, path);
    const auto from = nodeNamed(edge, "source", path);
    const auto to = nodeNamed(edge, "target", path);
    const auto branch = edge.find("branch");
    const bool noBranch = !branch || branch->type() == BsonType::null;
    if (!noBranch && branch->type() != BsonType::string) return problem(path + "/branch", "must be a string");
    if (!from || !to) return;
    FlowNode& source = graph_.nodes[*from];
    const std::string name = noBranch ? "" : std::string(branch->asString());
    const TypeRule& rule = *std::ranges::find(types(), source.type, &TypeRule::type);
    if (rule.branches.empty()) {
      problem(path, aboutNode(source, fmt::format("is a {}: nothing follows it", source.type)));
    } else if (!contains(rule.branches, name)) {
      problem(path + "/branch",
              aboutNode(source, rule.branches.size() == 1
                                    ? "has no branches"
                                    : fmt::format("has the branches {} and {}", rule.branches[0], rule.branches[1])));
    } else if (graph_.nodes[*to].type == "trigger") {
      problem(path + "/target", aboutNode(graph_.nodes[*to], "is the trigger: nothing leads to it"));
    } else if (!source.next.emplace(name, *to).second) {
      problem(path,
              aboutNode(source, name.empty() ? "has two ways out" : fmt::format("has its branch {} twice", name)));
    }
  }

  void findTrigger() {
    std::optional<size_t> found;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].type != "trigger") continue;
      if (found) problem(fmt::format("/flow/nodes/{}", i), aboutNode(graph_.nodes[i], "is a second trigger"));
      found = found.value_or(i);
    }
    if (!found) return problem("/flow/nodes", "has no trigger node");
    graph_.trigger = *found;
  }

  void checkBranches() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const FlowNode& node = graph_.nodes[i];
      const std::string path = fmt::format("/flow/nodes/{}", i);
      if (node.type == "forEach" && !node.to("each")) problem(path, aboutNode(node, "has no branch each"));
      if (node.type == "condition" && node.next.empty()) problem(path, aboutNode(node, "has no branch"));
    }
  }

  FlowGraph graph_;
  std::map<std::string, size_t, std::less<>> index_;
  std::set<std::string> edges_;
  std::vector<ErrorDetail> problems_;
};

void appendNode(doc::BsonWriter& out, std::string_view key, doc::ValueView node) {
  if (node.type() != BsonType::document) return out.append(key, node);
  const std::string_view type = node.asDocument().stringOr("type");
  out.beginDocument(key);
  for (const auto& [name, field] : configuration::ordered(node.asDocument(), kNodeFields)) {
    if (name == "data") {
      configuration::appendOrdered(out, name, field, dataFields(type));
    } else if (name == "position") {
      configuration::appendOrdered(out, name, field, kPositionFields);
    } else {
      out.append(name, field);
    }
  }
  out.end();
}

void appendEdge(doc::BsonWriter& out, std::string_view key, doc::ValueView edge) {
  if (edge.type() != BsonType::document) return out.append(key, edge);
  out.beginDocument(key);
  for (const auto& [name, field] : configuration::ordered(edge.asDocument(), kEdgeFields)) {
    if (name != "branch" || field.type() != BsonType::null) out.append(name, field);
  }
  out.end();
}

}  // namespace

Result<doc::Document> canonicalFlow(doc::DocumentView given) {
  const auto flow = jsonForm(given);
  if (!flow) return fail(asError({{"/flow", flow.error().message()}}));
  constexpr std::string_view kFields[] = {"nodes", "edges"};
  doc::BsonWriter out(flow->view().bytes().size());
  for (const auto& [name, all] : configuration::ordered(*flow, kFields)) {
    if (!contains(kFields, name) || all.type() != BsonType::array) {
      out.append(name, all);
      continue;
    }
    out.beginArray(name);
    for (const auto& [index, each] : all.asDocument()) {
      name == "nodes" ? appendNode(out, index, each) : appendEdge(out, index, each);
    }
    out.end();
  }
  return out.finish();
}

std::span<const std::string_view> dataFields(std::string_view type) {
  const auto rule = std::ranges::find(types(), type, &TypeRule::type);
  return rule == types().end() ? std::span<const std::string_view>() : rule->fields;
}

std::string aboutNode(const FlowNode& node, std::string_view message) {
  return fmt::format("node \"{}\" {}", node.id, message);
}

Result<FlowGraph> parseFlow(doc::DocumentView flow) {
  return Reader().read(flow);
}

}  // namespace mb::functions
