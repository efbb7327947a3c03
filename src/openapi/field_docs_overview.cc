#include "openapi/docs.h"

namespace mb::openapi {

namespace {

constexpr FieldDoc kOverviewFieldDocs[] = {
    {"UserPage.next", "The cursor of the page that follows; absent on the last page.", R"("Zm9ydHktdHdv")"},
    {"UserPage.total", "The exact number of matches.", "1"},
    {"UserPage.users", "The users.", "[]"},
    {"UserQuery.after", "The `next` of the page after which this one begins.", R"("Zm9ydHktdHdv")"},
    {"UserQuery.emailVerified", "Only users whose address is verified, or is not.", "true"},
    {"UserQuery.limit", "The maximum number of users; larger values are reduced to 1,000.", "50",
     R"({"minimum": 0, "default": 50})"},
    {"UserQuery.role", "Only users with this role; users without one have `user`.", R"("user")",
     R"({"minLength": 1, "maxLength": 64})"},
    {"UserQuery.sort",
     "Fields with 1 (ascending) or -1, among `id`, `email`, `name`, `createdAt` and `updatedAt`; ties by `id`, which "
     "is "
     "also the default.",
     R"([{"createdAt": -1}])", R"({"maxItems": 5})"},
    {"UserQuery.status", "Only users with this status.", R"("blocked")",
     R"({"enum": ["active", "inactive", "blocked"]})"},
    {"UserQuery.text", "Only users whose address or name begins with this, in any case; in names also without accents.",
     R"("ada")", R"({"maxLength": 254})"},
};

}  // namespace

std::span<const FieldDoc> overviewFieldDocs() {
  return kOverviewFieldDocs;
}

}  // namespace mb::openapi
