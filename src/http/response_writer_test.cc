#include "http/response_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace mb::http {
namespace {

using namespace std::string_literals;

using testing::HasSubstr;
using testing::Not;

std::string headOf(const Response& response, HeadOptions options = {}) {
  std::string out;
  appendHead(out, response, "id-1", options);
  return out;
}

Request asking(std::vector<Header> headers) {
  Request request;
  request.headers = std::move(headers);
  return request;
}

std::string gunzip(const std::string& data) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(ResponseWriter, WritesTheHead) {
  Response response = Response::json(201, "{}");
  response.headers.emplace_back("x-more", "1");
  const std::string head = headOf(response);
  EXPECT_TRUE(head.starts_with("HTTP/1.1 201 Created\r\n"));
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\ncontent-type: application/json\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\ncontent-length: 2\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nx-more: 1\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nx-request-id: id-1\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\ndate: "));
  EXPECT_THAT(head, Not(HasSubstr("connection:")));
  EXPECT_THAT(headOf(response, {.close = true}), HasSubstr("\r\nconnection: close\r\n"));
  EXPECT_THAT(headOf(response, {.keepAlive = true}), HasSubstr("\r\nconnection: keep-alive\r\n"));
}

TEST(ResponseWriter, SomeStatusesHaveNoBody) {
  for (const int status : {204, 304}) {
    EXPECT_FALSE(allowsBody(status));
    EXPECT_THAT(headOf(Response::empty(status)), Not(HasSubstr("content-length")));
  }
  EXPECT_THAT(headOf(Response::empty(201)), HasSubstr("content-length: 0\r\n"));
}

TEST(ResponseWriter, ValuesCannotSplitTheResponse) {
  Response response = Response::empty(200);
  response.headers.emplace_back("x-quoted", "a\r\nset-cookie: b\0c"s);
  const std::string head = headOf(response);
  EXPECT_THAT(head, HasSubstr("x-quoted: a  set-cookie: b c\r\n"));
}

TEST(ResponseWriter, EveryStatusHasAPhrase) {
  for (const int status : {200, 201, 204, 304, 400, 401, 403, 404, 405, 408, 409, 413, 415, 426, 429, 431, 500, 503}) {
    EXPECT_NE(reasonPhrase(status), reasonPhrase(299)) << status;
  }
}

TEST(ResponseWriter, DateIsTheOneOfHttp) {
  EXPECT_THAT(std::string(httpDate()),
              testing::MatchesRegex("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT"));
}

TEST(ResponseWriter, RequestIdsAreDistinct) {
  std::string a;
  std::string b;
  makeRequestId(a);
  makeRequestId(b);
  EXPECT_NE(a, b);
  EXPECT_FALSE(a.empty());
  EXPECT_EQ(a.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Gzip, OnlyLargeTextThatHasABody) {
  const std::string large(1025, 'a');
  EXPECT_TRUE(isCompressible(Response::json(200, large)));
  EXPECT_TRUE(isCompressible(Response::json(400, large)));
  EXPECT_FALSE(isCompressible(Response::json(200, std::string(1024, 'a'))));
  EXPECT_TRUE(isCompressible(Response::text(200, "text/html; charset=utf-8", large)));
  EXPECT_TRUE(isCompressible(Response::text(200, "text/javascript", large)));
  EXPECT_FALSE(isCompressible(Response::text(200, "text/plain", large)));
  EXPECT_FALSE(isCompressible(Response::text(200, "", large)));
  EXPECT_FALSE(isCompressible(Response::json(204, large)));
  EXPECT_FALSE(isCompressible(Response::json(206, large)));
  Response encoded = Response::json(200, large);
  encoded.headers.emplace_back("content-encoding", "br");
  EXPECT_FALSE(isCompressible(encoded));
}

TEST(Gzip, IsAskedForByTheHeader) {
  const std::pair<std::string_view, bool> cases[] = {
      {"gzip", true},
      {"GZIP", true},
      {"deflate, gzip", true},
      {"gzip;q=1.0", true},
      {"gzip; q=0.001", true},
      {"br;q=1, gzip ; Q=0.5", true},
      {"*", true},
      {"br, *;q=0.1", true},
      {"x-gzip", true},
      {"", false},
      {"br", false},
      {"gzipped", false},
      {"gzip;q=0", false},
      {"gzip;q=0.000", false},
      {"gzip; q=0 , *", false},
      {"*, gzip;q=0", false},
      {"*;q=0", false},
      {"identity", false},
      {",,;,", false},
  };
  for (const auto& [value, wanted] : cases)
    EXPECT_EQ(acceptsGzip(asking({{"Accept-Encoding", value}})), wanted) << value;
  EXPECT_FALSE(acceptsGzip(asking({})));
  EXPECT_TRUE(acceptsGzip(asking({{"accept-encoding", "br"}, {"accept-encoding", "gzip"}})));
}

TEST(Gzip, ComesBackTheSame) {
  std::string body;
  for (int i = 0; i < 20'000; ++i) body += std::to_string(i * 7919) + ",";
  for (const size_t size : {size_t{1025}, size_t{5000}, body.size()}) {
    Response response = Response::json(200, body.substr(0, size));
    gzip(response);
    EXPECT_LT(response.body.size(), size);
    EXPECT_EQ(gunzip(response.body), body.substr(0, size));
    ASSERT_EQ(response.headers.size(), 1U);
    EXPECT_EQ(response.headers[0].second, "gzip");
  }
}

}  // namespace
}  // namespace mb::http
