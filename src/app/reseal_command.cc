// `manybase keys reseal`: changes the deployment's secret (secret_rotation.h).
#include "app/command.h"
#include "app/data_directory.h"
#include "app/secret_rotation.h"
#include "base/blocking.h"
#include "base/files.h"
#include "identity/signing_keys.h"

namespace mb::app {

namespace {

Result<Secret> newSecret(const cli::Arguments& arguments) {
  if (!has(arguments, "new-secret-file")) {
    std::array<uint8_t, 32> bytes{};
    fillRandom(bytes);
    return Secret(toBase64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  return readSecret(valueOf(arguments, "new-secret-file"));
}

// The deployment's secret, which must be the one that seals all values.
Result<Secret> currentSecret(Deployment& deployment) {
  std::optional<Secret> given;
  if (deployment.secretGiven) given = deployment.secret;
  RETURN_IF_ERROR(recoverSecretRotation(deployment.store, deployment.cores, given, deployment.directory));
  TRY(const std::optional<Secret> text, secretText(given, deployment.directory));
  if (!text) return fail(ErrorCode::notFound, "the deployment's secret is missing: set SERVICE_SECRET to it");
  TRY(const MasterSecret master, parseMasterSecret(text->reveal()));
  TRY(const identity::SecretFit fit, runBlocking(deployment.cores, identity::fitOf(deployment.store, &master)));
  if (fit == identity::SecretFit::wrong) return fail(ErrorCode::conflict, std::string(identity::kOtherSecret));
  return *text;
}

cli::Outcome outcomeOf(const Resealed& count, std::string_view place, const std::string& where) {
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendInteger("values", static_cast<int64_t>(count.values));
  result.appendInteger("unreadable", static_cast<int64_t>(count.unreadable));
  result.appendString("secret", place);
  outcome.result = result.finish();
  outcome.text = fmt::format("{} values are sealed under the new secret.\n{}\n", count.values, where);
  if (count.unreadable > 0) {
    outcome.text +=
        fmt::format("{} values were sealed under another secret already and stay unreadable.\n", count.unreadable);
  }
  outcome.text +=
      "Keep the former secret as long as backups made under it. The files hold values sealed under it until "
      "`manybase compact` rewrites them.";
  return outcome;
}

}  // namespace

Result<cli::Outcome> resealKeys(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) {
  if (deployment.identity != nullptr) {
    return fail(ErrorCode::conflict, "a server runs on this data directory: stop it before the secret is changed");
  }
  if (const store::Peers* const peers = deployment.store.peers()) {
    TRY(const bool others, peers->hasOthers());
    if (others) {
      return fail(
          ErrorCode::conflict,
          "a server runs on this database, or was killed less than half a minute ago: stop it before the secret "
          "is changed");
    }
  }
  TRY(const Secret next, newSecret(arguments));
  TRY(const Secret current, currentSecret(deployment));
  if (next.reveal() == current.reveal()) return fail(ErrorCode::validation, "the new secret is the current one");
  TRY(const MasterSecret from, parseMasterSecret(current.reveal()));
  TRY(const MasterSecret to, parseMasterSecret(next.reveal()));
  const std::filesystem::path& directory = deployment.directory;
  const bool made = !has(arguments, "new-secret-file");
  const std::string written = std::string(next.reveal()) + "\n";

  SecretRotation change(deployment.store, deployment.cores, sealedFields(), progress);
  TRY(const Resealed count, change.prepare(from, to));
  // Durable before anything depends on it.
  if (!deployment.secretGiven) RETURN_IF_ERROR(writeDurably(directory / kNextSecretFile, written));
  if (deployment.secretGiven && made) RETURN_IF_ERROR(writeDurably(directory / kMadeSecretFile, written));
  doc::BsonWriter details;
  details.appendInteger("values", static_cast<int64_t>(count.values));
  RETURN_IF_ERROR(
      change.decide(to, deployment.clock.now(),
                    deployment.auditor.entry(store::kControlProject, "secret.change", {"server", "", std::nullopt},
                                             "secret", "", "", details.finish())));
  if (!deployment.secretGiven) RETURN_IF_ERROR(promoteNextSecret(directory));
  RETURN_IF_ERROR(change.promote());

  if (!deployment.secretGiven) {
    return outcomeOf(count, "directory", fmt::format("It is in {}.", (directory / kSecretFile).string()));
  }
  const std::string file = made ? (directory / kMadeSecretFile).string() : valueOf(arguments, "new-secret-file");
  return outcomeOf(
      count, "environment",
      fmt::format("Before the server starts again, set SERVICE_SECRET (or the file that SERVICE_SECRET_FILE "
                  "names) to the content of {}{}.",
                  file, made ? ", and remove that file" : ""));
}

}  // namespace mb::app
