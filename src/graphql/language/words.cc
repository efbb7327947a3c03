#include "graphql/language/words.h"

#include <algorithm>
#include <set>

#include "document/path.h"

namespace mb::graphql {

namespace {

constexpr size_t kMaxSortKeys = 8;
constexpr std::string_view kOperators[] = {"eq",   "ne",  "gt",     "gte",     "lt",  "lte",
                                           "in",   "nin", "exists", "type",    "all", "elemMatch",
                                           "size", "mod", "regex",  "options", "not"};

bool isOperator(std::string_view word) {
  return std::ranges::find(kOperators, word) != std::end(kOperators);
}

std::unexpected<Error> wrongFilter(std::string message) {
  return fail(ErrorCode::invalidFilter, std::move(message));
}

// Collects conditions; several become one $and.
class Conditions {
 public:
  void add(doc::Document condition) { all_.push_back(std::move(condition)); }
  doc::Document finish() && {
    if (all_.empty()) return {};
    if (all_.size() == 1) return std::move(all_.front());
    doc::BsonWriter out;
    out.beginArray("$and");
    for (size_t i = 0; i < all_.size(); ++i) out.appendDocument(std::to_string(i), all_[i]);
    out.end();
    return out.finish();
  }

 private:
  std::vector<doc::Document> all_;
};

class FilterReader {
 public:
  FilterReader(const Type& shape, const Type& filter) : shape_(shape), filter_(filter) {}

  Result<doc::Document> read(doc::DocumentView given) const {
    Conditions all;
    for (const doc::Element& each : given) {
      const InputValue* input = filter_.input(each.key);
      const bool logic = input && input->type->named().kind == TypeKind::inputObject;
      if (logic) {
        RETURN_IF_ERROR(addLogic(all, each.key, each.value));
      } else if (shape_.hasRest && each.key == "data") {
        RETURN_IF_ERROR(addRest(all, each.value));
      } else if (input) {
        const Field* field = shape_.field(each.key);
        RETURN_IF_ERROR(addCondition(all, input->key, each.value, shapeOf(field)));
      }
    }
    return std::move(all).finish();
  }

 private:
  // The stored value of a relation is an id, whatever the field's type.
  static const Type* shapeOf(const Field* field) {
    return field && field->source == Source::property ? &field->type->named() : nullptr;
  }

  Result<> addLogic(Conditions& all, std::string_view word, doc::ValueView value) const {
    if (value.type() == doc::BsonType::null) return {};
    doc::BsonWriter out;
    out.beginArray(word == "not" ? "$nor" : "$" + std::string(word));
    if (word == "not") {
      TRY(const doc::Document inner, read(value.asDocument()));
      out.appendDocument("0", inner);
    } else {
      for (const doc::Element& each : value.asDocument()) {
        TRY(const doc::Document inner, read(each.value.asDocument()));
        out.appendDocument(each.key, inner);
      }
    }
    out.end();
    all.add(out.finish());
    return {};
  }

  Result<> addRest(Conditions& all, doc::ValueView value) const {
    if (value.type() == doc::BsonType::null) return {};
    if (value.type() != doc::BsonType::document) return wrongFilter("`data` takes an object of fields");
    for (const doc::Element& each : value.asDocument()) {
      if (each.key.starts_with('$')) {
        all.add(single(each.key, each.value));
      } else {
        RETURN_IF_ERROR(addCondition(all, std::string(each.key), each.value, nullptr));
      }
    }
    return {};
  }

  static doc::Document single(std::string_view key, doc::ValueView value) {
    doc::BsonWriter out;
    out.append(key, value);
    return out.finish();
  }

  // Adds the conditions `value` on the field at `path`; `shape` is the field's type, if that has fields.
  static Result<> addCondition(Conditions& all, const std::string& path, doc::ValueView value, const Type* shape) {
    if (value.type() != doc::BsonType::document || value.asDocument().empty()) {
      all.add(single(path, value));
      return {};
    }
    doc::BsonWriter operators;
    bool any = false;
    for (const doc::Element& each : value.asDocument()) {
      const Field* field = shape && shape->isComposite() ? shape->field(each.key) : nullptr;
      if (!field && (each.key.starts_with('$') || isOperator(each.key))) {
        RETURN_IF_ERROR(addOperator(operators, each.key, each.value));
        any = true;
        continue;
      }
      if (shape && shape->isComposite() && !field) {
        return wrongFilter(fmt::format("{} has no field or operator {}", path, each.key));
      }
      const std::string step = field ? field->key : std::string(each.key);
      RETURN_IF_ERROR(addCondition(all, path + "." + step, each.value, shapeOf(field)));
    }
    if (!any) return {};
    const doc::Document condition = operators.finish();
    doc::BsonWriter out;
    out.appendDocument(path, condition);
    all.add(out.finish());
    return {};
  }

  static Result<> addOperator(doc::BsonWriter& out, std::string_view word, doc::ValueView value) {
    const std::string name = word.starts_with('$') ? std::string(word) : "$" + std::string(word);
    const bool nested = (name == "$not" || name == "$elemMatch") && value.type() == doc::BsonType::document;
    if (!nested) {
      out.append(name, value);
      return {};
    }
    bool onlyOperators = true;
    for (const doc::Element& each : value.asDocument()) {
      onlyOperators = onlyOperators && (each.key.starts_with('$') || isOperator(each.key));
    }
    if (onlyOperators) {
      out.beginDocument(name);
      for (const doc::Element& each : value.asDocument()) RETURN_IF_ERROR(addOperator(out, each.key, each.value));
      out.end();
      return {};
    }
    Conditions inner;
    for (const doc::Element& each : value.asDocument()) {
      RETURN_IF_ERROR(addCondition(inner, std::string(each.key), each.value, nullptr));
    }
    const doc::Document all = std::move(inner).finish();
    out.appendDocument(name, all);
    return {};
  }

  const Type& shape_;
  const Type& filter_;
};

// ---- order

std::unexpected<Error> wrongOrder(std::string message) {
  return fail(ErrorCode::invalidParam, std::move(message));
}

class OrderReader {
 public:
  explicit OrderReader(const Type& shape) : shape_(shape) {}

  Result<> read(doc::ValueView given) {
    if (given.type() == doc::BsonType::string) return readText(given.asString());
    if (given.type() == doc::BsonType::array) {
      for (const doc::Element& each : given.asDocument()) {
        if (each.value.type() == doc::BsonType::array)
          return wrongOrder("sort takes an object such as {createdAt: -1}");
        RETURN_IF_ERROR(read(each.value));
      }
      return {};
    }
    if (given.type() != doc::BsonType::document) return wrongOrder("sort takes an object such as {createdAt: -1}");
    for (const doc::Element& each : given.asDocument()) {
      TRY(const int direction, directionOf(each.value));
      RETURN_IF_ERROR(add(each.key, direction));
    }
    return {};
  }
  std::vector<store::SortKey> take() && { return std::move(keys_); }

 private:
  Result<> readText(std::string_view text) {
    while (!text.empty()) {
      const size_t comma = text.find(',');
      std::string_view name = text.substr(0, comma);
      text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
      const bool descending = name.starts_with('-');
      if (descending) name.remove_prefix(1);
      RETURN_IF_ERROR(add(name, descending ? -1 : 1));
    }
    return {};
  }

  static Result<int> directionOf(doc::ValueView value) {
    if (value.isNumber()) {
      const std::optional<int64_t> whole = value.toInteger();
      if (whole && (*whole == 1 || *whole == -1)) return static_cast<int>(*whole);
    }
    if (value.type() == doc::BsonType::string) {
      const std::string_view word = value.asString();
      if (word == "asc" || word == "ASC") return 1;
      if (word == "desc" || word == "DESC") return -1;
    }
    return wrongOrder("sort must name fields, each with 1 or -1");
  }

  Result<> add(std::string_view name, int direction) {
    const Field* field = shape_.field(name);
    const std::string path = field && !field->key.empty() ? field->key : std::string(name);
    if (!doc::FieldPath::parse(path)) return wrongOrder("sort must name valid paths, not " + path);
    keys_.push_back({path, direction});
    if (keys_.size() > kMaxSortKeys) return wrongOrder(fmt::format("sort takes at most {} fields", kMaxSortKeys));
    return {};
  }

  const Type& shape_;
  std::vector<store::SortKey> keys_;
};

// ---- bodies

Result<> writeBody(doc::BsonWriter& out, const Type& input, doc::DocumentView given);

Result<> writeValue(doc::BsonWriter& out, std::string_view key, const Type& type, doc::ValueView value) {
  const Type& named = type.named();
  if (named.kind != TypeKind::inputObject || !value.isContainer()) {
    out.append(key, value);
    return {};
  }
  if (value.type() == doc::BsonType::document) {
    out.beginDocument(key);
    RETURN_IF_ERROR(writeBody(out, named, value.asDocument()));
  } else {
    out.beginArray(key);
    for (const doc::Element& each : value.asDocument()) RETURN_IF_ERROR(writeValue(out, each.key, named, each.value));
  }
  out.end();
  return {};
}

Result<> writeBody(doc::BsonWriter& out, const Type& input, doc::DocumentView given) {
  std::set<std::string, std::less<>> seen;
  const auto once = [&seen](std::string_view key) -> Result<> {
    if (seen.emplace(key).second) return {};
    return fail(ErrorCode::validation, fmt::format("the field {} must not be set twice", key));
  };
  for (const doc::Element& each : given) {
    const InputValue* field = input.input(each.key);
    if (!field) continue;
    if (!input.hasRest || each.key != "data") {
      RETURN_IF_ERROR(once(field->key));
      RETURN_IF_ERROR(writeValue(out, field->key, *field->type, each.value));
      continue;
    }
    if (each.value.type() == doc::BsonType::null) continue;
    if (each.value.type() != doc::BsonType::document) {
      return fail(
          Error(ErrorCode::validation, "`data` takes an object of fields").withDetail("/data", "must be an object"));
    }
    for (const doc::Element& own : each.value.asDocument()) {
      RETURN_IF_ERROR(once(own.key));
      out.append(own.key, own.value);
    }
  }
  return {};
}

}  // namespace

Result<doc::Document> filterOf(const Type& shape, const Type& filter, doc::DocumentView given) {
  return FilterReader(shape, filter).read(given);
}

Result<std::vector<store::SortKey>> orderOf(const Type& shape, doc::ValueView given) {
  OrderReader reader(shape);
  RETURN_IF_ERROR(reader.read(given));
  return std::move(reader).take();
}

Result<doc::Document> bodyOf(const Type& input, doc::DocumentView given) {
  doc::BsonWriter out;
  RETURN_IF_ERROR(writeBody(out, input, given));
  return out.finish();
}

}  // namespace mb::graphql
