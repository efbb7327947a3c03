#include "app/open_deployment.h"

#include "app/checkpoint.h"
#include "app/data_directory.h"
#include "app/secret_rotation.h"

namespace mb::app {

Result<std::unique_ptr<OpenDeployment>> OpenDeployment::open(const CommandContext& context) {
  std::unique_ptr<OpenDeployment> made(new OpenDeployment(context.audit));
  RETURN_IF_ERROR(made->fill(context));
  return made;
}

Result<> OpenDeployment::fill(const CommandContext& context) {
  const std::filesystem::path& directory = context.directory;
  std::error_code failed;
  if (!context.storeSettings.isOnMongo() && !std::filesystem::is_directory(directory / "store", failed)) {
    return fail(ErrorCode::notFound, fmt::format("there is no store in {}", directory.string()));
  }
  StoreSettings settings = context.storeSettings;
  settings.mongo.existing = true;
  TRY(opened_, openStore(settings, directory, cores_, clock_));
  cores_.start();
  store::MainStore& store = *opened_.store;
  if (opened_.embedded != nullptr) removeLeftCheckpoints(directory);
  // An incomplete recovery is reported by the commands that need the secret.
  (void)recoverSecretRotation(store, cores_, context.givenSecret, directory);
  TRY(std::optional<Secret> secret, secretText(context.givenSecret, directory));
  ids_.startAbove(store.idFloorMs());
  store.rememberIdsOf(ids_);
  accounts_.emplace(billing::AccountsDeps{store, clock_, auditor_});
  plans_.emplace(*accounts_);
  deployment_.emplace(Deployment{directory, store, opened_.embedded, cores_, ids_, clock_, auditor_, std::move(secret),
                                 context.version, context.givenSecret.has_value(), nullptr, context.deliversMail,
                                 nullptr, nullptr, context.billing ? &*plans_ : nullptr});
  return {};
}

OpenDeployment::~OpenDeployment() {
  if (opened_.store) opened_.store->close();
  cores_.stop();
  cores_.join();
}

}  // namespace mb::app
