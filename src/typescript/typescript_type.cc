#include "typescript/typescript_type.h"

#include <cmath>
#include <set>

#include "document/json.h"
#include "document/schema.h"

namespace mb::typescript {

namespace {

constexpr int64_t kMaxSafe = (int64_t{1} << 53) - 1;  // beyond it JavaScript's numbers have gaps
constexpr std::string_view kServers[] = {"id", "createdAt", "updatedAt", "ownerId"};

using Types = std::vector<std::string>;

// Joins the types by `by`: "a" and "b" as "a | b"; each once, in order of first occurrence.
std::string joined(const Types& types, std::string_view by) {
  // An enum may have very many.
  std::set<std::string_view> seen;
  std::vector<std::string_view> once;
  for (const std::string& type : types) {
    if (seen.insert(type).second) once.push_back(type);
  }
  std::string out;
  for (const std::string_view type : once) {
    if (!out.empty()) out += by;
    // `&` binds stronger than `|`.
    const bool grouped = once.size() > 1 && by == " & " && type.find(" | ") != std::string_view::npos;
    if (grouped) out += '(';
    out += type;
    if (grouped) out += ')';
  }
  return out;
}

bool isSafe(doc::ValueView number) {
  return std::fabs(number.toReal()) <= static_cast<double>(kMaxSafe);
}

// A constant as a type of its own.
std::string literal(doc::ValueView value) {
  switch (value.type()) {
    case doc::BsonType::string:
    case doc::BsonType::boolean:
    case doc::BsonType::null: {
      std::string out;
      doc::writeJsonValue(out, value);
      return out;
    }
    case doc::BsonType::int32:
    case doc::BsonType::int64:
    case doc::BsonType::real: {
      if (!isSafe(value)) return "number";
      std::string out;
      doc::writeJsonValue(out, value);
      return out;
    }
    case doc::BsonType::array: {
      std::string out;
      for (const doc::Element& each : value.asDocument()) out += (out.empty() ? "" : ", ") + literal(each.value);
      return "[" + out + "]";
    }
    case doc::BsonType::document: {
      std::string out;
      for (const doc::Element& each : value.asDocument()) {
        out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", propertyName(each.key), literal(each.value));
      }
      return out.empty() ? "{}" : "{ " + out + " }";
    }
    default:
      return "string";
  }
}

class TypeWriter {
 public:
  explicit TypeWriter(TypeUse use) : use_(use) {}

  std::string type(doc::ValueView schema, size_t level) const {
    if (schema.type() == doc::BsonType::boolean) return schema.asBool() ? "unknown" : "never";
    if (schema.type() != doc::BsonType::document) return "unknown";
    const doc::DocumentView of = schema.asDocument();
    Types all;
    const std::string own = ownType(of, level);
    if (own != "unknown") all.push_back(own);
    if (const auto parts = list(of, "allOf")) {
      for (const doc::Element& each : *parts) addUnlessUnknown(all, type(each.value, level));
    }
    for (const std::string_view keyword : {"anyOf", "oneOf"}) {
      const auto parts = list(of, keyword);
      if (!parts) continue;
      Types choices;
      for (const doc::Element& each : *parts) choices.push_back(type(each.value, level));
      const bool any = std::ranges::find(choices, "unknown") != choices.end();
      if (!any) all.push_back(joined(choices, " | "));
    }
    return all.empty() ? "unknown" : joined(all, " & ");
  }

  void fields(std::string& out, doc::DocumentView schema, size_t level, bool ofDocument) const {
    const auto properties = objectOf(schema, "properties");
    if (properties) {
      const std::set<std::string_view> required = requiredIn(schema);
      for (const doc::Element& property : *properties) {
        if (ofDocument && std::ranges::find(kServers, property.key) != std::end(kServers)) continue;
        comment(out, property.value, level);
        out.append(2 * level, ' ');
        out += fmt::format("{}{}: {};\n", propertyName(property.key), isOptional(required, property) ? "?" : "",
                           type(property.value, level));
      }
    }
    if (const std::string other = others(schema, level, ofDocument || properties); !other.empty()) {
      out.append(2 * level, ' ');
      out += fmt::format("[field: string]: {};\n", other);
    }
  }

 private:
  static std::optional<doc::DocumentView> objectOf(doc::DocumentView schema, std::string_view keyword) {
    const auto found = schema.find(keyword);
    if (!found || found->type() != doc::BsonType::document) return std::nullopt;
    return found->asDocument();
  }
  static std::optional<doc::DocumentView> list(doc::DocumentView schema, std::string_view keyword) {
    const auto found = schema.find(keyword);
    if (!found || found->type() != doc::BsonType::array) return std::nullopt;
    return found->asDocument();
  }
  static void addUnlessUnknown(Types& types, std::string type) {
    if (type != "unknown") types.push_back(std::move(type));
  }

  // The index signature's type for all fields that are not named; "" where no other field may occur. One type, since
  // an index signature must fit the named ones too.
  std::string others(doc::DocumentView schema, size_t level, bool named) const {
    const auto additional = schema.find("additionalProperties");
    const auto patterns = objectOf(schema, "patternProperties");
    const bool open = additional && !(additional->type() == doc::BsonType::boolean && !additional->asBool());
    if (!open && !patterns) return {};
    if (named) return "unknown";
    Types types;
    if (patterns) {
      for (const doc::Element& each : *patterns) types.push_back(type(each.value, level));
    }
    // Without the keyword any other field may be present.
    if (open || !additional) types.push_back(additional ? type(*additional, level) : "unknown");
    return std::ranges::find(types, "unknown") != types.end() ? "unknown" : joined(types, " | ");
  }

  static std::set<std::string_view> requiredIn(doc::DocumentView schema) {
    std::set<std::string_view> names;
    const auto required = list(schema, "required");
    if (!required) return names;
    for (const doc::Element& each : *required) {
      if (each.value.type() == doc::BsonType::string) names.insert(each.value.asString());
    }
    return names;
  }

  bool isOptional(const std::set<std::string_view>& required, const doc::Element& property) const {
    const bool hasDefault =
        property.value.type() == doc::BsonType::document && property.value.asDocument().find("default").has_value();
    return (use_ == TypeUse::create && hasDefault) || !required.contains(property.key);
  }

  std::string ownType(doc::DocumentView schema, size_t level) const {
    if (const auto constant = schema.find("const")) return literal(*constant);
    if (const auto allowed = list(schema, "enum")) {
      Types types;
      for (const doc::Element& each : *allowed) types.push_back(literal(each.value));
      return joined(types, " | ");
    }
    Types types;
    const auto named = schema.find("type");
    if (named && named->type() == doc::BsonType::array) {
      for (const doc::Element& each : named->asDocument()) types.push_back(typeNamed(each.value, schema, level));
    } else if (named) {
      types.push_back(typeNamed(*named, schema, level));
    } else if (schema.find("x-bson")) {
      types.push_back(stored(schema));
    } else if (schema.find("properties")) {
      types.push_back(object(schema, level));
    } else if (schema.find("items")) {
      types.push_back(array(schema, level));
    }
    return types.empty() ? "unknown" : joined(types, " | ");
  }

  // Dates, object ids, decimals and binary are text in JSON; a decimal may be sent as a number.
  std::string stored(doc::DocumentView schema) const {
    return schema.stringOr("x-bson") == "decimal" && use_ == TypeUse::create ? "string | number" : "string";
  }

  std::string typeNamed(doc::ValueView name, doc::DocumentView schema, size_t level) const {
    const std::string_view text = name.type() == doc::BsonType::string ? name.asString() : "";
    if (text == "null" || text == "boolean") return std::string(text);
    if (schema.find("x-bson") && (text == "string" || text == "number" || text == "integer")) return stored(schema);
    if (text == "string") return "string";
    if (text == "integer" || text == "number") return "number";
    if (text == "array") return array(schema, level);
    if (text == "object") return object(schema, level);
    return "unknown";
  }

  std::string array(doc::DocumentView schema, size_t level) const {
    const auto items = schema.find("items");
    const std::string item = items ? type(*items, level) : "unknown";
    const bool plain = item.find_first_of("|&") == std::string::npos || item.front() == '{';
    return (plain && item.find("} |") == std::string::npos ? item : "(" + item + ")") + "[]";
  }

  std::string object(doc::DocumentView schema, size_t level) const {
    std::string out;
    fields(out, schema, level + 1, false);
    if (out.empty()) {
      const auto additional = schema.find("additionalProperties");
      const bool closed = additional && additional->type() == doc::BsonType::boolean && !additional->asBool();
      return closed ? "{ [field: string]: never }" : "{ [field: string]: unknown }";
    }
    return "{\n" + out + std::string(2 * level, ' ') + "}";
  }

  // The comment of a field: its description, and constraints that its type does not express.
  void comment(std::string& out, doc::ValueView schema, size_t level) const {
    if (schema.type() != doc::BsonType::document) return;
    const doc::DocumentView of = schema.asDocument();
    Types lines;
    std::string_view text = of.stringOr("description", of.stringOr("title"));
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      lines.push_back(harmless(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    for (const std::string_view note : {reference(of), form(of), size(of)}) {
      if (!note.empty()) lines.emplace_back(note);
    }
    if (const auto items = objectOf(of, "items")) {
      for (const std::string& note : {reference(*items), form(*items), size(*items)}) {
        if (!note.empty()) lines.push_back(note);
      }
    }
    if (lines.empty()) return;
    const std::string indent(2 * level, ' ');
    if (lines.size() == 1) {
      out += fmt::format("{}/** {} */\n", indent, lines.front());
      return;
    }
    out += indent + "/**\n";
    for (const std::string& line : lines)
      out += line.empty() ? indent + " *\n" : fmt::format("{} * {}\n", indent, line);
    out += indent + " */\n";
  }

  static std::string harmless(std::string_view line) {
    std::string out;
    for (const char c : line) {
      if (c == '/' && out.ends_with('*')) out += '\\';
      if (static_cast<uint8_t>(c) >= 0x20 && c != 0x7F) out += c;
    }
    return out;
  }

  static std::string reference(doc::DocumentView schema) {
    const std::string_view to = doc::referencedCollectionOf(schema);
    return to.empty() ? "" : fmt::format("Id of a document of `{}`.", harmless(to));
  }
  static std::string form(doc::DocumentView schema) {
    const std::string_view form = schema.stringOr("x-bson");
    if (form == "date") return "RFC 3339.";
    if (form == "objectId") return "24 hexadecimal digits.";
    if (form == "decimal") return "A decimal number, as text.";
    if (form == "binary") return "Base64.";
    return schema.stringOr("format") == "date-time" ? "RFC 3339." : "";
  }
  // Integers have 64 bits on the server; JSON.parse rounds them.
  static std::string size(doc::DocumentView schema) {
    for (const std::string_view keyword : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const"}) {
      const auto bound = schema.find(keyword);
      if (bound && bound->isNumber() && !isSafe(*bound)) {
        return "May be beyond Number.MAX_SAFE_INTEGER: JSON.parse rounds it.";
      }
    }
    return {};
  }

  const TypeUse use_;
};

}  // namespace

void appendFields(std::string& out, doc::DocumentView schema, TypeUse use) {
  TypeWriter(use).fields(out, schema, 1, true);
}

std::string propertyName(std::string_view name) {
  const auto isStart = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  const bool plain = !name.empty() && isStart(name.front()) &&
                     std::ranges::all_of(name, [&](char c) { return isStart(c) || (c >= '0' && c <= '9'); });
  if (plain) return std::string(name);
  std::string out;
  doc::writeJsonString(out, name);
  return out;
}

}  // namespace mb::typescript
