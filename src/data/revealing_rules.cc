#include "data/revealing_rules.h"

#include <fmt/format.h>

#include <algorithm>

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

// Whether values of this type (of JSON) are within the schema's `type`.
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

// Whether the schema lets through any object or list at all.
bool admitsContainers(DocumentView schema) {
  if (!admits(schema, "object") && !admits(schema, "array")) return false;
  const auto constant = schema.find("const");
  if (constant && !constant->isContainer()) return false;
  const auto values = schema.find("enum");
  return !values || hasContainer(*values);
}

std::optional<DocumentView> schemaAt(DocumentView schema, std::string_view keyword) {
  const auto value = schema.find(keyword);
  if (!value || value->type() != BsonType::document) return std::nullopt;
  return value->asDocument();
}

// The schemas of allOf, anyOf or oneOf.
std::vector<DocumentView> branchesOf(DocumentView schema, std::string_view keyword) {
  std::vector<DocumentView> branches;
  const auto list = schema.find(keyword);
  if (!list || list->type() != BsonType::array) return branches;
  for (const doc::Element& each : list->asDocument()) {
    if (each.value.type() == BsonType::document) branches.push_back(each.value.asDocument());
  }
  return branches;
}

std::string under(std::string pointer, std::string_view key) {
  doc::appendPointer(pointer, key);
  return pointer;
}

std::string joined(const std::string& path, std::string_view step) {
  return path.empty() ? std::string(step) : path + "." + std::string(step);
}

// Calls `found(schema, pointer)` for each schema that an object's schema has for the field `name`.
template <class F>
void eachSchemaOf(DocumentView schema, std::string_view name, const std::string& pointer, const F& found) {
  bool described = false;
  if (const auto properties = schemaAt(schema, "properties")) {
    if (const auto declared = schemaAt(*properties, name)) {
      described = true;
      found(*declared, under(under(pointer, "properties"), name));
    }
  }
  if (const auto patterns = schemaAt(schema, "patternProperties")) {
    for (const doc::Element& each : *patterns) {
      const auto pattern = doc::compilePattern(each.key, "", ErrorCode::validation);
      if (!pattern || each.value.type() != BsonType::document || !doc::matchesPattern(*pattern, name)) continue;
      described = true;
      found(each.value.asDocument(), under(under(pointer, "patternProperties"), each.key));
    }
  }
  const auto additional = described ? std::nullopt : schemaAt(schema, "additionalProperties");
  if (additional) found(*additional, under(pointer, "additionalProperties"));
}

// Every field that a schema says something about, as dotted paths.
class Mentions {
 public:
  void add(DocumentView schema, const std::string& path) {
    bool says = false;
    for (const auto& [keyword, value] : schema) {
      if (keyword == "properties" && value.type() == BsonType::document) {
        for (const doc::Element& each : value.asDocument()) {
          if (each.value.type() == BsonType::document) add(each.value.asDocument(), joined(path, each.key));
        }
      } else if (keyword == "required" && value.type() == BsonType::array) {
        for (const doc::Element& each : value.asDocument()) {
          if (each.value.type() == BsonType::string) paths_.push_back(joined(path, each.value.asString()));
        }
      } else if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf") {
        for (const DocumentView branch : branchesOf(schema, keyword)) add(branch, path);
      } else if ((keyword == "not" || keyword == "items") && value.type() == BsonType::document) {
        add(value.asDocument(), path);
      } else if (keyword == "type") {
        says = says || !saysOfParts(schema);
      } else if (keyword == "additionalProperties" && value.type() == BsonType::boolean) {
        says = says || !value.asBool();
      } else if (keyword != "title" && keyword != "description") {
        says = true;
      }
    }
    if (says) paths_.push_back(path);
  }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  // Its type only says then that there are parts.
  static bool saysOfParts(DocumentView schema) {
    constexpr std::string_view kKeywords[] = {"properties", "required", "items", "allOf", "anyOf", "oneOf", "not"};
    return std::ranges::any_of(kKeywords, [&](std::string_view each) { return schema.find(each).has_value(); });
  }

  std::vector<std::string> paths_;
};

// Looks along the path of one denied field.
class Search {
 public:
  Search(const doc::FieldPath& denied, const std::vector<Collection::WriteFields>& writers)
      : hidden_({denied.dotted()}), steps_(denied.steps()), writers_(writers) {}

  // `at`: so many steps of the denied path lead to the values of this schema.
  void visit(DocumentView schema, size_t at, const std::string& pointer) {
    // Of what is hidden as a whole, a caller can only set the whole.
    if (at == steps_.size() || !admitsContainers(schema)) return;
    const auto unique = schema.find("uniqueItems");
    if (unique && unique->type() == BsonType::boolean && unique->asBool() && admits(schema, "array")) {
      found_.push_back(under(pointer, "uniqueItems"));
    }
    if (const auto constant = schema.find("const"); constant && constant->isContainer()) {
      found_.push_back(under(pointer, "const"));
    }
    if (const auto values = schema.find("enum"); values && hasContainer(*values)) {
      found_.push_back(under(pointer, "enum"));
    }
    for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      const std::vector<DocumentView> branches = branchesOf(schema, keyword);
      const std::string list = under(pointer, keyword);
      for (size_t i = 0; i < branches.size(); ++i) visit(branches[i], at, under(list, doc::arrayKey(i)));
      if (keyword != "allOf" && joinsFields(branches, at)) found_.push_back(list);
    }
    if (const auto negated = schemaAt(schema, "not"); negated && admitsContainers(*negated)) {
      if (!footprint(*negated, at).empty() && namesOthers({*negated}, at)) found_.push_back(under(pointer, "not"));
    }
    if (const auto items = schemaAt(schema, "items")) {
      visit(*items, at, under(pointer, "items"));
      if (doc::isAllDigits(steps_[at])) visit(*items, at + 1, under(pointer, "items"));
    }
    eachSchemaOf(schema, steps_[at], pointer,
                 [&](DocumentView field, const std::string& below) { visit(field, at + 1, below); });
  }

  const std::vector<std::string>& found() const { return found_; }

 private:
  // Whether the outcome of these alternatives depends on the denied field and on others. Where all of them say the same
  // of it, it has no part in which of them fits.
  bool joinsFields(std::vector<DocumentView> branches, size_t at) const {
    std::erase_if(branches, [](DocumentView branch) { return !admitsContainers(branch); });
    if (branches.size() < 2) return false;
    const std::string first = footprint(branches.front(), at);
    const bool same = std::ranges::all_of(branches, [&](DocumentView each) { return footprint(each, at) == first; });
    return !same && namesOthers(branches, at);
  }

  // Whether they name another field that an update may change.
  bool namesOthers(const std::vector<DocumentView>& branches, size_t at) const {
    std::string path;
    for (size_t i = 0; i < at; ++i) path = joined(path, steps_[i]);
    Mentions mentions;
    for (const DocumentView branch : branches) mentions.add(branch, path);
    return std::ranges::any_of(mentions.paths(), [&](const std::string& each) {
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

  // All that a schema says of the denied field; empty for nothing.
  std::string footprint(DocumentView schema, size_t at) const {
    if (at == steps_.size()) return schema.empty() ? "" : std::string(schema.bytes());
    if (!admitsContainers(schema)) return "";
    std::string said;
    const auto note = [&](std::string_view keyword, const std::string& text) {
      if (!text.empty()) said += fmt::format("{}({})", keyword, text);
    };
    for (const std::string_view keyword : {"uniqueItems", "const", "enum"}) {
      if (const auto value = schema.find(keyword)) note(keyword, std::string(value->raw()));
    }
    for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      std::string parts;
      bool any = false;
      for (const DocumentView branch : branchesOf(schema, keyword)) {
        const std::string part = footprint(branch, at);
        any = any || !part.empty();
        parts += part + "|";
      }
      if (any) note(keyword, parts);
    }
    if (const auto negated = schemaAt(schema, "not")) note("not", footprint(*negated, at));
    if (const auto items = schemaAt(schema, "items")) {
      note("items", footprint(*items, at));
      if (doc::isAllDigits(steps_[at])) note("item", footprint(*items, at + 1));
    }
    bool described = false;
    eachSchemaOf(schema, steps_[at], "", [&](DocumentView field, const std::string&) {
      described = true;
      note("field", footprint(field, at + 1));
    });
    const auto additional = schema.find("additionalProperties");
    const bool closed = additional && additional->type() == BsonType::boolean && !additional->asBool();
    if (closed && !described) note("closed", "yes");
    const auto required = schema.find("required");
    if (at + 1 == steps_.size() && required && lists(*required, steps_[at])) note("required", "yes");
    return said;
  }

  const doc::FieldSet hidden_;
  const std::vector<std::string>& steps_;
  const std::vector<Collection::WriteFields>& writers_;
  std::vector<std::string> found_;
};

// Where the policy denies the field.
std::string deniedAt(const policy::Policy& policy, std::string_view field) {
  for (const std::string_view rule : {"read", "list"}) {
    const auto source = policy.source().view().findPath(std::string(rule) + ".deniedReadFields");
    if (!source || source->type() != BsonType::array) continue;
    for (const auto& [position, each] : source->asDocument()) {
      if (isText(each, field)) return fmt::format("/{}/deniedReadFields/{}", rule, position);
    }
  }
  return "";
}

}  // namespace

Result<> refuseRevealingRules(DocumentView schema, const policy::Policy& policy, RevealedIn details) {
  std::vector<Collection::WriteFields> writers;
  for (const policy::Operation operation : {policy::Operation::update, policy::Operation::admin}) {
    if (auto fields = writeFieldsOf(policy, operation)) writers.push_back(*std::move(fields));
  }
  std::vector<ErrorDetail> problems;
  for (const std::string& field : policy.deniedReadFields().paths()) {
    TRY(const doc::FieldPath path, doc::FieldPath::parse(field));
    Search search(path, writers);
    search.visit(schema, 0, "");
    for (const std::string& pointer : search.found()) {
      if (problems.size() >= kMaxReported) break;
      problems.push_back({details == RevealedIn::schema ? pointer : deniedAt(policy, field),
                          fmt::format("\"{}\" of the schema would reveal \"{}\", which deniedReadFields of the policy "
                                      "hides: take one of them out",
                                      pointer, field)});
    }
  }
  if (problems.empty()) return {};
  std::string message = problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

}  // namespace mb::data
