#include "storage/signed_links.h"

#include <fmt/format.h>

namespace mb::storage {

std::string SignedLinks::sign(std::string_view project, std::string_view bucketId, std::string_view path,
                              int64_t expires) const {
  std::string text;
  for (const std::string_view part : {project, bucketId, path}) text += fmt::format("{}:{}", part.size(), part);
  text += std::to_string(expires);
  return toHex(hmacSha256(key_.reveal(), text));
}

bool SignedLinks::verify(std::string_view project, std::string_view bucketId, std::string_view path, int64_t expires,
                         std::string_view signature) const {
  return equalConstantTime(sign(project, bucketId, path, expires), signature);
}

}  // namespace mb::storage
