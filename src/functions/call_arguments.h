// The positional arguments of a call of ctx, and the results of calls.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "document/bson.h"

namespace mb::functions {

inline std::unexpected<Error> refusedCall(std::string message) {
  return fail(ErrorCode::validation, std::move(message));
}

// null counts as absent.
class CallArguments {
 public:
  CallArguments(std::string_view operation, doc::DocumentView given) : operation_(operation), given_(given) {}

  Result<> atMost(size_t count) const {
    if (given_.count() <= count) return {};
    return refusedCall(fmt::format("{} takes at most {} arguments", operation_, count));
  }
  Result<std::string> text(size_t at, std::string_view name) const {
    const auto value = find(at);
    if (value && value->type() == doc::BsonType::string) return std::string(value->asString());
    return refusedCall(fmt::format("{} needs a string as its {}", operation_, name));
  }
  Result<std::optional<doc::Document>> object(size_t at, std::string_view name) const {
    const auto value = find(at);
    if (!value) return std::optional<doc::Document>();
    if (value->type() == doc::BsonType::document) return std::optional(doc::Document(value->asDocument()));
    return refusedCall(fmt::format("{} takes an object as its {}", operation_, name));
  }
  // {} if it is absent.
  Result<doc::Document> objectOrEmpty(size_t at, std::string_view name) const {
    TRY(std::optional<doc::Document> given, object(at, name));
    return given ? *std::move(given) : doc::Document();
  }
  Result<doc::Document> needed(size_t at, std::string_view name) const {
    TRY(std::optional<doc::Document> given, object(at, name));
    if (given) return *std::move(given);
    return refusedCall(fmt::format("{} needs an object as its {}", operation_, name));
  }
  // Views the arguments.
  Result<std::string_view> bytes(size_t at, std::string_view name) const {
    const auto value = find(at);
    if (value && value->type() == doc::BsonType::binary) return value->asBinary();
    return refusedCall(fmt::format("{} needs bytes as its {}: a Uint8Array or an ArrayBuffer", operation_, name));
  }
  Result<int64_t> integer(size_t at, std::string_view name) const {
    const auto value = find(at);
    const auto number = value && value->isNumber() ? value->toInteger() : std::nullopt;
    if (number) return *number;
    return refusedCall(fmt::format("{} needs a whole number as its {}", operation_, name));
  }

 private:
  std::optional<doc::ValueView> find(size_t at) const {
    const auto value = given_.find(doc::arrayKey(at));
    return value && value->type() != doc::BsonType::null ? value : std::nullopt;
  }
  const std::string_view operation_;
  const doc::DocumentView given_;
};

inline Result<uint64_t> countOf(const doc::Element& option) {
  const auto number = option.value.isNumber() ? option.value.toInteger() : std::nullopt;
  if (number && *number >= 0) return static_cast<uint64_t>(*number);
  return refusedCall(fmt::format("{} must be a whole number from 0 on", option.key));
}
inline std::unexpected<Error> unknownOption(std::string_view key) {
  return refusedCall(fmt::format("there is no option \"{}\" here", key.substr(0, 100)));
}

// The value that the writer holds under the key "".
inline doc::Value only(doc::BsonWriter& out) {
  const doc::Document whole = out.finish();
  return doc::Value(whole.view().begin()->value);
}
inline doc::Value documentValue(doc::DocumentView document) {
  doc::BsonWriter out(document.bytes().size() + 16);
  out.appendDocument("", document);
  return only(out);
}

}  // namespace mb::functions
