// The words of the description that no code holds: what fields, parameters, groups and errors mean. Each is written
// once and looked up by name; tests ask for a word on everything that is described, and for no word too many.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"

namespace mb::description {

struct FieldNote {
  std::string_view field;  // "Webhook.url", or "email" for every shape that has no own
  std::string_view meaning;
  std::string_view example;      // JSON
  std::string_view schema = "";  // more members of the field's schema, as a JSON object
};
std::span<const FieldNote> fieldNotes();
// Null where there is none.
const FieldNote* fieldNote(std::string_view shape, std::string_view field);

struct ParameterNote {
  std::string_view name;  // "limit"; of a path with the segment before it where names are many: "webhooks/name"
  std::string_view meaning;
  std::string_view schema;
};
std::span<const ParameterNote> queryNotes();
std::span<const ParameterNote> pathNotes();
std::span<const ParameterNote> headerNotes();
const ParameterNote* queryNote(std::string_view name);
const ParameterNote* headerNote(std::string_view name);
// `before` is the segment in front of the parameter.
const ParameterNote* pathNote(std::string_view before, std::string_view name);

struct ErrorNote {
  ErrorCode code;
  std::string_view meaning;  // with a small letter, without a full stop
};
std::span<const ErrorNote> errorNotes();
std::string_view errorMeaning(ErrorCode code);

// Groups of routes, by the longest beginning of the path; "/" is the last resort.
struct TagNote {
  std::string_view prefix;
  std::string_view tag;
  std::string_view meaning;
};
std::span<const TagNote> tagNotes();
// Of a path, which begins with a slash; never null.
const TagNote* tagNote(std::string_view path);

}  // namespace mb::description
