// The files of the dashboard, embedded by the build. Private to dashboard/.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace mb::dashboard {

struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;  // compressed, except index.html
};

// An embedded array as text.
template <size_t N>
std::string_view textOf(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N};
}

std::span<const EmbeddedFile> embeddedFiles();

}  // namespace mb::dashboard
