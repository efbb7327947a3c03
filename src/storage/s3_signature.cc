#include "storage/s3_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <ctime>

namespace mb::storage {

namespace {

std::string_view bytesOf(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string canonicalQuery(S3Query query) {
  for (auto& [name, value] : query) {
    name = boost::urls::encode(name, boost::urls::unreserved_chars);
    value = boost::urls::encode(value, boost::urls::unreserved_chars);
  }
  std::ranges::sort(query);
  std::string text;
  for (const auto& [name, value] : query) text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
  return text;
}

std::vector<std::pair<std::string, std::string>> signedHeaders(const StorageSettings::S3& settings,
                                                               const S3Request& request, Timestamp at) {
  const std::time_t seconds = at.ms / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  const std::string time(text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts));
  const std::string day = time.substr(0, 8);
  constexpr std::string_view kNames = "host;x-amz-content-sha256;x-amz-date";
  const std::string canonical =
      fmt::format("{}\n{}\n{}\nhost:{}\nx-amz-content-sha256:{}\nx-amz-date:{}\n\n{}\n{}", request.method, request.path,
                  request.query, request.host, request.bodySum, time, kNames, request.bodySum);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, settings.region);
  const std::string toSign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", time, scope, toHex(sha256(canonical)));
  Digest key = hmacSha256("AWS4" + std::string(settings.secretKey.reveal()), day);
  for (const std::string_view part :
       {std::string_view(settings.region), std::string_view("s3"), std::string_view("aws4_request")}) {
    key = hmacSha256(bytesOf(key), part);
  }
  const std::string signature = toHex(hmacSha256(bytesOf(key), toSign));
  return {{"x-amz-date", time},
          {"x-amz-content-sha256", std::string(request.bodySum)},
          {"authorization", fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                                        settings.accessKey, scope, kNames, signature)}};
}

}  // namespace mb::storage
