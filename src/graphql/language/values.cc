#include "graphql/language/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/clock.h"
#include "document/json.h"

namespace mb::graphql {

namespace {

std::string quotedString(std::string_view text) {
  std::string out;
  doc::writeJsonString(out, text);
  return out;
}

std::optional<int64_t> wholeNumber(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<double> realNumber(std::string_view digits) {
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && std::isfinite(value)) return value;
  // Too small to be distinguished from zero.
  const size_t exponent = digits.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos && digits.substr(exponent + 1).starts_with('-');
  if (error == std::errc::result_out_of_range && tiny) return 0.0;
  return std::nullopt;
}

bool fitsInt(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
}

std::string refusal(Scalar scalar, const std::string& shown) {
  switch (scalar) {
    case Scalar::id:
      return "ID cannot represent a non-string and non-integer value: " + shown;
    case Scalar::string:
      return "String cannot represent a non string value: " + shown;
    case Scalar::integer:
      return "Int cannot represent non-integer value: " + shown;
    case Scalar::real:
      return "Float cannot represent non numeric value: " + shown;
    case Scalar::boolean:
      return "Boolean cannot represent a non boolean value: " + shown;
    case Scalar::dateTime:
      return "DateTime cannot represent a value that is not an RFC 3339 time: " + shown;
    case Scalar::json:
    case Scalar::condition:
    case Scalar::none:
      break;
  }
  return "this value cannot be represented: " + shown;
}

// The message for a number out of the range of a double, at any depth; nullopt without one.
std::optional<std::string> unreadable(const Value& value) {
  if ((value.kind == ValueKind::integer || value.kind == ValueKind::real) && !realNumber(value.name)) {
    return "this number is out of range: " + std::string(value.name);
  }
  for (const Value& item : value.items) {
    if (auto problem = unreadable(item)) return problem;
  }
  for (const ObjectField& field : value.fields) {
    if (auto problem = unreadable(field.value)) return problem;
  }
  return std::nullopt;
}

void appendNumber(doc::BsonWriter& out, std::string_view key, std::string_view digits, bool real) {
  const auto whole = real ? std::nullopt : wholeNumber(digits);
  if (whole) {
    out.appendInteger(key, *whole);
  } else {
    out.appendReal(key, realNumber(digits).value_or(0));
  }
}

// Appends a literal unchanged, for scalars that accept any value.
bool appendPlain(doc::BsonWriter& out, std::string_view key, const Value& value, doc::DocumentView variables) {
  switch (value.kind) {
    case ValueKind::variable: {
      const auto given = variables.find(value.name);
      if (given) out.append(key, *given);
      return given.has_value();
    }
    case ValueKind::integer:
    case ValueKind::real:
      appendNumber(out, key, value.name, value.kind == ValueKind::real);
      return true;
    case ValueKind::string:
      out.appendString(key, value.text);
      return true;
    case ValueKind::boolean:
      out.appendBool(key, value.name == "true");
      return true;
    case ValueKind::null:
      out.appendNull(key);
      return true;
    case ValueKind::enumeration:
      out.appendString(key, value.name);
      return true;
    case ValueKind::list:
      out.beginArray(key);
      for (size_t i = 0; i < value.items.size(); ++i) {
        const std::string position = std::to_string(i);
        if (!appendPlain(out, position, value.items[i], variables)) out.appendNull(position);
      }
      out.end();
      return true;
    case ValueKind::object:
      out.beginDocument(key);
      for (const ObjectField& field : value.fields) appendPlain(out, field.name, field.value, variables);
      out.end();
      return true;
  }
  return false;
}

bool appendLeaf(doc::BsonWriter& out, std::string_view key, const Value& value, const Type& type,
                doc::DocumentView variables) {
  if (type.scalar == Scalar::id && value.kind == ValueKind::integer) {
    out.appendString(key, value.name);
    return true;
  }
  if (type.scalar == Scalar::real && (value.kind == ValueKind::integer || value.kind == ValueKind::real)) {
    appendNumber(out, key, value.name, value.kind == ValueKind::real);
    return true;
  }
  return appendPlain(out, key, value, variables);
}

// ---- variables

class VariableReader {
 public:
  VariableReader(std::string_view name, uint32_t at, Problems& problems) : name_(name), at_(at), problems_(problems) {}

  void append(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Type& type) {
    if (type.kind == TypeKind::nonNull) {
      if (value.type() == doc::BsonType::null) {
        return wrong(value, fmt::format("Expected non-nullable type \"{}\" not to be null.", type.text()));
      }
      return append(out, key, value, *type.of);
    }
    if (value.type() == doc::BsonType::null) return out.appendNull(key);
    if (type.kind == TypeKind::list) return appendList(out, key, value, type);
    if (type.kind == TypeKind::inputObject) return appendObject(out, key, value, type);
    appendScalar(out, key, value, type);
  }

 private:
  static constexpr size_t kMaxProblems = 50;

  void wrong(doc::ValueView value, const std::string& what) {
    if (problems_.size() >= kMaxProblems) return;
    std::string shown;
    doc::writeJsonValue(shown, value);
    const std::string where = path_.empty() ? "" : fmt::format(" at \"{}{}\"", name_, path_);
    problems_.push_back({shortened(fmt::format("Variable \"${}\" got invalid value {}{}; {}", name_,
                                               shortened(std::move(shown)), where, what)),
                         {at_}});
  }
  template <class Work>
  void inside(const std::string& step, const Work& work) {
    const size_t before = path_.size();
    path_ += step;
    work();
    path_.resize(before);
  }

  void appendList(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Type& type) {
    out.beginArray(key);
    if (value.type() == doc::BsonType::array) {
      for (const doc::Element& each : value.asDocument()) {
        inside(fmt::format("[{}]", each.key), [&] { append(out, each.key, each.value, *type.of); });
      }
    } else {
      append(out, "0", value, *type.of);
    }
    out.end();
  }

  void appendObject(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Type& type) {
    if (value.type() != doc::BsonType::document) {
      return wrong(value, fmt::format("Expected type \"{}\" to be an object.", type.name));
    }
    out.beginDocument(key);
    for (const doc::Element& each : value.asDocument()) {
      const InputValue* input = type.input(each.key);
      if (input) {
        inside("." + std::string(each.key), [&] { append(out, each.key, each.value, *input->type); });
      } else {
        wrong(value, fmt::format("Field \"{}\" is not defined by type \"{}\".", each.key, type.name));
      }
    }
    out.end();
  }

  void appendScalar(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Type& type) {
    const bool fits = type.kind == TypeKind::enumeration ? isOneOf(value, type) : accepts(value, type.scalar);
    const std::optional<int64_t> whole = value.isNumber() ? value.toInteger() : std::nullopt;
    if (!fits) {
      std::string shown;
      doc::writeJsonValue(shown, value);
      const bool tooLarge =
          type.scalar == Scalar::integer && value.isNumber() && (whole || std::fabs(value.toReal()) > 1e15);
      return wrong(value, tooLarge ? "Int cannot represent non 32-bit signed integer value: " + shown
                                   : refusal(type.scalar, shown));
    }
    if (type.scalar == Scalar::id && whole) return out.appendString(key, std::to_string(*whole));
    if (type.scalar == Scalar::integer && whole) return out.appendInteger(key, *whole);
    out.append(key, value);
  }

  static bool isOneOf(doc::ValueView value, const Type& type) {
    return value.type() == doc::BsonType::string &&
           std::ranges::find(type.values, value.asString()) != type.values.end();
  }
  static bool accepts(doc::ValueView value, Scalar scalar) {
    const std::optional<int64_t> whole = value.isNumber() ? value.toInteger() : std::nullopt;
    switch (scalar) {
      case Scalar::id:
        return value.type() == doc::BsonType::string || whole;
      case Scalar::string:
        return value.type() == doc::BsonType::string;
      case Scalar::integer:
        return whole && fitsInt(*whole);
      case Scalar::real:
        return value.isNumber();
      case Scalar::boolean:
        return value.type() == doc::BsonType::boolean;
      case Scalar::dateTime:
        return value.type() == doc::BsonType::date ||
               (value.type() == doc::BsonType::string && parseRfc3339(value.asString()));
      case Scalar::json:
      case Scalar::condition:
        return true;
      case Scalar::none:
        break;
    }
    return false;
  }

  const std::string_view name_;
  const uint32_t at_;
  Problems& problems_;
  std::string path_;
};

}  // namespace

std::string printed(const Value& value) {
  switch (value.kind) {
    case ValueKind::variable:
      return "$" + std::string(value.name);
    case ValueKind::string:
      return quotedString(value.text);
    case ValueKind::null:
      return "null";
    case ValueKind::integer:
    case ValueKind::real:
    case ValueKind::boolean:
    case ValueKind::enumeration:
      return std::string(value.name);
    case ValueKind::list: {
      std::string out = "[";
      for (const Value& item : value.items) out += (out.size() > 1 ? ", " : "") + printed(item);
      return out + "]";
    }
    case ValueKind::object:
      break;
  }
  std::string out = "{";
  for (const ObjectField& field : value.fields) {
    out += (out.size() > 1 ? ", " : "") + std::string(field.name) + ": " + printed(field.value);
  }
  return out + "}";
}

std::optional<std::string> leafProblem(const Value& value, const Type& type) {
  if (type.kind == TypeKind::enumeration) {
    const bool known =
        value.kind == ValueKind::enumeration && std::ranges::find(type.values, value.name) != type.values.end();
    if (known) return std::nullopt;
    return fmt::format("Value \"{}\" does not exist in \"{}\" enum.", printed(value), type.name);
  }
  bool fits = true;
  switch (type.scalar) {
    case Scalar::id:
      fits = value.kind == ValueKind::string || value.kind == ValueKind::integer;
      break;
    case Scalar::string:
      fits = value.kind == ValueKind::string;
      break;
    case Scalar::integer: {
      fits = value.kind == ValueKind::integer;
      const auto whole = wholeNumber(value.name);
      if (fits && (!whole || !fitsInt(*whole))) {
        return "Int cannot represent non 32-bit signed integer value: " + std::string(value.name);
      }
      break;
    }
    case Scalar::real:
      fits = (value.kind == ValueKind::integer || value.kind == ValueKind::real) && realNumber(value.name);
      break;
    case Scalar::boolean:
      fits = value.kind == ValueKind::boolean;
      break;
    case Scalar::dateTime:
      fits = value.kind == ValueKind::string && parseRfc3339(value.text);
      break;
    case Scalar::json:
    case Scalar::condition:
    case Scalar::none:
      return unreadable(value);
  }
  if (fits) return std::nullopt;
  return refusal(type.scalar, printed(value));
}

const Type* declaredType(const Schema& schema, Types& types, const TypeNode& node) {
  const Type* type = node.items ? declaredType(schema, types, *node.items) : schema.find(node.name);
  if (type && node.items) type = types.list(type);
  return type && node.nonNull ? types.nonNull(type) : type;
}

std::expected<Variables, Problems> coerceVariables(const Schema& schema, const Operation& operation,
                                                   doc::DocumentView given) {
  Problems problems;
  Types types;
  doc::BsonWriter out;
  for (const VariableDefinition& variable : operation.variables) {
    const Type* type = declaredType(schema, types, variable.type);
    const auto value = given.find(variable.name);
    const bool nonNull = type->kind == TypeKind::nonNull;
    if (!value && variable.fallback) {
      appendLiteral(out, variable.name, *variable.fallback, *type, doc::DocumentView());
    } else if (!value) {
      if (!nonNull) continue;
      problems.push_back(
          {fmt::format("Variable \"${}\" of required type \"{}\" was not provided.", variable.name, type->text()),
           {variable.at}});
    } else if (value->type() == doc::BsonType::null && nonNull) {
      problems.push_back(
          {fmt::format("Variable \"${}\" of non-null type \"{}\" must not be null.", variable.name, type->text()),
           {variable.at}});
    } else {
      VariableReader(variable.name, variable.at, problems).append(out, variable.name, *value, *type);
    }
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return out.finish();
}

bool appendLiteral(doc::BsonWriter& out, std::string_view key, const Value& value, const Type& type,
                   doc::DocumentView variables) {
  if (type.kind == TypeKind::nonNull) return appendLiteral(out, key, value, *type.of, variables);
  if (value.kind == ValueKind::variable || value.kind == ValueKind::null) {
    return appendPlain(out, key, value, variables);
  }
  if (type.kind == TypeKind::list) {
    out.beginArray(key);
    if (value.kind == ValueKind::list) {
      for (size_t i = 0; i < value.items.size(); ++i) {
        const std::string position = std::to_string(i);
        if (!appendLiteral(out, position, value.items[i], *type.of, variables)) out.appendNull(position);
      }
    } else {
      appendLiteral(out, "0", value, *type.of, variables);
    }
    out.end();
    return true;
  }
  if (type.kind == TypeKind::inputObject) {
    out.beginDocument(key);
    for (const ObjectField& field : value.fields) {
      const InputValue* input = type.input(field.name);
      if (input) appendLiteral(out, field.name, field.value, *input->type, variables);
    }
    out.end();
    return true;
  }
  return appendLeaf(out, key, value, type, variables);
}

Parsed<doc::Document> coerceArguments(const std::vector<InputValue>& declared, const std::vector<Argument>& given,
                                      doc::DocumentView variables, uint32_t at) {
  doc::BsonWriter out;
  for (const InputValue& input : declared) {
    const auto argument = std::ranges::find(given, input.name, &Argument::name);
    const bool nonNull = input.type->kind == TypeKind::nonNull;
    const bool there =
        argument != given.end() && appendLiteral(out, input.name, argument->value, *input.type, variables);
    if (!nonNull) continue;
    if (!there) {
      return std::unexpected(Problem{
          fmt::format("Argument \"{}\" of required type \"{}\" was not provided.", input.name, input.type->text()),
          {at}});
    }
    const Value& value = argument->value;
    const auto variable = value.kind == ValueKind::variable ? variables.find(value.name) : std::nullopt;
    if (variable && variable->type() == doc::BsonType::null) {
      return std::unexpected(Problem{
          fmt::format("Argument \"{}\" of non-null type \"{}\" must not be null.", input.name, input.type->text()),
          {value.at}});
    }
  }
  return out.finish();
}

}  // namespace mb::graphql
