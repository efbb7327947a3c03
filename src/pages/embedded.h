// The files of assets/, the third-party parts and the TypeScript SDK, embedded by the build. Private to pages/.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace mb::pages {

struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;
  std::string_view gzip = {};  // the same compressed, if the build compressed it
};

// An embedded array as text.
template <size_t N>
std::string_view textOf(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N};
}

// The files of the pages, sorted by name.
std::span<const EmbeddedFile> embeddedFiles();
// The files of the SDK, sorted by name.
std::span<const EmbeddedFile> embeddedSdk();

}  // namespace mb::pages
