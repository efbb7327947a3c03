#include "projects/setup_code.h"

#include <unistd.h>

#include <cerrno>

#include "base/crypto.h"
#include "base/files.h"
#include "base/log.h"

namespace mb::projects {

namespace {

constexpr size_t kRandomBytes = 16;
constexpr size_t kMaxFileBytes = 256;
constexpr size_t kMinCharacters = 20;

Result<> removeFile(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) == 0) return syncDirectory(path.parent_path());
  if (errno == ENOENT) return {};
  return fileError("remove", path);
}

}  // namespace

Result<> SetupCode::open(bool hasFirstUser) {
  if (hasFirstUser) return removeFile(path_);
  auto kept = readValue(path_, kMaxFileBytes);
  if (!kept && kept.error().code() == ErrorCode::notFound) {
    text_ = randomToken(kRandomBytes);
    return writeDurably(path_, *text_ + "\n");
  }
  if (!kept) return fail(std::move(kept).error());
  if (kept->size() < kMinCharacters) {
    return fail(ErrorCode::internal,
                fmt::format("the file {} holds an invalid set-up code: remove it and start again", path_.string()));
  }
  text_ = *std::move(kept);
  return {};
}

bool SetupCode::matches(std::string_view given) const {
  return text_ && equalConstantTime(*text_, given);
}

void SetupCode::discard() {
  std::call_once(discarded_, [this] {
    remover_ = std::jthread([path = path_] {
      const Result<> removed = removeFile(path);
      if (!removed) {
        logWarn("used set-up code file not removed; the next start removes it",
                {{"problem", removed.error().message()}});
      }
    });
  });
}

}  // namespace mb::projects
