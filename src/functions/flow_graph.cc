#include "functions/flow_graph.h"

#include <algorithm>
#include <set>

#include "functions/contains.h"
#include "functions/flow_regions.h"
#include "functions/function_rules.h"

namespace mb::functions {

namespace {

using doc::BsonType;
using Problems = std::vector<ErrorDetail>;

constexpr size_t kMostProblems = 20;

// The ways out of a node, by its type.
struct TypeRule {
  std::string_view type;
  std::vector<std::string_view> branches;  // {""}: one way; none: it ends there
};

const std::vector<TypeRule>& types() {
  static const std::vector<TypeRule> kTypes = {
      {"trigger", {""}},
      {"condition", {"true", "false"}},
      {"set", {""}},
      {"find", {""}},
      {"insert", {""}},
      {"update", {""}},
      {"delete", {""}},
      {"integration", {""}},
      {"forEach", {"each", "done"}},
      {"code", {""}},
      {"log", {""}},
      {"respond", {}},
      {"stop", {}},
  };
  return kTypes;
}

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
    each(flow, "nodes", kMostNodes, [&](doc::DocumentView node, const std::string& path) { readNode(node, path); });
    if (problems_.empty()) {
      each(flow, "edges", kMostEdges, [&](doc::DocumentView edge, const std::string& path) { readEdge(edge, path); });
    }
    if (problems_.empty()) findTrigger();
    if (problems_.empty()) checkBranches();
    if (problems_.empty()) findRegions(graph_, problems_);
    if (!problems_.empty()) return fail(asError(std::move(problems_)));
    return std::move(graph_);
  }

 private:
  void problem(std::string path, std::string message) {
    if (problems_.size() < kMostProblems) problems_.push_back({std::move(path), std::move(message)});
  }

  template <class F>
  void each(doc::DocumentView flow, std::string_view name, size_t most, F read) {
    const std::string path = fmt::format("/flow/{}", name);
    const auto all = flow.find(name);
    if (!all) return problem(path, "is required");
    if (all->type() != BsonType::array) return problem(path, "must be an array");
    if (all->asDocument().count() > most) return problem(path, fmt::format("must have at most {} entries", most));
    for (const auto& [index, value] : all->asDocument()) {
      const std::string at = fmt::format("{}/{}", path, index);
      if (value.type() == BsonType::document) {
        read(value.asDocument(), at);
      } else {
        problem(at, "must be an object");
      }
    }
  }

  // The text of a field that must be there.
  std::optional<std::string> text(doc::DocumentView entry, std::string_view name, const std::string& path) {
    const auto value = entry.find(name);
    if (value && value->type() == BsonType::string) return std::string(value->asString());
    problem(fmt::format("{}/{}", path, name), value ? "must be a string" : "is required");
    return std::nullopt;
  }

  void refuseOthers(doc::DocumentView entry, std::initializer_list<std::string_view> known, const std::string& path) {
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
    refuseOthers(entry, {"id", "type", "data", "position"}, path);
    if (const auto position = entry.find("position")) readPosition(*position, path + "/position");
    if (!id || !type) return;
    if (!isId(*id)) return problem(path + "/id", "must be 1 to 64 letters, digits, - or _");
    node.id = *id;
    node.type = *type;
    if (!index_.emplace(node.id, graph_.nodes.size()).second)
      problem(path + "/id", aboutNode(node, "stands here twice"));
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
      problem(path + "/id", "must be 1 to 64 letters, digits, - or _, and stand here once");
    }
    refuseOthers(edge, {"id", "source", "target", "branch"}, path);
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
  Problems problems_;
};

void appendOrdered(doc::BsonWriter& out, std::string_view key, doc::ValueView value,
                   std::initializer_list<std::string_view> order) {
  if (value.type() != BsonType::document) return out.append(key, value);
  out.beginDocument(key);
  for (const std::string_view name : order) {
    const auto field = value.asDocument().find(name);
    if (!field || (name == "branch" && field->type() == BsonType::null)) continue;
    name == "position" ? appendOrdered(out, name, *field, {"x", "y"}) : out.append(name, *field);
  }
  for (const doc::Element& field : value.asDocument()) {
    if (!contains(order, field.key)) out.append(field.key, field.value);
  }
  out.end();
}

}  // namespace

Result<doc::Document> canonicalFlow(doc::DocumentView given) {
  const auto settledFlow = settled(given);
  if (!settledFlow) return fail(asError({{"/flow", settledFlow.error().message()}}));
  const doc::DocumentView flow = *settledFlow;
  doc::BsonWriter out(flow.bytes().size());
  const auto append = [&](std::string_view name, std::initializer_list<std::string_view> order) {
    const auto all = flow.find(name);
    if (!all) return;
    if (all->type() != BsonType::array) return out.append(name, *all);
    out.beginArray(name);
    for (const auto& [index, each] : all->asDocument()) appendOrdered(out, index, each, order);
    out.end();
  };
  append("nodes", {"id", "type", "data", "position"});
  append("edges", {"id", "source", "target", "branch"});
  for (const doc::Element& field : flow) {
    if (field.key != "nodes" && field.key != "edges") out.append(field.key, field.value);
  }
  return out.finish();
}

std::string aboutNode(const FlowNode& node, std::string_view message) {
  return fmt::format("node \"{}\" {}", node.id, message);
}

Result<FlowGraph> parseFlow(doc::DocumentView flow) {
  return Reader().read(flow);
}

}  // namespace mb::functions
