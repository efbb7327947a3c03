#include "data/revealing_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "base/work_budget.h"
#include "data/write_fields.h"
#include "document/path.h"
#include "document/pattern.h"
#include "document/storable.h"
#include "document/traverse.h"

namespace mb::data {
namespace {

using doc::BsonType;
using doc::DocumentView;
using doc::ValueView;

constexpr size_t kMaxReported = 100;

// Units of a WorkBudget.
constexpr int64_t kUnitsPerField = 600;      // a denied one
constexpr int64_t kUnitsPerNode = 300;       // of a schema, visited for one position in a path
constexpr int64_t kUnitsPerPattern = 6'000;  // compiled, in addition to its instructions
constexpr int64_t kUnitsPerMention = 200;    // of a field, and a unit for each byte of its path
constexpr int64_t kBytesPerUnit = 4;

bool isText(ValueView value, std::string_view text) {
  return value.type() == BsonType::string && value.asString() == text;
}

bool lists(ValueView array, std::string_view text) {
  if (array.type() != BsonType::array) return false;
  for (const doc::Element& each : array.asDocument()) {
    if (isText(each.value, text)) return true;
  }
  return false;
}

// Whether the schema's `type` allows values of this JSON type.
bool admits(DocumentView schema, std::string_view type) {
  const auto declared = schema.find("type");
  return !declared || isText(*declared, type) || lists(*declared, type);
}

bool hasContainer(ValueView value) {
  if (value.type() != BsonType::array) return false;
  for (const doc::Element& each : value.asDocument()) {
    if (each.value.isContainer()) return true;
  }
  return false;
}

// Whether the schema allows any object or list.
bool admitsContainers(DocumentView schema) {
  if (!admits(schema, "object") && !admits(schema, "array")) return false;
  const auto constant = schema.find("const");
  if (constant && !constant->isContainer()) return false;
  const auto values = schema.find("enum");
  return !values || hasContainer(*values);
}

std::string joined(const std::string& path, std::string_view step) {
  return path.empty() ? std::string(step) : path + "." + std::string(step);
}

constexpr std::string_view kBranching[] = {"allOf", "anyOf", "oneOf"};
constexpr std::string_view kComparing[] = {"uniqueItems", "const", "enum"};

// A schema or one of its subschemas, with the keywords that matter here.
struct Node {
  const Node* parent = nullptr;
  std::string_view keyword;             // of the parent, that holds this node
  std::optional<std::string_view> key;  // below that keyword
  DocumentView source;                  // empty for true and false
  bool refusesAll = false;              // the schema false
  bool admitsContainers = true;
  bool mayReveal = false;  // this node or one below has a rule that reveals fields if they are hidden
  std::vector<std::string_view> comparisons;  // keywords that compare objects or lists
  std::array<std::vector<const Node*>, std::size(kBranching)> branches;
  const Node* negated = nullptr;
  const Node* items = nullptr;
  const Node* additional = nullptr;
  bool isClosed = false;
  std::unordered_map<std::string_view, const Node*> properties;
  // Compiled at the first use: most schemas have no rule that needs them.
  struct PatternField {
    const Node* node;
    std::optional<doc::Pattern> compiled = std::nullopt;
  };
  mutable std::vector<PatternField> patterns;

  std::string pointer() const {
    if (!parent) return "";
    std::string path = parent->pointer();
    doc::appendPointer(path, keyword);
    if (key) doc::appendPointer(path, *key);
    return path;
  }
  std::string pointerTo(std::string_view rule) const {
    std::string path = pointer();
    doc::appendPointer(path, rule);
    return path;
  }

  // Calls `found` for each subschema that applies to the field `name` of an object.
  template <class F>
  void eachFieldSchema(std::string_view name, const F& found) const {
    bool isDescribed = false;
    if (const auto declared = properties.find(name); declared != properties.end()) {
      isDescribed = true;
      found(*declared->second);
    }
    for (PatternField& each : patterns) {
      if (WorkBudget::exceeded()) return;
      if (!each.compiled) {
        WorkBudget::charge(kUnitsPerPattern);
        auto compiled = doc::compilePattern(*each.node->key, "", ErrorCode::validation);
        if (!compiled) continue;
        each.compiled = *std::move(compiled);
      }
      if (!doc::matchesPattern(*each.compiled, name)) continue;
      isDescribed = true;
      found(*each.node);
    }
    if (!isDescribed && additional) found(*additional);
  }
};

// A schema as a tree, built once for all denied fields. Views into the schema.
class Tree {
 public:
  explicit Tree(DocumentView schema) {
    WorkBudget::charge(static_cast<int64_t>(schema.bytes().size() / kBytesPerUnit));
    Node& root = nodes_.emplace_back();
    root.source = schema;
    read(root);
  }

  const Node& root() const { return nodes_.front(); }

 private:
  // Null for a value that is not a schema.
  const Node* add(Node& parent, std::string_view keyword, std::optional<std::string_view> key, ValueView value) {
    if (value.type() != BsonType::document && value.type() != BsonType::boolean) return nullptr;
    WorkBudget::charge(kUnitsPerNode);
    Node& node = nodes_.emplace_back();
    node.parent = &parent;
    node.keyword = keyword;
    node.key = key;
    if (value.type() == BsonType::document) {
      node.source = value.asDocument();
      read(node);
    } else {
      node.refusesAll = !value.asBool();
      node.admitsContainers = !node.refusesAll;
    }
    parent.mayReveal = parent.mayReveal || node.mayReveal;
    return &node;
  }

  void read(Node& node) {
    node.admitsContainers = admitsContainers(node.source);
    for (const auto& [keyword, value] : node.source) {
      const auto branching = std::ranges::find(kBranching, keyword);
      if (branching != std::end(kBranching)) {
        readBranches(node, static_cast<size_t>(branching - std::begin(kBranching)), value);
      } else if (keyword == "not") {
        node.negated = add(node, keyword, std::nullopt, value);
        node.mayReveal = node.mayReveal || (node.negated && node.negated->admitsContainers);
      } else if (keyword == "items") {
        node.items = add(node, keyword, std::nullopt, value);
      } else if (keyword == "additionalProperties") {
        node.additional = add(node, keyword, std::nullopt, value);
        node.isClosed = node.additional && node.additional->refusesAll;
      } else if (keyword == "properties" && value.type() == BsonType::document) {
        for (const doc::Element& each : value.asDocument()) {
          if (const Node* field = add(node, keyword, each.key, each.value)) node.properties.emplace(each.key, field);
        }
      } else if (keyword == "patternProperties" && value.type() == BsonType::document) {
        for (const doc::Element& each : value.asDocument()) {
          if (const Node* field = add(node, keyword, each.key, each.value)) node.patterns.push_back({field});
        }
      } else if (keyword == "uniqueItems" && value.type() == BsonType::boolean) {
        if (value.asBool() && admits(node.source, "array")) node.comparisons.push_back(keyword);
      } else if ((keyword == "const" && value.isContainer()) || (keyword == "enum" && hasContainer(value))) {
        node.comparisons.push_back(keyword);
      }
    }
    node.mayReveal = node.admitsContainers && (node.mayReveal || !node.comparisons.empty());
  }

  void readBranches(Node& node, size_t which, ValueView list) {
    if (list.type() != BsonType::array) return;
    for (const doc::Element& each : list.asDocument()) {
      if (const Node* branch = add(node, kBranching[which], each.key, each.value)) {
        node.branches[which].push_back(branch);
      }
    }
    const auto choices = std::ranges::count_if(node.branches[which], &Node::admitsContainers);
    node.mayReveal = node.mayReveal || (kBranching[which] != "allOf" && choices > 1);
  }

  std::deque<Node> nodes_;
};

// Collects every field that a schema constrains, as dotted paths.
class Mentions {
 public:
  void add(const Node& node, const std::string& path) {
    if (!WorkBudget::charge(kUnitsPerMention + static_cast<int64_t>(path.size()))) return;
    bool constrains = node.refusesAll;
    for (const auto& [keyword, value] : node.source) {
      if (keyword == "required" && value.type() == BsonType::array) {
        for (const doc::Element& each : value.asDocument()) {
          if (each.value.type() == BsonType::string) addPath(joined(path, each.value.asString()));
        }
      } else if (keyword == "type") {
        constrains = constrains || !constrainsParts(node.source);
      } else if (keyword == "additionalProperties") {
        constrains = constrains || value.type() != BsonType::boolean || !value.asBool();
      } else if (!isStructure(keyword)) {
        constrains = true;
      }
    }
    for (const auto& [name, field] : node.properties) add(*field, joined(path, name));
    for (const auto& list : node.branches) {
      for (const Node* branch : list) add(*branch, path);
    }
    if (node.negated) add(*node.negated, path);
    if (node.items) add(*node.items, path);
    if (constrains) addPath(path);
  }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  static constexpr std::string_view kParts[] = {"properties", "required", "items", "allOf", "anyOf", "oneOf", "not"};

  static bool isStructure(std::string_view keyword) {
    return keyword == "title" || keyword == "description" || std::ranges::find(kParts, keyword) != std::end(kParts);
  }
  // If true, the type of the schema only says that there are parts.
  static bool constrainsParts(DocumentView schema) {
    return std::ranges::any_of(kParts, [&](std::string_view each) { return schema.find(each).has_value(); });
  }
  void addPath(std::string path) {
    if (WorkBudget::charge(kUnitsPerMention + static_cast<int64_t>(path.size()))) paths_.push_back(std::move(path));
  }

  std::vector<std::string> paths_;
};

// Visits the schema along the path of one denied field. Each node is visited once for each position in the path.
class Search {
 public:
  Search(const doc::FieldPath& denied, const std::vector<Collection::WriteFields>& writers)
      : hidden_({denied.dotted()}), steps_(denied.steps()), writers_(writers) {}

  // `at`: the number of steps of the denied path that lead to the values of this schema.
  void visit(const Node& node, size_t at) {
    // A value that is hidden as a whole can only be set as a whole.
    if (at == steps_.size() || !node.mayReveal || !visited_.emplace(&node, at).second) return;
    if (!WorkBudget::charge(kUnitsPerNode)) return;
    for (const std::string_view keyword : node.comparisons) report(node, keyword);
    for (size_t i = 0; i < std::size(kBranching); ++i) {
      for (const Node* branch : node.branches[i]) visit(*branch, at);
      if (kBranching[i] != "allOf" && joinsFields(node.branches[i], at)) report(node, kBranching[i]);
    }
    if (node.negated && node.negated->admitsContainers) {
      if (footprint(*node.negated, at) != kNothing && namesOthers({node.negated}, at)) report(node, "not");
    }
    if (node.items) {
      visit(*node.items, at);
      if (doc::isAllDigits(steps_[at])) visit(*node.items, at + 1);
    }
    node.eachFieldSchema(steps_[at], [&](const Node& field) { visit(field, at + 1); });
  }

  // Pointers to the rules that reveal the field, at most kMaxReported.
  const std::vector<std::string>& found() const { return found_; }

 private:
  // Identifies what a schema requires of the denied field: equal if the requirements are equal.
  using Footprint = size_t;
  static constexpr Footprint kNothing = 0;
  using Position = std::pair<const Node*, size_t>;  // and `at`

  void report(const Node& node, std::string_view keyword) {
    if (found_.size() < kMaxReported && reported_.emplace(&node, keyword).second) {
      found_.push_back(node.pointerTo(keyword));
    }
  }

  // Whether the outcome of these alternatives depends on the denied field and on others. If all of them require the
  // same of it, it does not affect which of them matches.
  bool joinsFields(std::vector<const Node*> branches, size_t at) {
    std::erase_if(branches, [](const Node* branch) { return !branch->admitsContainers; });
    if (branches.size() < 2) return false;
    const Footprint first = footprint(*branches.front(), at);
    const bool same = std::ranges::all_of(branches, [&](const Node* each) { return footprint(*each, at) == first; });
    return !same && namesOthers(branches, at);
  }

  // Whether they name another field that an update may change.
  bool namesOthers(const std::vector<const Node*>& branches, size_t at) const {
    std::string path;
    for (size_t i = 0; i < at; ++i) path = joined(path, steps_[i]);
    Mentions mentions;
    for (const Node* branch : branches) mentions.add(*branch, path);
    return std::ranges::any_of(mentions.paths(), [&](const std::string& each) {
      if (!WorkBudget::charge(kUnitsPerMention + static_cast<int64_t>(each.size()))) return true;
      return !hidden_.covers(each) && std::ranges::any_of(writers_, [&](const Collection::WriteFields& fields) {
        return mayChange(fields, each);
      });
    });
  }

  static bool mayChange(const Collection::WriteFields& fields, const std::string& path) {
    if (path == "id" || path == "ownerId" || path == "createdAt" || path == "updatedAt") return false;
    if (path.empty()) return !fields.restricted || !fields.allowed.empty();
    return !fields.immutable.covers(path) && (!fields.restricted || fields.allowed.touches(path));
  }

  Footprint footprint(const Node& node, size_t at) {
    if (const auto known = footprints_.find({&node, at}); known != footprints_.end()) return known->second;
    if (!WorkBudget::charge(kUnitsPerNode)) return kNothing;
    const std::string text = requirementsOf(node, at);
    WorkBudget::charge(static_cast<int64_t>(text.size() / kBytesPerUnit));
    const Footprint result =
        text.empty() ? kNothing : footprintsByText_.emplace(text, footprintsByText_.size() + 1).first->second;
    footprints_.emplace(Position(&node, at), result);
    return result;
  }

  // What a schema requires of the denied field, with the footprints of its subschemas; empty for nothing.
  std::string requirementsOf(const Node& node, size_t at) {
    if (node.refusesAll) return "false";
    if (at == steps_.size()) return node.source.empty() ? "" : std::string(node.source.bytes());
    if (!node.admitsContainers) return "";
    std::string text;
    const auto add = [&](std::string_view keyword, Footprint part) {
      if (part != kNothing) text += fmt::format("{}({})", keyword, part);
    };
    for (const std::string_view keyword : kComparing) {
      if (const auto value = node.source.find(keyword)) text += fmt::format("{}({})", keyword, value->raw());
    }
    for (size_t i = 0; i < std::size(kBranching); ++i) {
      std::string parts;
      bool any = false;
      for (const Node* branch : node.branches[i]) {
        const Footprint part = footprint(*branch, at);
        any = any || part != kNothing;
        parts += fmt::format("{}|", part);
      }
      if (any) text += fmt::format("{}({})", kBranching[i], parts);
    }
    if (node.negated) add("not", footprint(*node.negated, at));
    if (node.items) {
      add("items", footprint(*node.items, at));
      if (doc::isAllDigits(steps_[at])) add("item", footprint(*node.items, at + 1));
    }
    node.eachFieldSchema(steps_[at], [&](const Node& field) { add("field", footprint(field, at + 1)); });
    const auto required = node.source.find("required");
    if (at + 1 == steps_.size() && required) {
      WorkBudget::charge(static_cast<int64_t>(required->raw().size() / kBytesPerUnit));
      if (lists(*required, steps_[at])) text += "required";
    }
    return text;
  }

  const doc::FieldSet hidden_;
  const std::vector<std::string>& steps_;
  const std::vector<Collection::WriteFields>& writers_;
  std::set<Position> visited_;
  std::map<Position, Footprint> footprints_;
  std::unordered_map<std::string, Footprint> footprintsByText_;
  std::set<std::pair<const Node*, std::string_view>> reported_;
  std::vector<std::string> found_;
};

// The pointer to the field in deniedReadFields of the policy; "" if it is not there.
std::string deniedAt(const policy::Policy& policy, std::string_view field) {
  for (std::string rule : {"read", "list", "public.read", "public.list"}) {
    const auto source = policy.source().view().findPath(rule + ".deniedReadFields");
    if (!source || source->type() != BsonType::array) continue;
    std::ranges::replace(rule, '.', '/');
    for (const auto& [position, each] : source->asDocument()) {
      if (isText(each, field)) return fmt::format("/{}/deniedReadFields/{}", rule, position);
    }
  }
  return "";
}

std::unexpected<Error> tooMuchToCheck(RevealedIn details) {
  const std::string message =
      "the schema and deniedReadFields of the policy take too long to check against each other: deny fewer fields, or "
      "use fewer anyOf, oneOf, not, items and patternProperties";
  return fail(Error(ErrorCode::validation, message)
                  .withDetail(details == RevealedIn::schema ? "" : "/read/deniedReadFields", message));
}

}  // namespace

Result<> refuseRevealingRules(DocumentView schema, const policy::Policy& policy, RevealedIn details) {
  const WorkBudget work(kCoreWork);
  const Tree tree(schema);
  if (!tree.root().mayReveal) return {};
  std::vector<Collection::WriteFields> writers;
  for (const policy::Operation operation : {policy::Operation::update, policy::Operation::admin}) {
    if (auto fields = writeFieldsOf(policy, operation)) writers.push_back(*std::move(fields));
  }
  std::vector<ErrorDetail> problems;
  for (const std::string& field : policy.deniedReadFields(policy::ReaderKind::anonymous).paths()) {
    if (problems.size() >= kMaxReported) break;
    if (!WorkBudget::charge(kUnitsPerField)) break;
    TRY(const doc::FieldPath path, doc::FieldPath::parse(field));
    Search search(path, writers);
    search.visit(tree.root(), 0);
    for (const std::string& pointer : search.found()) {
      if (problems.size() >= kMaxReported) break;
      problems.push_back({details == RevealedIn::schema ? pointer : deniedAt(policy, field),
                          fmt::format("\"{}\" of the schema would reveal \"{}\", which deniedReadFields of the policy "
                                      "hides: remove one of them",
                                      pointer, field)});
    }
  }
  if (WorkBudget::exceeded()) return tooMuchToCheck(details);
  if (problems.empty()) return {};
  std::string message = problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

}  // namespace mb::data
