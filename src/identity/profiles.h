// Profiles: what a project shows of its end users in place of references to them (its setting profileFields).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "document/field_set.h"
#include "store/store.h"

namespace mb::identity {

// The fields of profiles, with `id`; empty where the setting has none. `withoutEmail`: for callers without a token.
struct ProfileFields {
  ProfileFields() = default;
  explicit ProfileFields(const std::vector<std::string>& setting);

  bool empty() const { return all.empty(); }

  doc::FieldSet all;
  doc::FieldSet withoutEmail;
};

// The number of ids of one call. Users have at most some 20 KiB each, and the store returns at most 16 MiB.
inline constexpr size_t kMaxProfilesAtOnce = 256;

// The users of `ids` in the project, reduced to `fields`; nullopt for ids that no user of the project has. In the order
// of `ids`, of which there are kMaxProfilesAtOnce at most. Any core.
Task<std::vector<std::optional<doc::Document>>> readProfiles(store::DocumentStore& store, store::ProjectNo project,
                                                             std::vector<std::string> ids, const doc::FieldSet& fields,
                                                             store::Deadline deadline);

}  // namespace mb::identity
