// A Shape is the field list of a type. It drives decoding of bodies and stored records, encoding of responses, and the
// OpenAPI document.
//
//   struct NewProject {
//     std::string name;
//     std::optional<std::string> mongoUrl;
//     static constexpr auto shape() {
//       return doc::shape<NewProject>("NewProject", doc::field("name", &NewProject::name),
//                                     doc::field("mongoUrl", &NewProject::mongoUrl));
//     }
//   };
//
// A field is required unless its type is std::optional. A Patch<T> distinguishes absent, null and a value. Member
// types: std::string, bool, int32_t, int64_t, double, Timestamp, Id<Tag>, Document (any object), Value (anything),
// another shape, std::optional, Patch, Nullable and std::vector of these.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/id.h"
#include "document/bson.h"

namespace mb::doc {

// A field of a PATCH body: absent, null, or a value.
template <class T>
struct Patch {
  enum class State { absent, null, value } state = State::absent;
  T value{};
  bool given() const { return state != State::absent; }
};

// A field that is null on the wire when empty, instead of absent (Project::parentId). Decodes from null or absence too.
template <class T>
struct Nullable {
  std::optional<T> value;
};

template <class S, class M>
struct Field {
  std::string_view name;
  M S::* member;
};
template <class S, class M>
constexpr Field<S, M> field(std::string_view name, M S::* member) {
  return {name, member};
}

template <class... Fields>
struct ShapeOf {
  std::string_view name;
  std::tuple<Fields...> fields;
};
template <class S, class... Ms>
constexpr ShapeOf<Field<S, Ms>...> shape(std::string_view name, Field<S, Ms>... fields) {
  return {name, std::tuple{fields...}};
}

template <class T>
concept Shaped = requires { T::shape(); };

namespace detail {
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsPatch : std::false_type {};
template <class T>
struct IsPatch<Patch<T>> : std::true_type {};
template <class T>
struct IsNullable : std::false_type {};
template <class T>
struct IsNullable<Nullable<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsId : std::false_type {};
template <class Tag>
struct IsId<Id<Tag>> : std::true_type {};
}  // namespace detail

enum class UnknownFields { refuse, ignore };

template <Shaped T>
void decodeInto(T& out, DocumentView source, const std::string& path, UnknownFields unknown,
                std::vector<ErrorDetail>& problems);

// Decodes one value; on a mismatch adds a problem at `path`.
template <class T>
void decodeValue(T& out, ValueView value, const std::string& path, UnknownFields unknown,
                 std::vector<ErrorDetail>& problems) {
  if constexpr (detail::IsOptional<T>::value) {
    if (value.type() == BsonType::null) {
      out.reset();
      return;
    }
    decodeValue(out.emplace(), value, path, unknown, problems);
  } else if constexpr (detail::IsNullable<T>::value) {
    decodeValue(out.value, value, path, unknown, problems);
  } else if constexpr (detail::IsPatch<T>::value) {
    if (value.type() == BsonType::null) {
      out.state = T::State::null;
      return;
    }
    out.state = T::State::value;
    decodeValue(out.value, value, path, unknown, problems);
  } else if constexpr (detail::IsVector<T>::value) {
    if (value.type() != BsonType::array) {
      problems.push_back({path, "must be an array"});
      return;
    }
    size_t index = 0;
    for (const Element& element : value.asDocument()) {
      decodeValue(out.emplace_back(), element.value, path + "/" + std::to_string(index++), unknown, problems);
    }
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (value.type() != BsonType::string) {
      problems.push_back({path, "must be a string"});
      return;
    }
    out = value.asString();
  } else if constexpr (detail::IsId<T>::value) {
    if (value.type() != BsonType::string) {
      problems.push_back({path, "must be a string"});
      return;
    }
    out = T(std::string(value.asString()));
  } else if constexpr (std::is_same_v<T, bool>) {
    if (value.type() != BsonType::boolean) {
      problems.push_back({path, "must be true or false"});
      return;
    }
    out = value.asBool();
  } else if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
    const auto integer = value.isNumber() ? value.toInteger() : std::nullopt;
    if (!integer || *integer < std::numeric_limits<T>::min() || *integer > std::numeric_limits<T>::max()) {
      problems.push_back({path, "must be an integer"});
      return;
    }
    out = static_cast<T>(*integer);
  } else if constexpr (std::is_same_v<T, double>) {
    if (!value.isNumber()) {
      problems.push_back({path, "must be a number"});
      return;
    }
    out = value.toReal();
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    if (value.type() == BsonType::date) {
      out = value.asDate();
      return;
    }
    const auto parsed = value.type() == BsonType::string ? parseRfc3339(value.asString()) : std::nullopt;
    if (!parsed) {
      problems.push_back({path, "must be an RFC 3339 time"});
      return;
    }
    out = *parsed;
  } else if constexpr (std::is_same_v<T, Document>) {
    if (value.type() != BsonType::document) {
      problems.push_back({path, "must be an object"});
      return;
    }
    out = Document(value.asDocument());
  } else if constexpr (std::is_same_v<T, Value>) {
    out = Value(value);
  } else {
    static_assert(Shaped<T>, "no decoding for this member type");
    if (value.type() != BsonType::document) {
      problems.push_back({path, "must be an object"});
      return;
    }
    decodeInto(out, value.asDocument(), path, unknown, problems);
  }
}

template <Shaped T>
void decodeInto(T& out, DocumentView source, const std::string& path, UnknownFields unknown,
                std::vector<ErrorDetail>& problems) {
  constexpr auto shaped = T::shape();
  std::apply(
      [&](const auto&... f) {
        (
            [&] {
              using M = std::remove_reference_t<decltype(out.*(f.member))>;
              const auto value = source.find(f.name);
              if (value) {
                decodeValue(out.*(f.member), *value, path + "/" + std::string(f.name), unknown, problems);
              } else if constexpr (!detail::IsOptional<M>::value && !detail::IsNullable<M>::value &&
                                   !detail::IsPatch<M>::value) {
                problems.push_back({path + "/" + std::string(f.name), "is required"});
              }
            }(),
            ...);
      },
      shaped.fields);
  if (unknown == UnknownFields::ignore) return;
  for (const Element& element : source) {
    const bool known = std::apply([&](const auto&... f) { return ((f.name == element.key) || ...); }, shaped.fields);
    if (!known) problems.push_back({path + "/" + std::string(element.key), "is not a known field"});
  }
}

// A request body as T. Fails with validation, with every problem in the details (a field that is missing, unknown or of
// the wrong type).
template <Shaped T>
Result<T> decode(DocumentView source, UnknownFields unknown = UnknownFields::refuse) {
  T out;
  std::vector<ErrorDetail> problems;
  decodeInto(out, source, "", unknown, problems);
  if (problems.empty()) return out;
  std::string message = problems.front().path + " " + problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

template <Shaped T>
void encodeFields(BsonWriter& out, const T& value);

// Appends one member; an empty optional is omitted, an id and a time are written in their wire form.
template <class T>
void encodeValue(BsonWriter& out, std::string_view key, const T& value) {
  if constexpr (detail::IsOptional<T>::value) {
    if (value) encodeValue(out, key, *value);
  } else if constexpr (detail::IsNullable<T>::value) {
    if (value.value) {
      encodeValue(out, key, *value.value);
    } else {
      out.appendNull(key);
    }
  } else if constexpr (detail::IsPatch<T>::value) {
    if (value.state == T::State::null) out.appendNull(key);
    if (value.state == T::State::value) encodeValue(out, key, value.value);
  } else if constexpr (detail::IsVector<T>::value) {
    out.beginArray(key);
    size_t index = 0;
    for (const auto& item : value) encodeValue(out, arrayKey(index++), item);
    out.end();
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.appendString(key, value);
  } else if constexpr (detail::IsId<T>::value) {
    out.appendString(key, value.str());
  } else if constexpr (std::is_same_v<T, bool>) {
    out.appendBool(key, value);
  } else if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
    out.appendInteger(key, value);
  } else if constexpr (std::is_same_v<T, double>) {
    out.appendReal(key, value);
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    out.appendDate(key, value);
  } else if constexpr (std::is_same_v<T, Document>) {
    out.appendDocument(key, value);
  } else if constexpr (std::is_same_v<T, Value>) {
    out.append(key, value);
  } else {
    static_assert(Shaped<T>, "no encoding for this member type");
    out.beginDocument(key);
    encodeFields(out, value);
    out.end();
  }
}

template <Shaped T>
void encodeFields(BsonWriter& out, const T& value) {
  constexpr auto shaped = T::shape();
  std::apply([&](const auto&... f) { (encodeValue(out, f.name, value.*(f.member)), ...); }, shaped.fields);
}

template <Shaped T>
Document encode(const T& value) {
  BsonWriter out;
  encodeFields(out, value);
  return out.finish();
}

}  // namespace mb::doc
