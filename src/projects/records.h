// Where the control plane's records stand in the store. Private to projects/.
#pragma once

#include <optional>
#include <string>

#include "projects/project_types.h"
#include "snapshot/snapshot.h"
#include "store/store.h"

namespace mb::projects {

// Numbers 30 to 49 of the system collections belong to this room; used in the control project only.
inline constexpr store::CollectionNo kOrganizations = 30;
inline constexpr store::CollectionNo kProjects = 31;
inline constexpr store::CollectionNo kMemberships = 32;
inline constexpr store::CollectionNo kInvites = 33;
inline constexpr store::CollectionNo kInvitedAddresses = 34;
inline constexpr store::CollectionNo kInstance = 35;

// The one document of kInstance; it exists from the first registration on.
inline constexpr std::string_view kInstanceId = "instance";

inline store::CollectionRef controlCollection(store::CollectionNo number) {
  return {store::kControlProject, number, 0};
}
inline store::WriteTarget target(store::CollectionNo number, std::string id) {
  return {controlCollection(number), std::move(id)};
}

// A stored record; internal when its bytes do not have the record's shape.
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

doc::Filter equals(std::string_view path, std::string_view value);

// The record as the snapshot registry knows a project.
Result<snapshot::ProjectInfo> infoOf(doc::Document stored);

// A query of the control project in ascending id, due in ten seconds.
store::Query queryOf(store::CollectionNo collection, doc::Filter filter, uint64_t skip, uint64_t limit);

}  // namespace mb::projects
