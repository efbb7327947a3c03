// Builds types from collections and their JSON Schemas.
#include <algorithm>
#include <atomic>
#include <limits>
#include <set>

#include "data/schema_references.h"
#include "document/schema.h"
#include "graphql/language/names.h"
#include "graphql/language/profile_type.h"
#include "graphql/language/schema.h"

namespace mb::graphql {

namespace {

// Nested objects become types of their own up to this depth, and JSON below.
constexpr int kMaxLevels = 8;
// The limit of properties of all collections together; a collection that exceeds it is treated as one without a schema.
constexpr size_t kMaxProperties = 50'000;

constexpr std::string_view kServerFields[] = {"id", "createdAt", "updatedAt", "ownerId"};
constexpr std::string_view kLogicWords[] = {"and", "or", "nor", "not"};

bool isServerField(std::string_view name) {
  return std::ranges::find(kServerFields, name) != std::end(kServerFields);
}

std::optional<doc::DocumentView> objectAt(doc::DocumentView schema, std::string_view key) {
  const auto found = schema.find(key);
  if (!found || found->type() != doc::BsonType::document) return std::nullopt;
  return found->asDocument();
}

// Whether the schema has an enum of strings only.
bool onlyStrings(doc::DocumentView schema) {
  const auto allowed = schema.find("enum");
  if (!allowed || allowed->type() != doc::BsonType::array || allowed->asDocument().empty()) return false;
  for (const doc::Element& each : allowed->asDocument()) {
    if (each.value.type() != doc::BsonType::string) return false;
  }
  return true;
}

// The only type besides null that a schema allows; "" if there is no single one.
std::string_view typeNameOf(doc::DocumentView schema) {
  for (const std::string_view key : {"allOf", "anyOf", "oneOf", "not"}) {
    if (schema.find(key)) return "";
  }
  const auto type = schema.find("type");
  if (!type) return onlyStrings(schema) ? "string" : "";
  if (type->type() == doc::BsonType::string) return type->asString();
  std::string_view only;
  if (type->type() != doc::BsonType::array) return "";
  for (const doc::Element& each : type->asDocument()) {
    if (each.value.type() != doc::BsonType::string || each.value.asString() == "null") continue;
    if (!only.empty()) return "";
    only = each.value.asString();
  }
  return only;
}

bool beyondInt(doc::DocumentView schema) {
  for (const std::string_view key : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
    const auto bound = schema.find(key);
    if (!bound || !bound->isNumber()) continue;
    const double value = bound->toReal();
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) return true;
  }
  return false;
}

Scalar scalarOf(doc::DocumentView schema) {
  const std::string_view form = schema.stringOr("x-bson");
  if (form == "date") return Scalar::dateTime;
  if (!form.empty()) return Scalar::string;
  const std::string_view type = typeNameOf(schema);
  if (type == "string") return schema.stringOr("format") == "date-time" ? Scalar::dateTime : Scalar::string;
  if (type == "integer") return beyondInt(schema) ? Scalar::real : Scalar::integer;
  if (type == "number") return Scalar::real;
  if (type == "boolean") return Scalar::boolean;
  return Scalar::json;
}

size_t countProperties(doc::DocumentView schema, int level) {
  size_t count = 0;
  if (const auto items = objectAt(schema, "items")) count += countProperties(*items, level);
  const auto properties = objectAt(schema, "properties");
  if (!properties || level > kMaxLevels) return count;
  for (const doc::Element& each : *properties) {
    ++count;
    if (each.value.type() == doc::BsonType::document) count += countProperties(each.value.asDocument(), level + 1);
  }
  return count;
}

bool hasUsable(doc::DocumentView properties) {
  for (const doc::Element& each : properties) {
    if (each.value.type() == doc::BsonType::document && !graphqlName(each.key).empty()) return true;
  }
  return false;
}

}  // namespace

class SchemaBuilder {
 public:
  SchemaBuilder(Schema& schema, std::vector<data::CollectionPtr> collections,
                const std::vector<std::string>& searchable, std::vector<std::string> hidden,
                std::vector<std::string> profileFields)
      : schema_(schema) {
    schema_.profileFields_ = std::move(profileFields);
    schema_.collections_ = std::move(collections);
    schema_.searchable_ = searchable;
    schema_.hidden_ = std::move(hidden);
    std::ranges::sort(schema_.hidden_);
    std::ranges::sort(schema_.collections_, {}, [](const auto& each) { return each->info.number; });
  }

  void build() {
    for (const Type& type : builtIn().types.all()) typeNames_.insert(type.name);
    typeNames_.insert({"Query", "Mutation", "Subscription"});
    for (const auto& collection : schema_.collections_) declare(*collection);
    query_ = &types().add(TypeKind::object, "Query", "The operations that read.");
    if (declared_.empty()) {
      Field empty;
      empty.name = "_empty";
      empty.description = "There are no collections here.";
      empty.type = scalar(Scalar::boolean);
      empty.source = Source::nothing;
      query_->fields.push_back(std::move(empty));
    } else {
      mutation_ = &types().add(TypeKind::object, "Mutation", "The operations that write.");
    }
    if (!schema_.profileFields_.empty() && std::ranges::any_of(declared_, refersToUsers)) addProfile();
    for (Declared& each : declared_) describe(each);
    for (Declared& each : declared_) addRoots(each);
    publish();
  }

 private:
  struct Declared {
    const data::Collection& collection;
    std::string base;  // of the query's fields
    Type* type = nullptr;
    Type* filter = nullptr;
    Type* input = nullptr;
    Type* patch = nullptr;
    bool searchable = false;
  };
  // The output and the input type of a property.
  struct PropertyTypes {
    const Type* out = nullptr;
    const Type* in = nullptr;
  };
  // The types of one object, to which properties are added.
  struct ObjectTypes {
    Type& out;
    std::vector<Type*> in;
    Type* filter = nullptr;  // of a collection itself
    std::string_view name;   // prefix of the types of nested objects
    int level = 1;
  };

  Types& types() { return schema_.types_; }
  static const Type* scalar(Scalar which) { return builtIn().scalar(which); }

  static std::vector<std::string> queryFieldsOf(const std::string& base) {
    return {base, base + "ById", base + "Count", base + "Search"};
  }
  static std::vector<std::string> typesOf(const std::string& base) {
    const std::string type = capitalized(base);
    return {type, type + "Filter", type + "Input", type + "Patch"};
  }
  static std::vector<std::string> mutationsOf(const std::string& base) {
    const std::string type = capitalized(base);
    return {"create" + type, "update" + type, "replace" + type, "delete" + type};
  }
  static bool free(const std::set<std::string>& taken, const std::vector<std::string>& names) {
    return std::ranges::none_of(names, [&](const std::string& name) { return taken.contains(name); });
  }

  void declare(const data::Collection& collection) {
    std::string base = graphqlName(collection.name());
    while (!free(typeNames_, typesOf(base)) || !free(queryNames_, queryFieldsOf(base)) ||
           !free(mutationNames_, mutationsOf(base))) {
      base += '_';
    }
    const std::vector<std::string> names = typesOf(base);
    typeNames_.insert(names.begin(), names.end());
    for (std::string& field : queryFieldsOf(base)) queryNames_.insert(std::move(field));
    for (std::string& field : mutationsOf(base)) mutationNames_.insert(std::move(field));
    // A hidden collection reserves its names, so that others have the same names for every caller.
    if (isHidden(collection.name())) return;
    Declared made{collection, base};
    made.type = &types().add(TypeKind::object, names[0], "A document of " + collection.name() + ".");
    made.filter = &types().add(TypeKind::inputObject, names[1], "A filter of documents of " + collection.name() + ".");
    made.input = &types().add(TypeKind::inputObject, names[2], "A whole document of " + collection.name() + ".");
    made.patch =
        &types().add(TypeKind::inputObject, names[3], "The fields to change; an object or list replaces the old one.");
    made.searchable = std::ranges::find(schema_.searchable_, collection.name()) != schema_.searchable_.end();
    made.type->collection = made.filter->collection = made.input->collection = made.patch->collection =
        collection.name();
    schema_.byCollection_.emplace(collection.name(), made.type);
    declared_.push_back(std::move(made));
  }

  bool isHidden(std::string_view collection) const {
    return std::ranges::binary_search(schema_.hidden_, collection, std::ranges::less());
  }

  std::string freeTypeName(std::string wanted) {
    while (typeNames_.contains(wanted)) wanted += '_';
    typeNames_.insert(wanted);
    return wanted;
  }

  // ---- end users

  static bool refersToUsers(const Declared& each) {
    return std::ranges::any_of(each.collection.references,
                               [](const auto& names) { return names.second == data::kEndUsers; });
  }

  void addProfile() {
    const Type& profile = addProfileType(types(), schema_.profileFields_, freeTypeName("UserProfile"),
                                         freeTypeName("UserProfileMetadata"));
    schema_.byCollection_.emplace(profile.collection, &profile);
  }

  // ---- the fields of a collection

  void describe(Declared& each) {
    addServerFields(each);
    for (const std::string_view word : kLogicWords) {
      const Type* type =
          word == "not" ? static_cast<const Type*>(each.filter) : types().list(types().nonNull(each.filter));
      each.filter->inputs.push_back({std::string(word), "", type, std::string(word)});
    }
    const doc::DocumentView source = each.collection.schemaSource;
    const size_t properties = countProperties(source, 1);
    if (!each.collection.schemaSource.empty() && properties <= left_) {
      left_ -= properties;
      addProperties(source, {*each.type, {each.input, each.patch}, each.filter, each.type->name, 1});
    } else {
      addRest(each);
    }
    if (each.searchable && !each.type->field("_score")) {
      Field score;
      score.name = "_score";
      score.description = "The score of a search hit; higher is nearer. Null elsewhere.";
      score.type = scalar(Scalar::real);
      score.source = Source::score;
      each.type->fields.push_back(std::move(score));
    }
  }

  // Only fields that every document has and that no rule of this collection hides, from whatever callers, are non-null.
  void addServerFields(Declared& each) {
    for (const std::string_view name : kServerFields) {
      const bool isId = name == "id" || name == "ownerId";
      Field field;
      field.name = field.key = name;
      field.type = scalar(isId ? Scalar::id : Scalar::dateTime);
      const auto& policy = each.collection.policy;
      const bool hidden = policy && policy->deniedReadFields(policy::ReaderKind::anonymous).covers(name);
      if (name != "ownerId" && !hidden) {
        field.type = types().nonNull(field.type);
      }
      each.type->fields.push_back(field);
      addFilter(*each.filter, field.name, field.key);
      if (isId) each.input->inputs.push_back({field.name, "", scalar(Scalar::id), field.key});
      if (name == "ownerId") each.patch->inputs.push_back({field.name, "", scalar(Scalar::id), field.key});
    }
  }

  void addRest(Declared& each) {
    Field rest;
    rest.name = "data";
    rest.description = "All fields but those of the server.";
    rest.type = scalar(Scalar::json);
    rest.source = Source::rest;
    each.type->hasRest = true;
    each.type->fields.push_back(rest);
    each.filter->inputs.push_back({"data", "Conditions on fields of the document.", scalar(Scalar::json), "data"});
    each.input->hasRest = each.patch->hasRest = true;
    for (Type* type : {each.input, each.patch}) {
      type->inputs.push_back({"data", "The document's own fields.", scalar(Scalar::json), "data"});
    }
  }

  static void addFilter(Type& filter, const std::string& name, const std::string& key) {
    if (!filter.input(name)) filter.inputs.push_back({name, "", scalar(Scalar::condition), key});
  }

  void addProperties(doc::DocumentView schema, const ObjectTypes& of) {
    const auto properties = objectAt(schema, "properties");
    if (!properties) return;
    std::set<std::string> declared;
    for (const doc::Element& each : *properties) declared.insert(graphqlName(each.key));
    for (const doc::Element& each : *properties) {
      const std::string name = graphqlName(each.key);
      const bool ofServer = of.filter && isServerField(each.key);
      if (name.empty() || ofServer || each.value.type() != doc::BsonType::document || of.out.field(name)) continue;
      addProperty(name, each.key, each.value.asDocument(), declared, of);
    }
  }

  void addProperty(const std::string& name, std::string_view key, doc::DocumentView schema,
                   const std::set<std::string>& declared, const ObjectTypes& of) {
    const auto items = objectAt(schema, "items");
    const std::string_view own = doc::referencedCollectionOf(schema);
    const std::string_view target = own.empty() && items ? doc::referencedCollectionOf(*items) : own;
    const Type* related = target.empty() ? nullptr : schema_.typeOf(target);
    if (related || isHidden(target)) {
      return addRelation(name, key, related, own.empty(), declared, of);
    }
    const PropertyTypes property =
        target.empty() ? propertyTypes(schema, std::string(of.name) + capitalized(name), of.level) : ids(own.empty());
    Field field;
    field.name = name;
    field.key = key;
    field.description = schema.stringOr("description");
    field.type = property.out;
    of.out.fields.push_back(field);
    for (Type* in : of.in) in->inputs.push_back({name, field.description, property.in, field.key});
    if (of.filter) addFilter(*of.filter, name, field.key);
  }

  PropertyTypes ids(bool many) {
    const Type* type = scalar(Scalar::id);
    if (many) type = types().list(type);
    return {type, type};
  }

  // Adds the object under the property's name without "Id", and the id under the name with it. Only the id if the
  // target is hidden (`related` is null).
  void addRelation(const std::string& name, std::string_view key, const Type* related, bool many,
                   const std::set<std::string>& declared, const ObjectTypes& of) {
    std::string object = name;
    std::string id = name + "Id";
    for (const std::string_view ending : {"_id", "Id", "Ids", "_ids"}) {
      if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
      id = name;
      object = name.substr(0, name.size() - ending.size()) + (ending.ends_with('s') ? "s" : "");
    }
    std::string& made = id == name ? object : id;
    while (declared.contains(made) || of.out.field(made)) made += '_';
    const Type* idType = ids(many).out;
    if (related) {
      Field reference;
      reference.name = object;
      reference.key = key;
      reference.type = many ? types().list(types().nonNull(related)) : related;
      reference.source = Source::relation;
      reference.collection = related->collection;
      reference.description = "Null if it cannot be read.";
      of.out.fields.push_back(std::move(reference));
    }
    Field plain;
    plain.name = id;
    plain.key = key;
    plain.type = idType;
    of.out.fields.push_back(std::move(plain));
    for (const std::string& each : id == name ? std::vector{name} : std::vector{name, id}) {
      for (Type* in : of.in) in->inputs.push_back({each, "", idType, std::string(key)});
      if (of.filter) addFilter(*of.filter, each, std::string(key));
    }
  }

  PropertyTypes propertyTypes(doc::DocumentView schema, const std::string& name, int level) {
    const std::string_view type = schema.find("x-bson") ? "" : typeNameOf(schema);
    if (type == "array") {
      const auto items = objectAt(schema, "items");
      if (!items) return {scalar(Scalar::json), scalar(Scalar::json)};
      const PropertyTypes each = propertyTypes(*items, name, level);
      return {types().list(each.out), types().list(each.in)};
    }
    if (type == "object" && level <= kMaxLevels) {
      if (const auto object = objectTypes(schema, name, level)) return *object;
    }
    const Type* plain = scalar(scalarOf(schema));
    return {plain, plain};
  }

  std::optional<PropertyTypes> objectTypes(doc::DocumentView schema, const std::string& name, int level) {
    const auto properties = objectAt(schema, "properties");
    if (!properties || !hasUsable(*properties)) return std::nullopt;
    Type& out = types().add(TypeKind::object, freeTypeName(name), std::string(schema.stringOr("description")));
    Type& in = types().add(TypeKind::inputObject, freeTypeName(name + "Input"));
    addProperties(schema, {out, {&in}, nullptr, out.name, level + 1});
    return PropertyTypes{&out, &in};
  }

  // ---- root fields

  // A page of the collection's documents. Its names yield to all others.
  void addPage(const Declared& each, std::vector<InputValue> arguments) {
    Type& type =
        types().add(TypeKind::object, freeTypeName(each.type->name + "Page"), "A page of " + each.type->name + ".");
    const auto add = [&](std::string_view name, std::string_view description, const Type* of) {
      Field field;
      field.name = field.key = name;
      field.description = description;
      field.type = of;
      type.fields.push_back(std::move(field));
    };
    add("documents", "", types().nonNull(types().list(types().nonNull(each.type))));
    add("next", "The cursor of the page that follows, for `after`; null on the last page.", scalar(Scalar::string));
    add("total", "The number of all matches, which are counted where it is selected.", scalar(Scalar::integer));
    std::string name = each.base + "Page";
    while (!queryNames_.insert(name).second) name += '_';
    root(*query_, std::move(name), "A page of documents of " + each.collection.name() + ".", Source::page,
         each.collection.name(), &type, std::move(arguments));
  }

  void addRoots(const Declared& each) {
    const std::string& name = each.collection.name();
    const std::vector<std::string> fields = queryFieldsOf(each.base);
    const std::vector<std::string> changes = mutationsOf(each.base);
    const InputValue id{"id", "", types().nonNull(scalar(Scalar::id))};
    const InputValue filter{"filter", "", each.filter};
    const InputValue limit{"limit", "At most 1000; the default is 50.", scalar(Scalar::integer)};
    const InputValue input{"input", "", types().nonNull(each.input)};
    const InputValue patch{"patch", "", types().nonNull(each.patch)};
    const Type* many = types().list(types().nonNull(each.type));

    const std::vector<InputValue> listed = {
        filter,
        {"sort", "Fields with 1 or -1, such as {createdAt: -1}; the default is ascending id.", scalar(Scalar::json)},
        limit,
        {"skip", "", scalar(Scalar::integer)},
        {"after", "Continues after a page's `next`, or in the order of ids after a document's id.",
         scalar(Scalar::id)}};
    root(*query_, fields[0], "Documents of " + name + ".", Source::list, name, many, listed);
    addPage(each, listed);
    root(*query_, fields[1], "One document of " + name + ".", Source::byId, name, each.type, {id});
    root(*query_, fields[2], "The number of documents of " + name + ".", Source::count, name, scalar(Scalar::integer),
         {filter});
    if (each.searchable) {
      root(*query_, fields[3], "The documents of " + name + " nearest to a text or vector.", Source::search, name, many,
           {{"field", "The vector field; the default is the first one.", scalar(Scalar::string)},
            {"text", "", scalar(Scalar::string)},
            {"vector", "", types().list(types().nonNull(scalar(Scalar::real)))},
            filter,
            limit});
    }
    root(*mutation_, changes[0], "Creates a document.", Source::create, name, each.type, {input});
    root(*mutation_, changes[1], "Changes fields of a document.", Source::update, name, each.type, {id, patch});
    root(*mutation_, changes[2], "Replaces a document by another one.", Source::replace, name, each.type, {id, input});
    root(*mutation_, changes[3], "Deletes a document.", Source::remove, name, scalar(Scalar::boolean), {id});
  }

  static void root(Type& parent, std::string name, std::string description, Source source, std::string collection,
                   const Type* type, std::vector<InputValue> arguments) {
    Field field;
    field.name = std::move(name);
    field.description = std::move(description);
    field.source = source;
    field.collection = std::move(collection);
    field.type = type;
    field.arguments = std::move(arguments);
    parent.fields.push_back(std::move(field));
  }

  void publish() {
    schema_.query_ = query_;
    schema_.mutation_ = mutation_;
    for (const Types* types : {&builtIn().types, static_cast<const Types*>(&schema_.types_)}) {
      for (const Type& type : types->all()) {
        schema_.byName_.emplace(type.name, &type);
        schema_.all_.push_back(&type);
      }
    }
    std::ranges::sort(schema_.all_, {}, &Type::name);
  }

  Schema& schema_;
  std::set<std::string> typeNames_, queryNames_, mutationNames_;
  std::deque<Declared> declared_;
  Type* query_ = nullptr;
  Type* mutation_ = nullptr;
  size_t left_ = kMaxProperties;
};

std::shared_ptr<const Schema> Schema::build(std::vector<data::CollectionPtr> collections,
                                            const std::vector<std::string>& searchable, std::vector<std::string> hidden,
                                            std::vector<std::string> profileFields) {
  static std::atomic<uint64_t> last = 0;
  auto schema = std::make_shared<Schema>();
  schema->number_ = ++last;
  SchemaBuilder(*schema, std::move(collections), searchable, std::move(hidden), std::move(profileFields)).build();
  return schema;
}

}  // namespace mb::graphql
