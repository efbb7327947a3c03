// `manybase keys list` and `keys rotate`. On a running server the new key signs at once.
#include "app/command.h"
#include "app/data_directory.h"
#include "app/secret_rotation.h"
#include "base/blocking.h"
#include "identity/identity.h"

namespace mb::app {

namespace {

store::Deadline deadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(30);
}

// The running server's keys; without a server, keys opened on the store.
class HeldKeys {
 public:
  static Result<std::unique_ptr<HeldKeys>> of(Deployment& deployment) {
    auto held = std::make_unique<HeldKeys>();
    if (deployment.identity != nullptr) {
      held->keys_ = &deployment.identity->signingKeys();
      return held;
    }
    std::optional<Secret> given;
    if (deployment.secretGiven) given = deployment.secret;
    RETURN_IF_ERROR(recoverSecretRotation(deployment.store, deployment.cores, given, deployment.directory));
    TRY(const std::optional<Secret> text, secretText(given, deployment.directory));
    if (!text) return fail(ErrorCode::notFound, "there are no keys yet: start a server once");
    TRY(held->master_, parseMasterSecret(text->reveal()));
    held->own_.emplace(identity::SigningKeyDeps{deployment.store, deployment.clock, deployment.auditor, *held->master_},
                       held->tokens_.emplace("", deployment.clock));
    held->keys_ = &*held->own_;
    return held;
  }
  identity::SigningKeys& get() { return *keys_; }

 private:
  std::optional<MasterSecret> master_;
  std::optional<identity::Tokens> tokens_;
  std::optional<identity::SigningKeys> own_;
  identity::SigningKeys* keys_ = nullptr;
};

cli::Outcome outcomeOf(const std::vector<identity::SigningKeyView>& keys) {
  cli::Outcome outcome;
  doc::BsonWriter result;
  doc::encodeValue(result, "keys", keys);
  outcome.result = result.finish();
  for (const identity::SigningKeyView& key : keys) {
    const auto& until = key.verifiesUntil.value;
    outcome.text += fmt::format("{}  created {}  {}\n", key.id, toRfc3339(key.createdAt),
                                until ? "verifies until " + toRfc3339(*until) : "signs");
  }
  return outcome;
}

}  // namespace

Result<cli::Outcome> listKeys(Deployment& deployment, const cli::Arguments&, Progress&) {
  TRY(const auto held, HeldKeys::of(deployment));
  TRY(const auto keys, runBlocking(deployment.cores, held->get().list()));
  if (keys.empty()) return fail(ErrorCode::notFound, "there are no keys yet: start a server once");
  return outcomeOf(keys);
}

Result<cli::Outcome> rotateKeys(Deployment& deployment, const cli::Arguments& arguments, Progress&) {
  TRY(const auto held, HeldKeys::of(deployment));
  const auto old = has(arguments, "drop-old") ? identity::OldKeys::drop : identity::OldKeys::keep;
  TRY(const auto keys,
      runBlocking(deployment.cores, held->get().rotate(old, {"server", "", std::nullopt}, deadline())));
  return outcomeOf(keys);
}

}  // namespace mb::app
