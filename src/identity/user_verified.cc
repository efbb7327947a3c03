// Registration of users whose address is already verified.
#include "identity/email.h"
#include "identity/user_names.h"
#include "identity/users.h"

namespace mb::identity {

Task<UserRecord> Users::addProven(Realm realm, std::string email, std::optional<std::string> name,
                                  store::Deadline deadline, bool local) {
  CO_TRY(Email address, parseEmail(email));
  UserRecord user;
  user.id = deps_.ids.next<UserTag>();
  user.email = std::move(address.text);
  user.emailKey = std::move(address.key);
  user.emailVerified = true;
  setName(user, {std::move(name)});
  user.createdAt = user.updatedAt = deps_.clock.now();
  if (realm.control) {
    user.platformRole = kDefaultUserRole;
    user.plan = kFreePlan;
  }
  Addition addition{.password = {}, .claims = {.local = local}, .actor = {realm.userKind(), user.id.str()}};
  co_return co_await commit(std::move(realm), std::move(user), std::move(addition), {}, deadline);
}

}  // namespace mb::identity
