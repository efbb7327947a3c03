// Converts stored documents of system collections to the structs that they were written from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"

namespace mb::store {

// Fails with internal if the document does not have the record's shape.
template <doc::Shaped T>
Result<T> fromStore(doc::DocumentView stored) {
  auto record = doc::decode<T>(stored, doc::UnknownFields::ignore);
  if (record) return record;
  return fail(Error(ErrorCode::internal, "stored data could not be read")
                  .withCause(std::string(T::shape().name) + ": " + record.error().message()));
}

template <doc::Shaped T>
Result<std::optional<T>> fromStore(const std::optional<doc::Document>& stored) {
  if (!stored) return std::optional<T>();
  TRY(T record, fromStore<T>(stored->view()));
  return std::optional<T>(std::move(record));
}

template <doc::Shaped T>
Result<std::vector<T>> fromStore(const std::vector<doc::Document>& stored) {
  std::vector<T> records;
  records.reserve(stored.size());
  for (const auto& document : stored) {
    TRY(T record, fromStore<T>(document.view()));
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace mb::store
