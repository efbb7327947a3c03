#include "api/static_file.h"

#include "http/conditional.h"
#include "http/encoding.h"

namespace mb::api {

Reply staticFile(const http::Request& request, const pages::Asset& file, std::string_view tag,
                 std::string_view caching) {
  const bool compressed = !file.gzip.empty() && http::acceptsGzip(request);
  std::string entityTag = "\"" + std::string(tag) + (compressed ? "-gzip" : "") + "\"";
  const bool known = http::isNotModified(request, entityTag);
  Reply reply{known ? http::Response::empty(304)
                    : http::Response::text(200, file.contentType, std::string(compressed ? file.gzip : file.bytes))};
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
