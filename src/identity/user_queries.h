// Queries of the users of a realm: by the beginning of address or name, by status, role and verification, sorted, in
// pages (docs/api.md, "Queries of users").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"
#include "identity/identity_deps.h"
#include "identity/realm.h"
#include "identity/user_types.h"
#include "store/cursors.h"

namespace mb::identity {

inline constexpr uint64_t kDefaultUserPage = 50;
inline constexpr uint64_t kMaxUserPage = 1000;
inline constexpr size_t kMaxSearchText = 254;  // bytes, as an address

struct UserQuery {
  std::optional<std::string> text;  // the beginning of the address or the name
  std::optional<std::string> status;
  std::optional<std::string> role;
  std::optional<bool> emailVerified;
  std::optional<std::vector<doc::Document>> sort;  // each {field: 1 or -1}; without it by id
  std::optional<int64_t> limit;                    // at most kMaxUserPage, to which larger ones are reduced
  std::optional<std::string> after;                // UserPage::next
  static constexpr auto shape() {
    return doc::shape<UserQuery>("UserQuery", doc::field("text", &UserQuery::text),
                                 doc::field("status", &UserQuery::status), doc::field("role", &UserQuery::role),
                                 doc::field("emailVerified", &UserQuery::emailVerified),
                                 doc::field("sort", &UserQuery::sort), doc::field("limit", &UserQuery::limit),
                                 doc::field("after", &UserQuery::after));
  }
};

struct UserPage {
  std::vector<UserView> users;
  int64_t total = 0;                // of all pages
  std::optional<std::string> next;  // the cursor of the page that follows; nullopt for the last page
  static constexpr auto shape() {
    return doc::shape<UserPage>("UserPage", doc::field("users", &UserPage::users),
                                doc::field("total", &UserPage::total), doc::field("next", &UserPage::next));
  }
};

// Any core.
class UserQueries {
 public:
  // `deps` outlives this.
  explicit UserQueries(const IdentityDeps& deps) : deps_(deps), cursors_(&deps.master, deps.clock) {}

  // Fails with validation, each problem at its pointer ("/sort/0"); invalidCursor for a cursor of another query; and as
  // a query of the store does.
  Task<UserPage> run(Realm realm, UserQuery query, store::Deadline deadline) const;

 private:
  const IdentityDeps& deps_;
  const store::Cursors cursors_;
};

}  // namespace mb::identity
