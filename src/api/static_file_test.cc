#include "api/static_file.h"

#include <gtest/gtest.h>

#include "http/response_writer.h"

namespace mb::api {
namespace {

constexpr pages::Asset kScript{"text/javascript; charset=utf-8", "plain", "compressed"};
constexpr pages::Asset kPackage{"application/gzip", "package"};

http::Response responseTo(std::vector<http::Header> headers, const pages::Asset& file) {
  http::Request request;
  request.headers = std::move(headers);
  return staticFile(request, file, "v1", "no-cache").value().response;
}

std::string headerIn(const http::Response& response, std::string_view name) {
  for (const auto& [each, value] : response.headers) {
    if (each == name) return value;
  }
  return {};
}

TEST(StaticFile, HasTheFormThatTheClientAccepts) {
  const http::Response plain = responseTo({}, kScript);
  EXPECT_EQ(plain.status, 200);
  EXPECT_EQ(plain.body, "plain");
  EXPECT_EQ(plain.contentType, kScript.contentType);
  EXPECT_EQ(headerIn(plain, "etag"), "\"v1\"");
  EXPECT_EQ(headerIn(plain, "cache-control"), "no-cache");
  EXPECT_EQ(headerIn(plain, "content-encoding"), "");
  const http::Response compressed = responseTo({{"accept-encoding", "br, gzip"}}, kScript);
  EXPECT_EQ(compressed.body, "compressed");
  EXPECT_EQ(headerIn(compressed, "content-encoding"), "gzip");
  EXPECT_EQ(headerIn(compressed, "vary"), "accept-encoding");
  EXPECT_EQ(headerIn(compressed, "etag"), "\"v1-gzip\"");
}

TEST(StaticFile, WithOneFormIsTheSameForAll) {
  const http::Response response = responseTo({{"accept-encoding", "gzip"}}, kPackage);
  EXPECT_EQ(response.body, "package");
  EXPECT_EQ(headerIn(response, "etag"), "\"v1\"");
  EXPECT_EQ(headerIn(response, "content-encoding"), "");
  EXPECT_EQ(headerIn(response, "vary"), "");
}

TEST(StaticFile, ThatIsThereCompressedOnlyIsInflatedForOthers) {
  http::Response made;
  made.body = std::string(3000, 'x') + "end";
  const std::string content = made.body;
  http::gzip(made);
  const pages::Asset file{"text/css; charset=utf-8", {}, made.body};
  const http::Response plain = responseTo({{"accept-encoding", "identity"}}, file);
  EXPECT_EQ(plain.body, content);
  EXPECT_EQ(headerIn(plain, "content-encoding"), "");
  EXPECT_EQ(headerIn(plain, "etag"), "\"v1\"");
  EXPECT_EQ(responseTo({{"accept-encoding", "gzip"}}, file).body, made.body);
  const pages::Asset broken{"text/css; charset=utf-8", {}, std::string_view(made.body).substr(0, made.body.size() - 4)};
  EXPECT_EQ(staticFile(http::Request(), broken, "v1", "no-cache").error().code(), ErrorCode::unavailable);
}

TEST(StaticFile, IsNotSentAgain) {
  for (const std::string_view accepted : {"gzip", "identity"}) {
    const std::string tag = headerIn(responseTo({{"accept-encoding", accepted}}, kScript), "etag");
    const http::Response again = responseTo({{"accept-encoding", accepted}, {"if-none-match", tag}}, kScript);
    EXPECT_EQ(again.status, 304) << accepted;
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(headerIn(again, "etag"), tag);
    EXPECT_EQ(headerIn(again, "vary"), "accept-encoding");
    EXPECT_EQ(headerIn(again, "content-encoding"), "");
  }
  // The other form is another entity.
  EXPECT_EQ(responseTo({{"accept-encoding", "gzip"}, {"if-none-match", "\"v1\""}}, kScript).status, 200);
  EXPECT_EQ(responseTo({{"if-none-match", "\"other\""}}, kPackage).status, 200);
}

}  // namespace
}  // namespace mb::api
