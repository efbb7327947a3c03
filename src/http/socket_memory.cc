#include "http/socket_memory.h"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <limits>

namespace mb::http {

namespace {

constexpr size_t kShare = 16;
constexpr size_t kMinBytes = 32 << 20;

size_t ofMachine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(bytes) : 0;
}

// The file holds "max" if there is no limit; that does not parse as a number.
size_t ofControlGroup() {
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  size_t bytes = 0;
  return limit >> bytes ? bytes : std::numeric_limits<size_t>::max();
}

}  // namespace

size_t defaultSocketMemory() {
  return std::max(std::min(ofMachine(), ofControlGroup()) / kShare, kMinBytes);
}

}  // namespace mb::http
