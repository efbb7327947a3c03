// The files of assets/ and the third-party parts, embedded by the build. Private to pages/.
#pragma once

#include <span>
#include <string_view>

namespace mb::pages {

struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;
  std::string_view gzip = {};  // the same compressed, if the build compressed it
};

// Sorted by name.
std::span<const EmbeddedFile> embeddedFiles();

}  // namespace mb::pages
