#include "graphql/response_writer.h"

#include <limits>

#include "document/json.h"
#include "graphql/language/validator.h"

namespace mb::graphql {

namespace {

bool isServerField(std::string_view key) {
  return key == "id" || key == "createdAt" || key == "updatedAt" || key == "ownerId";
}

std::string shown(doc::ValueView value) {
  std::string text;
  doc::writeJsonValue(text, value);
  return text;
}

// Appends a scalar value in GraphQL's form; false if the scalar type cannot represent it.
bool appendScalar(std::string& out, Scalar scalar, doc::ValueView value) {
  using doc::BsonType;
  const BsonType type = value.type();
  switch (scalar) {
    case Scalar::json:
    case Scalar::condition:
      doc::writeJsonValue(out, value);
      return true;
    case Scalar::id:
    case Scalar::string:
      if (value.isContainer()) return false;
      if (type == BsonType::boolean || type == BsonType::int32 || type == BsonType::int64 || type == BsonType::real) {
        out += '"';
        doc::writeJsonValue(out, value);
        out += '"';
        return scalar == Scalar::string || (type != BsonType::boolean && value.toInteger());
      }
      doc::writeJsonValue(out, value);
      return true;
    case Scalar::integer: {
      if (type == BsonType::boolean) {
        out += value.asBool() ? '1' : '0';
        return true;
      }
      const auto whole = value.isNumber() ? value.toInteger() : std::nullopt;
      if (!whole || *whole < std::numeric_limits<int32_t>::min() || *whole > std::numeric_limits<int32_t>::max()) {
        return false;
      }
      out += std::to_string(*whole);
      return true;
    }
    case Scalar::real:
      if (type == BsonType::boolean) {
        out += value.asBool() ? '1' : '0';
        return true;
      }
      if (type != BsonType::int32 && type != BsonType::int64 && type != BsonType::real) return false;
      doc::writeJsonValue(out, value);
      return true;
    case Scalar::boolean:
      if (type == BsonType::boolean) {
        doc::writeJsonValue(out, value);
        return true;
      }
      if (type != BsonType::int32 && type != BsonType::int64 && type != BsonType::real) return false;
      out += value.toReal() != 0 ? "true" : "false";
      return true;
    case Scalar::dateTime:
      if (type != BsonType::date && type != BsonType::string) return false;
      doc::writeJsonValue(out, value);
      return true;
    case Scalar::none:
      break;
  }
  return false;
}

}  // namespace

doc::ValueView ResponseWriter::Finder::take() {
  const doc::ValueView value = next_->value;
  ++next_;
  return value;
}

std::optional<doc::ValueView> ResponseWriter::Finder::find(std::string_view key) {
  if (next_ != document_.end() && next_->key == key) return take();
  if (searches_ >= kSearches) return lookUp(key);
  ++searches_;
  const auto begun = next_;
  for (; next_ != document_.end(); ++next_) {
    if (next_->key == key) return take();
  }
  for (next_ = document_.begin(); next_ != begun; ++next_) {
    if (next_->key == key) return take();
  }
  return std::nullopt;
}

std::optional<doc::ValueView> ResponseWriter::Finder::lookUp(std::string_view key) {
  const auto keyAt = [this](uint32_t at) { return fields_[at].key; };
  if (!byName_) {
    for (const doc::Element& each : document_) fields_.push_back(each);
    byName_.emplace(fields_.size());
    for (uint32_t i = 0; i < fields_.size(); ++i) byName_->add(fields_[i].key, i, keyAt);
  }
  const auto found = byName_->find(key, keyAt);
  return found ? std::optional(fields_[*found].value) : std::nullopt;
}

void ResponseWriter::addProblem(const Planned& field, Problem problem) {
  if (problems_.size() >= kMaxProblems) return;
  problem.at = field.at;
  for (const Step& step : path_) {
    if (step.field) {
      problem.path.emplace_back(std::string(step.field->key));
    } else {
      problem.path.emplace_back(step.index);
    }
  }
  problems_.push_back(std::move(problem));
}

// Reports a stored value that does not fit its current type in the schema.
ResponseWriter::Outcome ResponseWriter::fail(const Planned& field, std::string message) {
  addProblem(field, {shortened(std::move(message))});
  return Outcome::failed;
}

void ResponseWriter::list(const Planned& root, const std::vector<doc::Document>& documents) {
  path_.assign({{&root, 0}});
  const size_t mark = out_.size();
  out_ += '[';
  for (size_t i = 0; i < documents.size(); ++i) {
    if (i > 0) out_ += ',';
    path_.push_back({nullptr, i});
    const bool written = object(root.children, documents[i]);
    path_.pop_back();
    if (written) continue;
    out_.resize(mark);
    out_ += "null";
    return;
  }
  out_ += ']';
}

void ResponseWriter::document(const Planned& root, const doc::Document& document) {
  path_.assign({{&root, 0}});
  const size_t mark = out_.size();
  if (object(root.children, document)) return;
  out_.resize(mark);
  out_ += "null";
}

bool ResponseWriter::object(const std::vector<Planned>& fields, doc::DocumentView document) {
  Finder in(document);
  out_ += '{';
  bool first = true;
  for (const Planned& each : fields) {
    if (overflowed()) break;
    if (!first) out_ += ',';
    first = false;
    out_ += each.keyText;
    if (!field(each, in)) return false;
  }
  out_ += '}';
  return true;
}

bool ResponseWriter::field(const Planned& field, Finder& in) {
  switch (field.field->source) {
    case Source::rest:
      rest(in.document());
      return true;
    case Source::introspection:  // __typename
      doc::writeJsonString(out_, field.parent->name);
      return true;
    case Source::relation: {
      const size_t mark = out_.size();
      path_.push_back({&field, 0});
      const Outcome outcome = relation(field, in.find(field.field->key));
      path_.pop_back();
      if (outcome == Outcome::written) return true;
      out_.resize(mark);
      out_ += "null";
      return true;
    }
    case Source::score:
      return value(field, *field.field->type, in.find("_score"));
    default: {
      const auto found = in.find(field.field->key);
      return (found && plain(*field.field->type, *found)) || value(field, *field.field->type, found);
    }
  }
}

bool ResponseWriter::plain(const Type& type, doc::ValueView value) {
  const Type& inner = type.kind == TypeKind::nonNull ? *type.of : type;
  if (inner.kind != TypeKind::scalar || value.type() == doc::BsonType::null) return false;
  const size_t mark = out_.size();
  if (appendScalar(out_, inner.scalar, value)) return true;
  out_.resize(mark);
  return false;
}

bool ResponseWriter::value(const Planned& field, const Type& type, std::optional<doc::ValueView> value) {
  const size_t mark = out_.size();
  const bool nonNull = type.kind == TypeKind::nonNull;
  const bool pushed = &type == field.field->type;
  if (pushed) path_.push_back({&field, 0});
  const Outcome outcome = inner(field, nonNull ? *type.of : type, value);
  if (outcome == Outcome::null && nonNull) {
    fail(field, fmt::format("Cannot return null for non-nullable field {}.{}.", field.parent->name, field.field->name));
  }
  if (pushed) path_.pop_back();
  if (outcome == Outcome::written) return true;
  if (nonNull) return false;
  out_.resize(mark);
  out_ += "null";
  return true;
}

ResponseWriter::Outcome ResponseWriter::inner(const Planned& field, const Type& type,
                                              std::optional<doc::ValueView> value) {
  if (!value || value->type() == doc::BsonType::null) return Outcome::null;
  if (type.kind == TypeKind::list) return elements(field, type, *value);
  if (type.kind != TypeKind::object) return leaf(field, type, *value);
  if (value->type() != doc::BsonType::document) {
    return fail(field, fmt::format("Expected an object for field \"{}.{}\".", field.parent->name, field.field->name));
  }
  return object(field.children, value->asDocument()) ? Outcome::written : Outcome::failed;
}

ResponseWriter::Outcome ResponseWriter::elements(const Planned& field, const Type& type, doc::ValueView list) {
  if (list.type() != doc::BsonType::array) {
    return fail(field, fmt::format("Expected Iterable, but did not find one for field \"{}.{}\".", field.parent->name,
                                   field.field->name));
  }
  out_ += '[';
  size_t index = 0;
  for (const doc::Element& each : list.asDocument()) {
    if (index > 0) out_ += ',';
    if (plain(*type.of, each.value)) {
      ++index;
      continue;
    }
    path_.push_back({nullptr, index++});
    const bool written = value(field, *type.of, each.value);
    path_.pop_back();
    if (!written) return Outcome::failed;
  }
  out_ += ']';
  return Outcome::written;
}

ResponseWriter::Outcome ResponseWriter::leaf(const Planned& field, const Type& type, doc::ValueView value) {
  if (appendScalar(out_, type.scalar, value)) return Outcome::written;
  const bool tooLarge = type.scalar == Scalar::integer && value.isNumber() && value.toInteger();
  return fail(field, fmt::format("{} cannot represent {}: {}", type.name,
                                 tooLarge ? "non 32-bit signed integer value" : "value", shown(value)));
}

const doc::Document* ResponseWriter::lookUp(const Related* target, std::string_view id) {
  if (!target) return nullptr;
  const auto found = target->documents.find(id);
  if (found == target->documents.end()) return nullptr;
  const std::optional<doc::Document>& document = found->second;
  return document ? &*document : nullptr;
}

ResponseWriter::Outcome ResponseWriter::relation(const Planned& field, std::optional<doc::ValueView> value) {
  if (!value || value->type() == doc::BsonType::null) return Outcome::null;
  std::optional<std::string_view> first;
  eachReference(*value, [&](std::string_view id) {
    first = id;
    return false;
  });
  const auto known = related_.find(field.field->collection);
  const Related* target = known == related_.end() ? nullptr : &known->second;  // null: nothing was loaded from it
  if (target && target->failure && first) {
    addProblem(field, *target->failure);
    return Outcome::failed;
  }
  if (field.field->type->kind == TypeKind::list) return related(field, target, *value);
  const doc::Document* only = first ? lookUp(target, *first) : nullptr;
  if (!only) return Outcome::null;
  return object(field.children, *only) ? Outcome::written : Outcome::failed;
}

// Writes the documents of a list that the caller may see.
ResponseWriter::Outcome ResponseWriter::related(const Planned& field, const Related* target, doc::ValueView ids) {
  out_ += '[';
  size_t index = 0;
  bool written = true;
  eachReference(ids, [&](std::string_view id) {
    const doc::Document* one = lookUp(target, id);
    if (!one) return true;
    if (index > 0) out_ += ',';
    path_.push_back({nullptr, index++});
    written = object(field.children, *one);
    path_.pop_back();
    return written;
  });
  out_ += ']';
  return written ? Outcome::written : Outcome::failed;
}

void ResponseWriter::rest(doc::DocumentView document) {
  out_ += '{';
  bool first = true;
  for (const doc::Element& each : document) {
    if (isServerField(each.key)) continue;
    if (!first) out_ += ',';
    first = false;
    doc::writeJsonString(out_, each.key);
    out_ += ':';
    doc::writeJsonValue(out_, each.value);
  }
  out_ += '}';
}

}  // namespace mb::graphql
