#include "base/latin1.h"

#include "base/utf8.h"

namespace mb {

std::string asUtf8(std::string_view bytes) {
  if (isUtf8(bytes)) return std::string(bytes);
  std::string out;
  for (const char c : bytes) appendUtf8(out, static_cast<unsigned char>(c));
  return out;
}

}  // namespace mb
