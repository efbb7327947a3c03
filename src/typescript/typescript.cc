#include "typescript/typescript.h"

#include <map>
#include <set>

#include "document/json.h"
#include "document/schema.h"
#include "typescript/typescript_type.h"

namespace mb::typescript {

namespace {

struct Collection {
  std::string name;
  std::optional<doc::DocumentView> schema;
  std::string read;                                    // the interface of its documents
  std::string create;                                  // ... of new ones
  std::map<std::string, std::string> references = {};  // path and collection
};

// "order-lines" is OrderLines.
std::string pascalCase(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit) {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    upper = false;
  }
  return out.empty() || (out.front() >= '0' && out.front() <= '9') ? "C" + out : out;
}

constexpr std::string_view kProfile = "UserProfile";

// Names must be made unique: two collections may have the same name in this case, and a name may equal that of
// another's new documents.
void nameAll(std::vector<Collection>& collections, bool hasProfile) {
  std::set<std::string> taken = {"Collections", "NewDocuments", "References", "Schema"};
  if (hasProfile) taken.emplace(kProfile);
  for (Collection& each : collections) {
    const std::string base = pascalCase(each.name);
    for (int number = 1;; ++number) {
      each.read = number == 1 ? base : fmt::format("{}{}", base, number);
      each.create = "New" + each.read;
      if (!taken.contains(each.read) && !taken.contains(each.create)) break;
    }
    taken.insert(each.read);
    taken.insert(each.create);
  }
}

Result<std::vector<Collection>> collectionsOf(doc::DocumentView document) {
  std::vector<Collection> out;
  std::vector<ErrorDetail> problems;
  const auto listed = document.find("collections");
  if (!listed || listed->type() != doc::BsonType::array) return out;
  for (const doc::Element& entry : listed->asDocument()) {
    if (entry.value.type() != doc::BsonType::document) continue;
    const doc::DocumentView collection = entry.value.asDocument();
    Collection made{std::string(collection.stringOr("name")), std::nullopt, {}, {}};
    if (made.name.empty() || made.name == "*") continue;
    if (const auto schema = collection.find("schema"); schema && schema->type() == doc::BsonType::document) {
      made.schema = schema->asDocument();
      if (const auto compiled = doc::Schema::compile(*made.schema); !compiled) {
        for (const ErrorDetail& each : compiled.error().details()) {
          problems.push_back({"collections/" + made.name + ".json", "/schema" + each.path + " " + each.message});
        }
      } else {
        for (const doc::Relation& each : (*compiled)->relations()) made.references[each.path] = each.collection;
      }
    }
    out.push_back(std::move(made));
  }
  std::ranges::sort(out, {}, &Collection::name);
  if (problems.empty()) return out;
  return fail(Error(ErrorCode::validation, "some schemas are invalid: fix the files named below")
                  .withDetails(std::move(problems)));
}

// A tree of the paths of profileFields; a path without steps below it is a leaf.
struct ProfileTree {
  std::map<std::string, ProfileTree, std::less<>> below;
};

void appendProfile(std::string& out, const ProfileTree& tree, size_t level) {
  for (const auto& [name, inner] : tree.below) {
    out.append(2 * level, ' ');
    if (inner.below.empty()) {
      const bool top = level == 1;
      // Callers without a token get no email.
      const std::string_view type = top && name == "name"    ? ": string | null"
                                    : top && name == "email" ? "?: string"
                                                             : "?: unknown";
      out += fmt::format("{}{};\n", propertyName(name), type);
      continue;
    }
    out += fmt::format("{}{}: {{\n", propertyName(name), level == 1 ? "" : "?");
    appendProfile(out, inner, level + 1);
    out.append(2 * level, ' ');
    out += "};\n";
  }
}

// The interface of what `expand` gives in place of references to end users; "" if they stay ids.
std::string profileOf(doc::DocumentView document) {
  const auto fields = document.findPath("settings.profileFields");
  if (!fields || fields->type() != doc::BsonType::array || fields->asDocument().empty()) return "";
  ProfileTree tree;
  for (const doc::Element& each : fields->asDocument()) {
    if (each.value.type() != doc::BsonType::string) continue;
    ProfileTree* at = &tree;
    for (std::string_view rest = each.value.asString(); !rest.empty();) {
      const size_t dot = std::min(rest.find('.'), rest.size());
      at = &at->below[std::string(rest.substr(0, dot))];
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
  }
  std::string out = fmt::format(
      "\n/** What `expand` gives in place of the id of an end user. */\nexport interface {} {{\n", kProfile);
  out += "  readonly id: string;\n";
  appendProfile(out, tree, 1);
  return out + "}\n";
}

constexpr std::string_view kFieldsRead =
    "  readonly id: string;\n"
    "  /** RFC 3339. */\n"
    "  readonly createdAt: string;\n"
    "  /** RFC 3339. */\n"
    "  readonly updatedAt: string;\n"
    "  readonly ownerId?: string;\n";
constexpr std::string_view kFieldsCreated =
    "  /** Set it for safe retries; otherwise the server creates one. */\n"
    "  id?: string;\n";

void appendInterface(std::string& out, const Collection& collection, TypeUse use) {
  const bool reads = use == TypeUse::read;
  out +=
      fmt::format("\n/** {} `{}`. */\n", reads ? "A document of" : "The fields of a new document of", collection.name);
  out += fmt::format("export interface {} {{\n", reads ? collection.read : collection.create);
  out += reads ? kFieldsRead : kFieldsCreated;
  if (collection.schema) {
    appendFields(out, *collection.schema, use);
  } else {
    out += "  [field: string]: unknown;\n";
  }
  out += "}\n";
}

// The references of each collection, by which `expand` is typed.
void appendReferences(std::string& out, const std::vector<Collection>& collections) {
  out += "\n/** The collection that each reference names. */\nexport interface References {\n";
  for (const Collection& each : collections) {
    out += fmt::format("  {}: {{", propertyName(each.name));
    for (const auto& [path, collection] : each.references) {
      out += fmt::format("\n    {}: ", propertyName(path));
      doc::writeJsonString(out, collection);
      out += ';';
    }
    out += each.references.empty() ? "};\n" : "\n  };\n";
  }
  out += "}\n";
}

// The http routes of functions, as "GET /orders/:id".
std::set<std::string> routesOf(doc::DocumentView document) {
  std::set<std::string> out;
  const auto listed = document.find("functions");
  if (!listed || listed->type() != doc::BsonType::array) return out;
  for (const doc::Element& entry : listed->asDocument()) {
    if (entry.value.type() != doc::BsonType::document) continue;
    const auto trigger = entry.value.asDocument().find("trigger");
    if (!trigger || trigger->type() != doc::BsonType::document) continue;
    const doc::DocumentView of = trigger->asDocument();
    if (of.stringOr("type") == "http") out.insert(fmt::format("{} {}", of.stringOr("method"), of.stringOr("path")));
  }
  return out;
}

void appendSchema(std::string& out, bool hasProfile, const std::set<std::string>& routes) {
  out += "\n/** What `createClient<Schema>()` of the package `manybase` takes. */\nexport interface Schema {\n";
  out += "  read: Collections;\n  create: NewDocuments;\n  references: References;\n";
  if (hasProfile) out += fmt::format("  users: {};\n", kProfile);
  if (!routes.empty()) {
    out += "  /** The endpoints of functions. */\n  routes:";
    for (const std::string& each : routes) {
      out += "\n    | ";
      doc::writeJsonString(out, each);
    }
    out += ";\n";
  }
  out += "}\n";
}

}  // namespace

Result<std::string> typesOf(doc::DocumentView document) {
  TRY(std::vector<Collection> collections, collectionsOf(document));
  const std::string profile = profileOf(document);
  nameAll(collections, !profile.empty());
  std::string out = "// Generated by `manybase types` from the schemas of the collections. Do not edit.\n";
  for (const Collection& each : collections) {
    appendInterface(out, each, TypeUse::read);
    appendInterface(out, each, TypeUse::create);
  }
  out += profile;
  out += "\n/** The documents of each collection. */\nexport interface Collections {\n";
  for (const Collection& each : collections) out += fmt::format("  {}: {};\n", propertyName(each.name), each.read);
  out += "}\n\n/** The fields of a new document of each collection. */\nexport interface NewDocuments {\n";
  for (const Collection& each : collections) out += fmt::format("  {}: {};\n", propertyName(each.name), each.create);
  out += "}\n";
  appendReferences(out, collections);
  appendSchema(out, !profile.empty(), routesOf(document));
  return out;
}

}  // namespace mb::typescript
