// The words of the description that no code holds: what fields, parameters, groups and errors mean. Each is written
// once and looked up by name; tests ask for a word on everything that is described, and for no word too many.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"

namespace mb::openapi {

struct FieldDoc {
  std::string_view field;  // "Webhook.url", or "email" for every shape that has no own
  std::string_view meaning;
  std::string_view example;      // JSON
  std::string_view schema = "";  // more members of the field's schema, as a JSON object
};
std::span<const FieldDoc> fieldDocs();
// Null where there is none.
const FieldDoc* fieldDoc(std::string_view shape, std::string_view field);

struct ParameterDoc {
  std::string_view name;  // "limit"; of a path with the segment before it where names are many: "webhooks/name"
  std::string_view meaning;
  std::string_view schema;
};
std::span<const ParameterDoc> queryDocs();
std::span<const ParameterDoc> pathDocs();
std::span<const ParameterDoc> headerDocs();
const ParameterDoc* queryDoc(std::string_view name);
const ParameterDoc* headerDoc(std::string_view name);
// `before` is the segment in front of the parameter.
const ParameterDoc* pathDoc(std::string_view before, std::string_view name);

struct ErrorDoc {
  ErrorCode code;
  std::string_view meaning;  // with a small letter, without a full stop
};
std::span<const ErrorDoc> errorDocs();
std::string_view errorMeaning(ErrorCode code);

// Groups of routes, by the longest beginning of the path; "/" is the last resort.
struct TagDoc {
  std::string_view prefix;
  std::string_view tag;
  std::string_view meaning;
};
std::span<const TagDoc> tagDocs();
// Of a path, which begins with a slash; never null.
const TagDoc* tagDoc(std::string_view path);

}  // namespace mb::openapi
