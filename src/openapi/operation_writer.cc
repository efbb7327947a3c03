#include "openapi/operation_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "openapi/collection_schemas.h"
#include "openapi/docs.h"
#include "openapi/literal.h"

namespace mb::openapi {

namespace {

using doc::BsonType;
using doc::BsonWriter;
using doc::DocumentView;

std::string_view nameOf(Parameter::In in) {
  switch (in) {
    case Parameter::In::path:
      return "path";
    case Parameter::In::query:
      return "query";
    case Parameter::In::header:
      return "header";
  }
  return "";
}

std::string_view nameOfStatus(int status) {
  switch (status) {
    case 101:
      return "The connection becomes a WebSocket.";
    case 200:
      return "Done.";
    case 201:
      return "Created.";
    case 204:
      return "Done, without a body.";
    case 206:
      return "A part of the file.";
    case 302:
      return "Redirects to `location`.";
    case 304:
      return "It has not changed.";
    default:
      return "The response.";
  }
}

doc::Document schemaOf(const Content& content, const ShapeSchemas& shapes, Direction direction) {
  BsonWriter value;
  if (content.shape != nullptr) {
    value.appendString("$ref", std::string(kSchemaRef) + shapes.nameOf(content.shape, direction));
  } else {
    value.appendAll(literal(content.schema));
  }
  doc::Document schema = value.finish();
  if (content.list) {
    BsonWriter list;
    list.appendString("type", "array");
    list.appendDocument("items", schema);
    schema = list.finish();
  }
  if (content.key.empty()) return schema;
  BsonWriter out;
  out.appendString("type", "object");
  out.beginDocument("properties");
  out.appendDocument(content.key, schema);
  out.end();
  out.beginArray("required");
  out.appendString("0", content.key);
  out.end();
  return out.finish();
}

// A Media Type Object, with an example.
void writeMedia(BsonWriter& out, std::string_view type, DocumentView schema, const Components& components) {
  out.beginDocument(type);
  out.appendDocument("schema", schema);
  if (const auto example = exampleOf(schema, components)) out.append("example", *example);
  out.end();
}

doc::Document anyOf(const std::vector<doc::Document>& schemas) {
  if (schemas.size() == 1) return schemas.front();
  BsonWriter out;
  out.beginArray("anyOf");
  for (size_t i = 0; i < schemas.size(); ++i) out.appendDocument(doc::arrayKey(i), schemas[i]);
  out.end();
  return out.finish();
}

std::string failureName(const std::vector<ErrorCode>& codes) {
  std::string name = std::to_string(meaningOf(codes.front()).status);
  for (const ErrorCode code : codes) name.append(".").append(meaningOf(code).wire);
  return name;
}

std::string failureWords(const std::vector<ErrorCode>& codes) {
  std::string words;
  for (const ErrorCode code : codes) {
    if (!words.empty()) words += "\n";
    words += fmt::format("- `{}`: {}", meaningOf(code).wire, errorMeaning(code));
  }
  return words;
}

void writeHeader(BsonWriter& out, std::string_view name, std::string_view component) {
  out.beginDocument(name);
  out.appendString("$ref", "#/components/headers/" + std::string(component));
  out.end();
}

doc::Document errorReference() {
  return literal(R"({"$ref": "#/components/schemas/Error"})");
}

void writeResponse(BsonWriter& out, int status, const std::vector<const Response*>& responses,
                   const std::vector<ErrorCode>& codes, const ShapeSchemas& shapes, const Components& components,
                   Failures& failures) {
  out.beginDocument(status == Response::kAnyStatus ? "default" : std::to_string(status));
  if (responses.empty()) {
    const std::string name = failureName(codes);
    failures.emplace(name, codes);
    out.appendString("$ref", "#/components/responses/" + name);
    out.end();
    return;
  }
  std::string words;
  for (const Response* response : responses) {
    if (!words.empty()) words += " ";
    words += response->meaning.empty() ? nameOfStatus(response->status) : response->meaning;
  }
  if (!codes.empty()) words += "\n" + failureWords(codes);
  out.appendString("description", words);
  out.beginDocument("headers");
  writeHeader(out, "x-request-id", "RequestId");
  if (std::ranges::any_of(responses, [](const Response* each) { return each->hasVersion; })) {
    writeHeader(out, "etag", "DocumentVersion");
  }
  if (std::ranges::any_of(responses, [](const Response* each) { return each->setsCookie; })) {
    writeHeader(out, "set-cookie", "SessionCookie");
  }
  out.end();
  std::vector<std::pair<std::string_view, std::vector<doc::Document>>> byType;
  const auto add = [&](std::string_view type, doc::Document schema) {
    auto at = std::find_if(byType.begin(), byType.end(), [type](const auto& entry) { return entry.first == type; });
    if (at == byType.end()) at = byType.insert(byType.end(), {type, {}});
    at->second.push_back(std::move(schema));
  };
  for (const Response* response : responses) {
    const Content& content = response->content;
    if (!content.none()) add(content.type, schemaOf(content, shapes, Direction::response));
  }
  if (!codes.empty()) add("application/json", errorReference());
  if (!byType.empty()) {
    out.beginDocument("content");
    for (const auto& [type, schemas] : byType) writeMedia(out, type, anyOf(schemas), components);
    out.end();
  }
  out.end();
}

void writeParameters(BsonWriter& out, const Operation& operation) {
  if (operation.parameters.empty()) return;
  out.beginArray("parameters");
  size_t place = 0;
  for (const Parameter& parameter : operation.parameters) {
    out.beginDocument(doc::arrayKey(place++));
    out.appendString("name", parameter.name);
    out.appendString("in", nameOf(parameter.in));
    if (parameter.in == Parameter::In::path) out.appendBool("required", true);
    out.appendString("description", parameter.meaning);
    out.appendDocument("schema", literal(parameter.schema));
    out.end();
  }
  out.end();
}

void writeSecurity(BsonWriter& out, const Operation& operation) {
  out.beginArray("security");
  size_t place = 0;
  for (const Security& security : operation.security) {
    out.beginDocument(doc::arrayKey(place++));
    if (!security.scheme.empty()) {
      out.beginArray(security.scheme);
      if (!security.role.empty()) out.appendString("0", security.role);
      out.end();
    }
    out.end();
  }
  out.end();
}

void writeResponses(BsonWriter& out, const Operation& operation, const ShapeSchemas& shapes,
                    const Components& components, Failures& failures) {
  std::map<int, std::pair<std::vector<const Response*>, std::vector<ErrorCode>>> byStatus;
  for (const Response& response : operation.responses) byStatus[response.status].first.push_back(&response);
  for (const ErrorCode code : operation.errors) {
    std::vector<ErrorCode>& codes = byStatus[meaningOf(code).status].second;
    const bool known = std::any_of(codes.begin(), codes.end(),
                                   [code](ErrorCode other) { return meaningOf(other).wire == meaningOf(code).wire; });
    if (!known) codes.push_back(code);
  }
  out.beginDocument("responses");
  for (auto& [status, entries] : byStatus) {
    std::sort(entries.second.begin(), entries.second.end());
    writeResponse(out, status, entries.first, entries.second, shapes, components, failures);
  }
  out.end();
}

// ---- one operation on one collection

class Rewriter {
 public:
  Rewriter(const std::string& collection, const Components& components)
      : collection_(collection), components_(components) {}

  void copy(BsonWriter& out, DocumentView from, bool schemasOf) {
    for (const doc::Element& member : from) copyMember(out, member, schemasOf);
  }

  doc::Document rewritten(DocumentView schema) {
    BsonWriter out;
    copy(out, schema, false);
    return out.finish();
  }

 private:
  void copyMember(BsonWriter& out, const doc::Element& member, bool content) {
    if (member.key == "$ref" && member.value.type() == BsonType::string) {
      out.appendString("$ref", reference(member.value.asString()));
    } else if (content && member.value.type() == BsonType::document) {
      const doc::Document schema = rewritten(memberOf(member.value.asDocument(), "schema").asDocument());
      writeMedia(out, member.key, schema, components_);
    } else if (member.value.type() == BsonType::document) {
      out.beginDocument(member.key);
      copy(out, member.value.asDocument(), member.key == "content");
      out.end();
    } else if (member.value.type() == BsonType::array) {
      out.beginArray(member.key);
      copy(out, member.value.asDocument(), false);
      out.end();
    } else {
      out.append(member.key, member.value);
    }
  }

  std::string reference(std::string_view general) const {
    for (const std::string_view name : {kDocument, kNewDocument, kDocumentPatch}) {
      if (general == std::string(kSchemaRef) + std::string(name)) return std::string(general) + "." + collection_;
    }
    return std::string(general);
  }

  const std::string& collection_;
  const Components& components_;
};

// "listDocuments" for the collection posts becomes "list_posts".
std::string idOf(std::string_view general, const std::string& collection) {
  for (const std::string_view end : {"Documents", "Document"}) {
    if (general.ends_with(end)) return std::string(general.substr(0, general.size() - end.size())) + "_" + collection;
  }
  return std::string(general) + "_" + collection;
}

}  // namespace

std::string collectionTag(std::string_view collection) {
  return "Collection " + std::string(collection);
}

doc::Document operationObject(const Operation& operation, const ShapeSchemas& shapes, const Components& components,
                              Failures& failures) {
  BsonWriter out;
  out.beginArray("tags");
  out.appendString("0", operation.tag);
  out.end();
  out.appendString("operationId", operation.id);
  out.appendString("summary", operation.summary);
  if (!operation.more.empty()) out.appendString("description", operation.more);
  writeParameters(out, operation);
  if (!operation.body.none()) {
    out.beginDocument("requestBody");
    out.appendBool("required", operation.bodyRequired);
    out.beginDocument("content");
    for (const Content& body : {operation.body, operation.otherBody}) {
      if (!body.none()) writeMedia(out, body.type, schemaOf(body, shapes, Direction::body), components);
    }
    out.end();
    out.end();
  }
  writeResponses(out, operation, shapes, components, failures);
  writeSecurity(out, operation);
  return out.finish();
}

doc::Document failureObject(const std::vector<ErrorCode>& codes) {
  BsonWriter out;
  out.appendString("description", failureWords(codes));
  out.beginDocument("headers");
  writeHeader(out, "x-request-id", "RequestId");
  const int status = meaningOf(codes.front()).status;
  if (status == 401) writeHeader(out, "www-authenticate", "Authenticate");
  if (status == 429) writeHeader(out, "retry-after", "RetryAfter");
  out.end();
  out.beginDocument("content");
  out.beginDocument("application/json");
  out.appendDocument("schema", errorReference());
  out.beginDocument("examples");
  for (const ErrorCode code : codes) {
    out.beginDocument(meaningOf(code).wire);
    out.beginDocument("value");
    out.beginDocument("error");
    out.appendString("code", meaningOf(code).wire);
    out.appendString("message", errorMeaning(code));
    out.end();
    out.end();
    out.end();
  }
  out.end();
  out.end();
  out.end();
  return out.finish();
}

doc::Document operationOf(const std::string& collection, const Operation& operation, DocumentView general,
                          const Components& components) {
  Rewriter rewriter(collection, components);
  BsonWriter out;
  for (const doc::Element& member : general) {
    if (member.key == "tags") {
      out.beginArray("tags");
      out.appendString("0", collectionTag(collection));
      out.end();
    } else if (member.key == "operationId") {
      out.appendString("operationId", idOf(operation.id, collection));
    } else if (member.key == "parameters") {
      out.beginArray("parameters");
      size_t place = 0;
      for (const doc::Element& parameter : member.value.asDocument()) {
        const DocumentView given = parameter.value.asDocument();
        if (given.stringOr("in") == "path" && given.stringOr("name") == "collection") continue;
        out.appendDocument(doc::arrayKey(place++), given);
      }
      out.end();
    } else if (member.value.type() == BsonType::document) {
      out.beginDocument(member.key);
      rewriter.copy(out, member.value.asDocument(), false);
      out.end();
    } else {
      out.append(member.key, member.value);
    }
  }
  return out.finish();
}

}  // namespace mb::openapi
