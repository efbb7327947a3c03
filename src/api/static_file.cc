#include "api/static_file.h"

#include "http/conditional.h"
#include "http/encoding.h"

namespace mb::api {

Result<Reply> staticFile(const http::Request& request, const pages::Asset& file, std::string_view tag,
                         std::string_view caching) {
  const bool compressed = !file.gzip.empty() && http::acceptsGzip(request);
  std::string entityTag = "\"" + std::string(tag) + (compressed ? "-gzip" : "") + "\"";
  const bool known = http::isNotModified(request, entityTag);
  std::string bytes;
  if (!known && !compressed && file.bytes.empty()) {
    // Few clients refuse gzip, so that this form is made for each of their requests.
    auto inflated = http::gunzip(file.gzip);
    if (!inflated) return fail(ErrorCode::unavailable, "the server is busy");
    bytes = *std::move(inflated);
  } else if (!known) {
    bytes = compressed ? file.gzip : file.bytes;
  }
  Reply reply{known ? http::Response::empty(304) : http::Response::text(200, file.contentType, std::move(bytes))};
  auto& headers = reply.response.headers;
  if (compressed && !known) headers.emplace_back("content-encoding", "gzip");
  // The connection adds it to an uncompressed 200, which it could compress.
  if (!file.gzip.empty() && (compressed || known)) headers.emplace_back("vary", "accept-encoding");
  headers.emplace_back("cache-control", caching);
  headers.emplace_back("etag", std::move(entityTag));
  headers.emplace_back("x-content-type-options", "nosniff");
  return reply;
}

}  // namespace mb::api
