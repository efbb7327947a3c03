#include "identity/profiles.h"

#include "document/keep_fields.h"
#include "identity/records.h"

namespace mb::identity {

ProfileFields::ProfileFields(const std::vector<std::string>& setting) {
  if (setting.empty()) return;
  std::vector<std::string> paths = setting;
  paths.emplace_back("id");
  all = doc::FieldSet(paths);
  std::erase(paths, "email");
  withoutEmail = doc::FieldSet(std::move(paths));
}

Task<std::vector<std::optional<doc::Document>>> readProfiles(store::DocumentStore& store, store::ProjectNo project,
                                                             std::vector<std::string> ids, const doc::FieldSet& fields,
                                                             store::Deadline deadline) {
  std::vector<std::optional<doc::Document>> profiles(ids.size());
  std::vector<std::string> asked;
  std::vector<size_t> places;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!isId(UserTag::prefix, ids[i])) continue;
    asked.push_back(std::move(ids[i]));
    places.push_back(i);
  }
  CO_TRY(const std::vector<std::optional<doc::Document>> users,
         co_await store.getMany(collectionOf(project, kUsers), std::move(asked), nullptr, {deadline}));
  for (size_t i = 0; i < users.size(); ++i) {
    if (users[i]) profiles[places[i]] = doc::keepFields(*users[i], fields);
  }
  co_return profiles;
}

}  // namespace mb::identity
