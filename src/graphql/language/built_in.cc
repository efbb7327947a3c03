// The scalars and the introspection types (October 2021 specification, 3.5 and 4.2). The descriptions are short.
#include <algorithm>

#include "graphql/language/schema.h"

namespace mb::graphql {

namespace {

constexpr std::string_view kScalarNames[] = {"",        "ID",       "String", "Int",           "Float",
                                             "Boolean", "DateTime", "JSON",   "FieldCondition"};
constexpr std::string_view kScalarTexts[] = {
    "",
    "A unique identifier: a string, on input a whole number too.",
    "Text.",
    "A whole number of 32 bits.",
    "A number of double precision.",
    "`true` or `false`.",
    "A time by RFC 3339, such as `2026-01-31T09:30:00.000Z`.",
    "Any JSON value.",
    "A condition on a field: a value that it equals, or an object of operators (eq ne gt gte lt lte in nin "
    "exists type all elemMatch size mod regex options not).",
};

// A field of an introspection type: its name, its type as text ("[__Type!]"), and whether it takes includeDeprecated.
struct FieldSpec {
  std::string_view name;
  std::string_view type;
  bool takesDeprecated = false;
};

class Describer {
 public:
  explicit Describer(Types& types) : types_(types) {}

  Type& object(std::string name, std::string description) {
    Type& type = types_.add(TypeKind::object, std::move(name), std::move(description));
    type.introspects = true;
    return type;
  }
  void enumeration(std::string name, std::vector<std::string> values) {
    Type& type = types_.add(TypeKind::enumeration, std::move(name), "");
    type.introspects = true;
    type.values = std::move(values);
  }
  void fields(std::string_view name, std::initializer_list<FieldSpec> all) {
    Type& type = const_cast<Type&>(*find(name));
    for (const FieldSpec& each : all) {
      Field field;
      field.name = each.name;
      field.key = each.name;
      field.type = parse(each.type);
      field.source = Source::introspection;
      if (each.takesDeprecated) {
        field.arguments.push_back({"includeDeprecated", "Nothing is deprecated.", parse("Boolean")});
      }
      type.fields.push_back(std::move(field));
    }
  }
  const Type* parse(std::string_view text) {
    if (text.ends_with('!')) return types_.nonNull(parse(text.substr(0, text.size() - 1)));
    if (text.starts_with('[')) return types_.list(parse(text.substr(1, text.size() - 2)));
    return find(text);
  }

 private:
  const Type* find(std::string_view name) const { return &*std::ranges::find(types_.all(), name, &Type::name); }
  Types& types_;
};

}  // namespace

BuiltIn::BuiltIn() {
  for (size_t i = 1; i < std::size(kScalarNames); ++i) {
    Type& one = types.add(TypeKind::scalar, std::string(kScalarNames[i]), std::string(kScalarTexts[i]));
    one.scalar = static_cast<Scalar>(i);
    scalars_[i] = &one;
  }
  Describer describe(types);
  schema = &describe.object("__Schema", "The schema: its types, directives, and where operations begin.");
  type = &describe.object("__Type", "A type of the schema.");
  describe.object("__Field", "A field of an object.");
  describe.object("__InputValue", "An argument, or a field of an input object.");
  describe.object("__EnumValue", "A value of an enumeration.");
  describe.object("__Directive", "A directive that a request may use.");
  describe.enumeration("__TypeKind",
                       {"SCALAR", "OBJECT", "INTERFACE", "UNION", "ENUM", "INPUT_OBJECT", "LIST", "NON_NULL"});
  describe.enumeration(
      "__DirectiveLocation",
      {"QUERY", "MUTATION", "SUBSCRIPTION", "FIELD", "FRAGMENT_DEFINITION", "FRAGMENT_SPREAD", "INLINE_FRAGMENT",
       "VARIABLE_DEFINITION", "SCHEMA", "SCALAR", "OBJECT", "FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INTERFACE",
       "UNION", "ENUM", "ENUM_VALUE", "INPUT_OBJECT", "INPUT_FIELD_DEFINITION"});
  describe.fields("__Schema", {{"description", "String"},
                               {"types", "[__Type!]!"},
                               {"queryType", "__Type!"},
                               {"mutationType", "__Type"},
                               {"subscriptionType", "__Type"},
                               {"directives", "[__Directive!]!"}});
  describe.fields("__Type", {{"kind", "__TypeKind!"},
                             {"name", "String"},
                             {"description", "String"},
                             {"specifiedByURL", "String"},
                             {"fields", "[__Field!]", true},
                             {"interfaces", "[__Type!]"},
                             {"possibleTypes", "[__Type!]"},
                             {"enumValues", "[__EnumValue!]", true},
                             {"inputFields", "[__InputValue!]", true},
                             {"ofType", "__Type"},
                             {"isOneOf", "Boolean"}});
  describe.fields("__Field", {{"name", "String!"},
                              {"description", "String"},
                              {"args", "[__InputValue!]!", true},
                              {"type", "__Type!"},
                              {"isDeprecated", "Boolean!"},
                              {"deprecationReason", "String"}});
  describe.fields("__InputValue", {{"name", "String!"},
                                   {"description", "String"},
                                   {"type", "__Type!"},
                                   {"defaultValue", "String"},
                                   {"isDeprecated", "Boolean!"},
                                   {"deprecationReason", "String"}});
  describe.fields(
      "__EnumValue",
      {{"name", "String!"}, {"description", "String"}, {"isDeprecated", "Boolean!"}, {"deprecationReason", "String"}});
  describe.fields("__Directive", {{"name", "String!"},
                                  {"description", "String"},
                                  {"isRepeatable", "Boolean!"},
                                  {"locations", "[__DirectiveLocation!]!"},
                                  {"args", "[__InputValue!]!", true}});

  const std::vector<std::string> onSelections = {"FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"};
  directives.push_back({"include", "Only if `if` is true.", onSelections, {{"if", "", describe.parse("Boolean!")}}});
  directives.push_back({"skip", "Not if `if` is true.", onSelections, {{"if", "", describe.parse("Boolean!")}}});

  // Directives for the definitions of a schema: requests must not use them, but tools expect them in every schema
  // (October 2021 specification, 3.13).
  InputValue reason{"reason", "", describe.parse("String")};
  reason.defaultValue = "\"No longer supported\"";
  directives.push_back({"deprecated",
                        "Must not be used any more.",
                        {"FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INPUT_FIELD_DEFINITION", "ENUM_VALUE"},
                        {std::move(reason)}});
  directives.push_back(
      {"specifiedBy", "Where a scalar's form is specified.", {"SCALAR"}, {{"url", "", describe.parse("String!")}}});

  typeName.name = typeName.key = "__typename";
  typeName.type = describe.parse("String!");
  typeName.source = Source::introspection;
  schemaField.name = "__schema";
  schemaField.type = describe.parse("__Schema!");
  schemaField.source = Source::schema;
  typeField.name = "__type";
  typeField.type = describe.parse("__Type");
  typeField.source = Source::type;
  typeField.arguments.push_back({"name", "", describe.parse("String!")});
}

const Type* BuiltIn::scalar(Scalar which) const {
  return scalars_[static_cast<size_t>(which)];
}

const DirectiveType* BuiltIn::directive(std::string_view name) const {
  const auto found = std::ranges::find(directives, name, &DirectiveType::name);
  return found == directives.end() ? nullptr : &*found;
}

const BuiltIn& builtIn() {
  static const BuiltIn all;
  return all;
}

}  // namespace mb::graphql
