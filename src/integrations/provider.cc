#include "integrations/provider.h"

#include <stdexcept>

#include "document/json.h"
#include "variables/reference.h"

namespace mb::integrations {

namespace {

doc::Document parsed(std::string_view json) {
  auto document = doc::parseJson(json);
  if (!document) throw std::logic_error("a catalogue of integrations: " + document.error().message());
  return *std::move(document);
}

// The fields as one schema: `required` of each becomes the schema's list.
doc::Document schemaOf(doc::DocumentView shown) {
  doc::BsonWriter out;
  std::vector<std::string> required;
  out.appendString("type", "object");
  out.appendBool("additionalProperties", false);
  out.beginDocument("properties");
  for (const auto& [name, field] : shown) {
    out.beginDocument(name);
    for (const auto& [keyword, value] : field.asDocument()) {
      if (keyword != "required") {
        out.append(keyword, value);
      } else if (value.asBool()) {
        required.emplace_back(name);
      }
    }
    out.end();
  }
  out.end();
  doc::encodeValue(out, "required", required);
  return out.finish();
}

}  // namespace

Fields::Fields(doc::DocumentView shown) : shown_(shown) {
  auto schema = doc::Schema::compile(schemaOf(shown));
  if (!schema) throw std::logic_error("a catalogue of integrations: " + schema.error().message());
  schema_ = *std::move(schema);
}

void Fields::check(doc::DocumentView values, std::string_view pointer, Problems& problems) const {
  const size_t before = problems.size();
  // Schemas allow the server's own fields (id, createdAt, …), which have no meaning here.
  for (const auto& [name, value] : values) {
    if (!shown_.view().find(name)) problems.push_back({fmt::format("{}/{}", pointer, name), "is not a known field"});
  }
  if (problems.size() > before) return;
  for (ErrorDetail& each : schema_->validate(values)) {
    problems.push_back({fmt::format("{}{}", pointer, each.path), std::move(each.message)});
  }
}

Catalogue::Catalogue(std::string_view json) : shown(parsed(json)) {
  const doc::DocumentView view = shown.view();
  provider = view.stringOr("provider");
  config = Fields(view.find("config")->asDocument());
  for (const auto& [index, name] : view.find("secrets")->asDocument()) secrets.emplace_back(name.asString());
  for (const auto& [index, op] : view.find("ops")->asDocument()) {
    const doc::DocumentView shownOp = op.asDocument();
    operations.push_back({std::string(shownOp.stringOr("name")), Fields(shownOp.find("args")->asDocument())});
  }
}

const Operation* Catalogue::operation(std::string_view name) const {
  const auto found = std::ranges::find(operations, name, &Operation::name);
  return found == operations.end() ? nullptr : &*found;
}

std::string Provider::secretsProblem(const std::vector<std::string>&) const {
  return {};
}

bool Provider::followsVariable(doc::DocumentView config) const {
  return variables::isReference(destination(config));
}

Error invalid(Problems problems) {
  std::string message = problems.front().path + " " + problems.front().message;
  return Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems));
}

doc::Value valueOf(doc::DocumentView document) {
  return doc::Value({doc::BsonType::document, document.bytes().data(), document.bytes().size()});
}

std::string textOr(doc::DocumentView values, std::string_view key, std::string_view fallback) {
  return std::string(values.stringOr(key, fallback));
}

}  // namespace mb::integrations
