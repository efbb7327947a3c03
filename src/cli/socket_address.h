// The address of a data directory's command socket. The path in a unix socket's address holds 107 bytes; where the
// directory's own is longer it is held open and named through /proc/self/fd, which is short.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>

#include "base/descriptor.h"
#include "base/error.h"

namespace mb::cli {

inline constexpr std::string_view kSocketName = "control.sock";

class SocketAddress {
 public:
  // The address of `directory`/`name`, whether or not it exists. Fails with notFound where there is no such directory.
  static Result<SocketAddress> of(const std::filesystem::path& directory, std::string_view name = kSocketName);
  // Valid while this object lives.
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return sizeof address_; }
  const char* path() const { return address_.sun_path; }

 private:
  SocketAddress() = default;
  Descriptor directory_;
  sockaddr_un address_{};
};

}  // namespace mb::cli
