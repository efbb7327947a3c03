#include "cli/socket_address.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace mb::cli {

Result<SocketAddress> SocketAddress::of(const std::filesystem::path& directory, std::string_view name) {
  SocketAddress made;
  made.address_.sun_family = AF_UNIX;
  std::string path = (directory / name).string();
  if (path.size() >= sizeof made.address_.sun_path) {
    made.directory_ = Descriptor(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!made.directory_.open()) {
      return fail(ErrorCode::notFound, fmt::format("the directory {} cannot be opened: {}", directory.string(),
                                                   std::generic_category().message(errno)));
    }
    path = fmt::format("/proc/self/fd/{}/{}", made.directory_.get(), name);
  }
  std::copy_n(path.c_str(), path.size() + 1, made.address_.sun_path);
  return made;
}

}  // namespace mb::cli
