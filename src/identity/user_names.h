// The form in which names of users are searched and sorted: NFKC and full case folding, without accents, so that
// "Émile" is found by "emile" and sorts with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/bson.h"
#include "identity/user_types.h"

namespace mb::identity {

// "" for text that has no such form (invalid UTF-8).
std::string nameKey(std::string_view name);
// Sets the user's name and its key.
void setName(UserRecord& user, doc::Nullable<std::string> name);
// The record of a user that a release without keys of names stored, with the key; nullopt if it has one, or no name.
std::optional<doc::Document> upgradedUser(doc::DocumentView record);

}  // namespace mb::identity
