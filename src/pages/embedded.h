// The files of assets/, the third-party parts, the TypeScript SDK and the dashboard, embedded by the build. Private to
// pages/.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace mb::pages {

struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;      // empty: only the compressed form is embedded
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
// The page of the dashboard and the files that it loads, sorted by name.
std::span<const EmbeddedFile> embeddedDashboard();

}  // namespace mb::pages
