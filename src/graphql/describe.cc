#include "graphql/describe.h"

#include "document/json.h"

namespace mb::graphql {

namespace {

class Describer {
 public:
  Describer(std::string& out, const Schema& schema) : out_(out), schema_(schema) {}

  void schema(const std::vector<Planned>& fields) {
    object(fields, [&](const Planned& each) {
      const std::string& name = each.field->key;
      if (name == "types") return list(schema_.all(), [&](const Type* one) { type(*one, each.children); });
      if (name == "queryType") return type(schema_.query(), each.children);
      if (name == "mutationType" && schema_.mutation()) return type(*schema_.mutation(), each.children);
      if (name == "directives") {
        return list(builtIn().directives, [&](const DirectiveType& one) { directive(one, each.children); });
      }
      null();
    });
  }

  void type(const Type& type, const std::vector<Planned>& fields) {
    object(fields, [&](const Planned& each) { typeField(type, each); });
  }

 private:
  static std::string_view kindOf(const Type& type) {
    switch (type.kind) {
      case TypeKind::scalar:
        return "SCALAR";
      case TypeKind::object:
        return "OBJECT";
      case TypeKind::inputObject:
        return "INPUT_OBJECT";
      case TypeKind::enumeration:
        return "ENUM";
      case TypeKind::list:
        return "LIST";
      case TypeKind::nonNull:
        break;
    }
    return "NON_NULL";
  }

  void typeField(const Type& type, const Planned& each) {
    const std::string& name = each.field->key;
    if (name == "kind") return text(kindOf(type));
    if (name == "name") return textOrNull(type.name);
    if (name == "description") return textOrNull(type.description);
    if (name == "ofType" && type.of) return this->type(*type.of, each.children);
    if (name == "fields" && type.kind == TypeKind::object) {
      return list(type.fields, [&](const Field& one) { field(one, each.children); });
    }
    if (name == "interfaces" && type.kind == TypeKind::object) {
      out_ += "[]";
      return;
    }
    if (name == "enumValues" && type.kind == TypeKind::enumeration) {
      return list(type.values, [&](const std::string& one) { enumValue(one, each.children); });
    }
    if (name == "inputFields" && type.kind == TypeKind::inputObject) return inputs(type.inputs, each);
    if (name == "isOneOf" && type.kind == TypeKind::inputObject) return boolean(false);
    null();
  }

  void field(const Field& field, const std::vector<Planned>& fields) {
    object(fields, [&](const Planned& each) {
      const std::string& name = each.field->key;
      if (name == "name") return text(field.name);
      if (name == "description") return textOrNull(field.description);
      if (name == "args") return inputs(field.arguments, each);
      if (name == "type") return type(*field.type, each.children);
      if (name == "isDeprecated") return boolean(false);
      null();
    });
  }

  void inputs(const std::vector<InputValue>& all, const Planned& each) {
    list(all, [&](const InputValue& one) { input(one, each.children); });
  }

  void input(const InputValue& input, const std::vector<Planned>& fields) {
    object(fields, [&](const Planned& each) {
      const std::string& name = each.field->key;
      if (name == "name") return text(input.name);
      if (name == "description") return textOrNull(input.description);
      if (name == "type") return type(*input.type, each.children);
      if (name == "defaultValue" && !input.defaultValue.empty()) return text(input.defaultValue);
      if (name == "isDeprecated") return boolean(false);
      null();
    });
  }

  void enumValue(const std::string& value, const std::vector<Planned>& fields) {
    object(fields, [&](const Planned& each) {
      if (each.field->key == "name") return text(value);
      if (each.field->key == "isDeprecated") return boolean(false);
      null();
    });
  }

  void directive(const DirectiveType& directive, const std::vector<Planned>& fields) {
    object(fields, [&](const Planned& each) {
      const std::string& name = each.field->key;
      if (name == "name") return text(directive.name);
      if (name == "description") return textOrNull(directive.description);
      if (name == "isRepeatable") return boolean(false);
      if (name == "locations") return list(directive.locations, [&](const std::string& one) { text(one); });
      if (name == "args") return inputs(directive.arguments, each);
      null();
    });
  }

  // ---- writing

  template <class Write>
  void object(const std::vector<Planned>& fields, const Write& write) {
    out_ += '{';
    for (size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) out_ += ',';
      out_ += fields[i].keyText;
      fields[i].field->key == "__typename" ? text(fields[i].parent->name) : write(fields[i]);
    }
    out_ += '}';
  }
  template <class All, class Write>
  void list(const All& all, const Write& write) {
    out_ += '[';
    bool first = true;
    for (const auto& each : all) {
      if (!first) out_ += ',';
      first = false;
      write(each);
    }
    out_ += ']';
  }
  void text(std::string_view text) { doc::writeJsonString(out_, text); }
  void textOrNull(std::string_view given) { given.empty() ? null() : text(given); }
  void boolean(bool value) { out_ += value ? "true" : "false"; }
  void null() { out_ += "null"; }

  std::string& out_;
  const Schema& schema_;
};

}  // namespace

void describeSchema(std::string& out, const Schema& schema, const std::vector<Planned>& fields) {
  Describer(out, schema).schema(fields);
}

void describeType(std::string& out, const Schema& schema, const Type& type, const std::vector<Planned>& fields) {
  Describer(out, schema).type(type, fields);
}

}  // namespace mb::graphql
