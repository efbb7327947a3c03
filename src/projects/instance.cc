#include "projects/instance.h"

#include <algorithm>

#include "identity/email.h"
#include "identity/records.h"
#include "projects/membership_context.h"
#include "projects/records.h"

namespace mb::projects {

namespace {

std::unexpected<Error> accountDeleted() {
  return fail(ErrorCode::unauthenticated, "this account was deleted");
}

}  // namespace

InstanceSettings::InstanceSettings(Settings& settings)
    : operatorEmails(settings.list("SERVICE_OPERATORS",
                                   "any value switches operator routes on; addresses in it become super-admin when "
                                   "they register")),
      invitedOnly(settings.choice("SERVICE_CONTROL_REGISTRATION", "open", {"open", "invited"},
                                  "who may register on the control plane after the first user: any address, or only "
                                  "addresses with a pending invitation") == "invited") {
  operatorsEnabled = !operatorEmails.empty();
  std::erase_if(operatorEmails, [](const std::string& entry) { return entry.find('@') == std::string::npos; });
  for (auto& email : operatorEmails) email = identity::emailKey(email);
}

Task<bool> Instance::hasFirstUser() {
  if (!setUp_) {
    CO_TRY(const auto instance, co_await deps_.store.get(controlCollection(kInstance), std::string(kInstanceId)));
    if (instance) setUp_ = true;
  }
  co_return setUp_;
}

Task<SetupStatus> Instance::setupStatus(bool local) {
  CO_TRY(const bool setUp, co_await hasFirstUser());
  SetupStatus status;
  status.needsSetup = !setUp;
  status.setupCodeRequired = !setUp && !local;
  status.registrationOpen = !setUp || !settings_.invitedOnly;
  status.operatorsEnabled = settings_.operatorsEnabled;
  status.billingEnabled = billingEnabled_;
  status.connectionsEnabled = connectionsEnabled_;
  status.storageEnabled = storageEnabled_;
  status.byoEnabled = byoEnabled_;
  status.oauthProviders = oauthProviders_;
  co_return status;
}

Task<identity::UserRecord> Instance::user(std::string id) {
  CO_TRY(auto user, co_await deps_.users.get(identity::Realm::platform(), UserId(std::move(id))));
  if (!user) co_return accountDeleted();
  co_return *std::move(user);
}

Task<> Instance::changeUser(By by, AccountPatch patch) {
  if (!patch.notifyLimits) co_return Result<>();
  store::Write write = projectWrite(by, {}, {});
  const store::Target user = write.change(target(identity::kUsers, by.caller.id));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [user, notify = *patch.notifyLimits, now = deps_.clock.now()](const store::PreImages& before,
                                                                    store::Changes& changes) -> Result<> {
        TRY(std::optional<identity::UserRecord> record, fromStore<identity::UserRecord>(before[user]));
        if (!record) return accountDeleted();
        if (record->notifyLimits == notify) return {};
        record->notifyLimits = notify;
        record->updatedAt = now;
        changes.put(user, doc::encode(*record));
        return {};
      }));
  co_return Result<>();
}

}  // namespace mb::projects
