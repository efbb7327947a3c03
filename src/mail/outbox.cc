#include "mail/outbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/descriptor.h"

namespace mb::mail {

namespace {

std::unexpected<Error> failed(const std::filesystem::path& path) {
  return fail(Error(ErrorCode::internal, "a mail could not be kept in the outbox")
                  .withCause(path.string() + ": " + std::generic_category().message(errno)));
}

bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<std::filesystem::path> Outbox::keep(std::string_view name, std::string_view message) {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return failed(folder_);
  const std::filesystem::path path = folder_ / (std::string(name) + ".eml");
  const std::filesystem::path partial = path.string() + ".partial";
  const Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.open()) return failed(partial);
  if (!writeAll(file.get(), message) || ::fsync(file.get()) != 0 || ::rename(partial.c_str(), path.c_str()) != 0)
    return failed(path);
  trim();
  return path;
}

void Outbox::trim() const {
  std::vector<std::filesystem::path> mails;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (entry.path().extension() == ".eml") mails.push_back(entry.path());
  }
  if (mails.size() <= max_) return;
  std::ranges::sort(mails);
  mails.resize(mails.size() - max_);
  for (const auto& path : mails) std::filesystem::remove(path, ignored);
}

}  // namespace mb::mail
