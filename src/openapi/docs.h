// Texts of the OpenAPI document for fields, parameters, groups and errors. Each is written once and looked up by name.
// Tests check that everything described has a text, and that each text is used.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"

namespace mb::openapi {

struct FieldDoc {
  std::string_view field;  // "Webhook.url", or "email" for every shape without its own text
  std::string_view meaning;
  std::string_view example;      // JSON
  std::string_view schema = "";  // more members of the field's schema, as a JSON object
};
std::span<const FieldDoc> fieldDocs();
// Parts of fieldDocs(): tokens, billing, functions, databases of owners, and the stats and queries by which an admin
// looks over a project.
std::span<const FieldDoc> authFieldDocs();
std::span<const FieldDoc> billingFieldDocs();
std::span<const FieldDoc> functionFieldDocs();
std::span<const FieldDoc> introspectionFieldDocs();
std::span<const FieldDoc> overviewFieldDocs();
// Null without a text.
const FieldDoc* fieldDoc(std::string_view shape, std::string_view field);

struct ParameterDoc {
  std::string_view name;  // "limit"; a path parameter is prefixed with the segment before it: "webhooks/name"
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
  std::string_view meaning;  // begins with a lower-case letter, without a full stop
};
std::span<const ErrorDoc> errorDocs();
std::string_view errorMeaning(ErrorCode code);

// Groups of routes, by the longest prefix of the path; "/" is the fallback.
struct TagDoc {
  std::string_view prefix;
  std::string_view tag;
  std::string_view meaning;
};
std::span<const TagDoc> tagDocs();
// `path` begins with a slash. Never null.
const TagDoc* tagDoc(std::string_view path);

}  // namespace mb::openapi
