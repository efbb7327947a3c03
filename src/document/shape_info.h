// A ShapeInfo describes a shape as data, for the OpenAPI document. It is built from the same field list as decoding and
// encoding, so it cannot differ from them.
#pragma once

#include <string_view>
#include <vector>

#include "document/shape.h"

namespace mb::doc {

struct ShapeInfo;
// Refers to a shape without building it; null for none.
using ShapeRef = const ShapeInfo& (*)();

enum class FieldKind { string, boolean, int32, int64, number, time, object, anything, shape };

struct FieldInfo {
  std::string_view name;
  FieldKind kind = FieldKind::anything;
  ShapeRef shape = nullptr;  // of FieldKind::shape
  bool list = false;         // an array of the kind
  bool mayBeAbsent = false;  // a body may omit it
  bool alwaysThere = true;   // every response has it
  bool takesNull = false;    // a body may set null
  bool answersNull = false;  // a response may hold null
};

struct ShapeInfo {
  std::string_view name;
  std::vector<FieldInfo> fields;
};

template <Shaped T>
const ShapeInfo& shapeInfo();

namespace detail {

template <class T>
void describeType(FieldInfo& field) {
  if constexpr (IsOptional<T>::value) {
    field.mayBeAbsent = field.takesNull = true;
    field.alwaysThere = false;
    describeType<typename T::value_type>(field);
  } else if constexpr (IsPatch<T>::value) {
    field.mayBeAbsent = field.takesNull = field.answersNull = true;
    field.alwaysThere = false;
    describeType<decltype(T::value)>(field);
  } else if constexpr (IsNullable<T>::value) {
    field.mayBeAbsent = field.takesNull = field.answersNull = true;
    describeType<typename decltype(T::value)::value_type>(field);
    field.alwaysThere = true;
  } else if constexpr (IsVector<T>::value) {
    field.list = true;
    describeType<typename T::value_type>(field);
  } else if constexpr (std::is_same_v<T, std::string> || IsId<T>::value) {
    field.kind = FieldKind::string;
  } else if constexpr (std::is_same_v<T, bool>) {
    field.kind = FieldKind::boolean;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    field.kind = FieldKind::int32;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    field.kind = FieldKind::int64;
  } else if constexpr (std::is_same_v<T, double>) {
    field.kind = FieldKind::number;
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    field.kind = FieldKind::time;
  } else if constexpr (std::is_same_v<T, Document>) {
    field.kind = FieldKind::object;
  } else if constexpr (std::is_same_v<T, Value>) {
    field.kind = FieldKind::anything;
  } else {
    field.kind = FieldKind::shape;
    field.shape = &shapeInfo<T>;
  }
}

template <class S, class M>
FieldInfo describeField(const Field<S, M>& field) {
  FieldInfo info{.name = field.name};
  describeType<M>(info);
  return info;
}

}  // namespace detail

// The description of T, built at its first use.
template <Shaped T>
const ShapeInfo& shapeInfo() {
  static const ShapeInfo info =
      std::apply([](const auto&... fields) { return ShapeInfo{T::shape().name, {detail::describeField(fields)...}}; },
                 T::shape().fields);
  return info;
}

}  // namespace mb::doc
