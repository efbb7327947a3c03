// The files of assets/ and the parts of others, as the build put them into the program. Private to pages/.
#pragma once

#include <span>
#include <string_view>

namespace mb::pages {

struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;
  std::string_view gzip = {};  // the same compressed, where the build did that
};

// Sorted by name.
std::span<const EmbeddedFile> embeddedFiles();

}  // namespace mb::pages
