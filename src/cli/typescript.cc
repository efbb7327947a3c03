#include "cli/typescript.h"

#include <set>

#include "cli/typescript_type.h"
#include "document/schema.h"

namespace mb::cli {

namespace {

struct Collection {
  std::string name;
  std::optional<doc::DocumentView> schema;
  std::string read;    // the interface of its documents
  std::string create;  // ... of new ones
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

// Two collections may have the same name in this case, and one's new documents the name of another's.
void nameAll(std::vector<Collection>& collections) {
  std::set<std::string> taken = {"Collections", "NewDocuments"};
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
      }
    }
    out.push_back(std::move(made));
  }
  std::ranges::sort(out, {}, &Collection::name);
  if (problems.empty()) return out;
  return fail(Error(ErrorCode::validation, "there are schemas that cannot be used: mend what is named below")
                  .withDetails(std::move(problems)));
}

constexpr std::string_view kFieldsRead =
    "  readonly id: string;\n"
    "  /** RFC 3339. */\n"
    "  readonly createdAt: string;\n"
    "  /** RFC 3339. */\n"
    "  readonly updatedAt: string;\n"
    "  readonly ownerId?: string;\n";
constexpr std::string_view kFieldsCreated =
    "  /** To be able to try again; else the server makes one. */\n"
    "  id?: string;\n";

void appendInterface(std::string& out, const Collection& collection, TypeUse use) {
  const bool reads = use == TypeUse::read;
  out += fmt::format("\n/** {} `{}`. */\n", reads ? "A document of" : "What makes a new document of", collection.name);
  out += fmt::format("export interface {} {{\n", reads ? collection.read : collection.create);
  out += reads ? kFieldsRead : kFieldsCreated;
  if (collection.schema) {
    appendFields(out, *collection.schema, use);
  } else {
    out += "  [field: string]: unknown;\n";
  }
  out += "}\n";
}

}  // namespace

Result<std::string> typescriptOf(doc::DocumentView document) {
  TRY(std::vector<Collection> collections, collectionsOf(document));
  nameAll(collections);
  std::string out =
      "// Made by `manybase types` from the schemas of the collections. Make it again rather than edit it.\n";
  for (const Collection& each : collections) {
    appendInterface(out, each, TypeUse::read);
    appendInterface(out, each, TypeUse::create);
  }
  out += "\n/** The documents of each collection. */\nexport interface Collections {\n";
  for (const Collection& each : collections) out += fmt::format("  {}: {};\n", propertyName(each.name), each.read);
  out += "}\n\n/** What makes a new document of each collection. */\nexport interface NewDocuments {\n";
  for (const Collection& each : collections) out += fmt::format("  {}: {};\n", propertyName(each.name), each.create);
  out += "}\n";
  return out;
}

}  // namespace mb::cli
