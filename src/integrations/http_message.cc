#include "integrations/http_message.h"

#include <map>

#include "base/latin1.h"
#include "base/text.h"
#include "base/utf8.h"
#include "document/json.h"
#include "identity/records.h"

namespace mb::integrations {

namespace {

// Limit of nesting in results, which functions receive as values.
constexpr size_t kMaxDepth = 60;

// "application/vnd.api+json; charset=utf-8" returns "application/vnd.api+json".
std::string mediaType(std::string_view contentType) {
  return lowerAscii(trimmed(contentType.substr(0, contentType.find(';'))));
}

bool isJson(std::string_view type) {
  return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

bool mayBeText(std::string_view type) {
  return type.empty() || type.starts_with("text/") || isJson(type) || type.ends_with("+xml") ||
         type == "application/xml" || type == "application/javascript" || type == "application/x-ndjson" ||
         type == "application/x-www-form-urlencoded";
}

void appendBody(doc::BsonWriter& out, std::string_view type, std::string_view bytes) {
  if (bytes.empty()) return out.appendNull("body");
  if (isJson(type)) {
    const doc::JsonLimits limits{.maxDepth = kMaxDepth, .extended = doc::ExtendedJson::refuse};
    if (const auto value = doc::parseJsonValue(bytes, limits)) return out.append("body", value->view().begin()->value);
  }
  if (mayBeText(type) && isUtf8(bytes)) return out.appendString("body", bytes);
  out.appendBinary("body", bytes);
}

}  // namespace

SentBody sentBody(doc::ValueView value) {
  switch (value.type()) {
    case doc::BsonType::null:
      return {};
    case doc::BsonType::string:
      return {std::string(value.asString()), "text/plain; charset=utf-8"};
    case doc::BsonType::binary:
      return {std::string(value.asBinary()), "application/octet-stream"};
    default:
      SentBody body{"", "application/json"};
      doc::writeJsonValue(body.bytes, value);
      return body;
  }
}

doc::Document resultOf(const outbound::Response& response) {
  std::map<std::string, std::string> headers;
  for (const outbound::Header& header : response.headers) {
    if (!outbound::isHeaderName(header.name)) continue;
    const auto [entry, isNew] = headers.try_emplace(header.name, asUtf8(header.value));
    if (!isNew) entry->second += ", " + asUtf8(header.value);
  }
  doc::BsonWriter out(response.body.size() + 1024);
  out.appendInt32("status", response.status);
  out.beginDocument("headers");
  for (const auto& [name, value] : headers) out.appendString(name, value);
  out.end();
  appendBody(out, mediaType(response.header("content-type")), response.body);
  return out.finish();
}

}  // namespace mb::integrations
