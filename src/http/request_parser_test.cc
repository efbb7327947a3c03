#include "http/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mb::http {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

using Status = RequestParser::Status;

constexpr size_t kMaxHead = 1024;
constexpr size_t kMaxHeaders = 10;

// The result of parsing some bytes, fed `step` at a time.
struct Parsed {
  Status status = Status::needMore;
  Request request;
  Framing framing;
  std::string body;
  size_t used = 0;
  std::optional<ErrorCode> error;
  std::string bytes;
};

Parsed parse(std::string_view bytes, size_t step, size_t limit = 1 << 20) {
  Parsed parsed;
  parsed.bytes = bytes;
  const std::string_view all = parsed.bytes;
  RequestParser parser(kMaxHead, kMaxHeaders);
  parser.reset();
  size_t have = 0;
  while (parsed.status == Status::needMore && have < all.size()) {
    have = std::min(all.size(), have + step);
    // A copy each time: the bytes may have moved when more have arrived.
    parsed.status = parser.parseHead(std::string(all.substr(0, have)));
  }
  if (parsed.status == Status::done) {
    parser.fill(parsed.request, all);
    parsed.framing = parser.framing();
    parsed.used = parsed.framing.headBytes;
  }
  if (parsed.status == Status::done && parsed.framing.chunked) {
    while (true) {
      size_t consumed = 0;
      parsed.status = parser.parseChunks(all.substr(parsed.used, have - parsed.used), consumed, parsed.body, limit);
      parsed.used += consumed;
      if (parsed.status != Status::needMore || have == all.size()) break;
      have = std::min(all.size(), have + step);
    }
  }
  if (parsed.status == Status::failed) parsed.error = parser.takeError().code();
  return parsed;
}

TEST(RequestParser, ReadsAHeadHoweverItArrives) {
  constexpr std::string_view kBytes =
      "POST /api/v1/posts?limit=1&x HTTP/1.1\r\nHost: example.org:80\r\nContent-Length: 12\r\nX-A:  b "
      "\t\r\nX-Empty:\r\n\r\n"
      "twelve bytes";
  for (const size_t step : {1, 2, 3, 7, 1000}) {
    const Parsed parsed = parse(kBytes, static_cast<size_t>(step));
    ASSERT_EQ(parsed.status, Status::done) << step;
    EXPECT_EQ(parsed.request.method, Method::post);
    EXPECT_EQ(parsed.request.target, "/api/v1/posts?limit=1&x");
    EXPECT_EQ(parsed.request.path, "/api/v1/posts");
    EXPECT_EQ(parsed.request.query, "limit=1&x");
    EXPECT_EQ(parsed.request.headers.size(), 4U);
    EXPECT_EQ(parsed.request.header("x-a"), "b");
    EXPECT_EQ(parsed.request.header("x-empty"), "");
    EXPECT_EQ(parsed.framing.contentLength, 12U);
    EXPECT_TRUE(parsed.framing.keepAlive);
    EXPECT_FALSE(parsed.framing.http10);
    EXPECT_EQ(kBytes.substr(parsed.framing.headBytes), "twelve bytes");
  }
}

struct Good {
  std::string_view head;
  Method method;
  std::string_view path;
  std::string_view query;
};

TEST(RequestParser, TakesEveryFormOfTarget) {
  constexpr Good kCases[] = {
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", Method::get, "/", ""},
      {"GET /a?b?c HTTP/1.1\r\nHost: x\r\n\r\n", Method::get, "/a", "b?c"},
      {"GET /? HTTP/1.1\r\nHost: x\r\n\r\n", Method::get, "/", ""},
      {"GET /\xC3\xA9 HTTP/1.1\r\nHost: x\r\n\r\n", Method::get, "/\xC3\xA9", ""},
      {"HEAD http://example.org/a?b HTTP/1.1\r\nHost: x\r\n\r\n", Method::head, "/a", "b"},
      {"PUT HTTPS://example.org HTTP/1.1\r\nHost: x\r\n\r\n", Method::put, "/", ""},
      {"PATCH http://example.org?q=/ HTTP/1.1\r\nHost: x\r\n\r\n", Method::patch, "/", "q=/"},
      {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", Method::options, "*", ""},
      {"DELETE //a//b HTTP/1.1\r\nHost:\r\n\r\n", Method::remove, "//a//b", ""},
      {"BREW /pot HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", Method::other, "/pot", ""},
      {"\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", Method::get, "/", ""},
      {"GET / HTTP/1.0\r\n\r\n", Method::get, "/", ""},
  };
  for (const Good& wanted : kCases) {
    for (const size_t step : {1, 1000}) {
      const Parsed parsed = parse(wanted.head, static_cast<size_t>(step));
      ASSERT_EQ(parsed.status, Status::done) << wanted.head;
      EXPECT_EQ(parsed.request.method, wanted.method) << wanted.head;
      EXPECT_EQ(parsed.request.path, wanted.path) << wanted.head;
      EXPECT_EQ(parsed.request.query, wanted.query) << wanted.head;
      EXPECT_EQ(parsed.used, wanted.head.size());
    }
  }
}

TEST(RequestParser, KnowsWhetherTheConnectionGoesOn) {
  constexpr std::tuple<std::string_view, bool> kCases[] = {
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive, CLOSE\r\n\r\n", false},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
  };
  for (const auto& [head, keepAlive] : kCases) {
    const Parsed parsed = parse(head, 1000);
    ASSERT_EQ(parsed.status, Status::done) << head;
    EXPECT_EQ(parsed.framing.keepAlive, keepAlive) << head;
    EXPECT_EQ(parsed.request.http10, head.find("HTTP/1.0") != std::string_view::npos) << head;
  }
}

TEST(RequestParser, ExpectationsAreThoseOfHttp11) {
  EXPECT_TRUE(parse("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n", 1000)
                  .framing.expectsContinue);
  EXPECT_FALSE(
      parse("PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", 1000).framing.expectsContinue);
  EXPECT_FALSE(parse("PUT / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n", 1000).framing.expectsContinue);
}

struct Bad {
  std::string_view name;
  std::string head;
  ErrorCode code = ErrorCode::validation;
};

std::string get(std::string_view headers) {
  return "GET / HTTP/1.1\r\nHost: x\r\n" + std::string(headers) + "\r\n";
}

const std::vector<Bad>& badHeads() {
  static const std::vector<Bad> all = {
      {"not HTTP", "\x16\x03\x01\x02"},
      {"space first", " GET / HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"NUL first", "\0GET / HTTP/1.1\r\n\r\n"s},
      {"no version (HTTP/0.9)", "GET /\r\n\r\n"},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n"},
      {"HTTP/9.9", "GET / HTTP/9.9\r\nHost: x\r\n\r\n"},
      {"small http", "GET / http/1.1\r\nHost: x\r\n\r\n"},
      {"version cut", "GET / HTTP/1\r\nHost: x\r\n\r\n"},
      {"method with a colon", "GE:T / HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"two spaces", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"space in target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"tab in target", "GET /a\tb HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"NUL in target", "GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n"s},
      {"fragment in target", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"relative target", "GET a HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"star without OPTIONS", "GET * HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"authority form", "CONNECT example.org:80 HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"other scheme", "GET ftp://example.org/ HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"absolute without host", "GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"line feed alone after the request line", "GET / HTTP/1.1\nHost: x\r\n\r\n"},
      {"line feed alone after a header", "GET / HTTP/1.1\r\nHost: x\n\r\n"},
      {"line feeds only", "GET / HTTP/1.1\nHost: x\n\n"},
      {"line feed alone at the end", "GET / HTTP/1.1\r\nHost: x\r\n\n"},
      {"carriage return in a value", get("X: a\rb\r\n")},
      {"carriage return twice", get("X: a\r\r\n")},
      {"NUL in a value", get("X: a\0b\r\n"sv)},
      {"control character in a value", get("X: a\x01z\r\n")},
      {"DEL in a value", get("X: a\x7f\r\n")},
      {"NUL in a name", get("X\0: a\r\n"sv)},
      {"header without colon", get("X\r\n")},
      {"empty name", get(": a\r\n")},
      {"space before the colon", get("X : a\r\n")},
      {"space in a name", get("X Y: a\r\n")},
      {"folded value", get("X: a\r\n b\r\n")},
      {"folded with a tab", get("X: a\r\n\tb\r\n")},
      {"space before the first header", "GET / HTTP/1.1\r\n Host: x\r\n\r\n"},
      {"no host", "GET / HTTP/1.1\r\nX: y\r\n\r\n"},
      {"two hosts", get("Host: x\r\n")},
      {"two hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n"},
      {"host with a path", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n"},
      {"host with user information", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"},
      {"host list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"},
      {"two types", get("Content-Type: a/b\r\nContent-Type: a/b\r\n")},
      {"two callers", get("Authorization: Bearer a\r\nauthorization: Bearer b\r\n")},
      {"length not a number", get("Content-Length: x\r\n")},
      {"length empty", get("Content-Length:\r\n")},
      {"length negative", get("Content-Length: -1\r\n")},
      {"length with a plus", get("Content-Length: +1\r\n")},
      {"length in hexadecimal", get("Content-Length: 0x10\r\n")},
      {"length with a space inside", get("Content-Length: 1 0\r\n")},
      {"length past 64 bits", get("Content-Length: 99999999999999999999999\r\n")},
      {"length past reason", get("Content-Length: 9223372036854775807\r\n"), ErrorCode::payloadTooLarge},
      {"length twice, different", get("Content-Length: 1\r\nContent-Length: 2\r\n")},
      {"length twice, the same", get("Content-Length: 1\r\nContent-Length: 1\r\n")},
      {"length list", get("Content-Length: 1, 1\r\n")},
      {"length and chunked", get("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")},
      {"chunked and length", get("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n")},
      {"unknown coding", get("Transfer-Encoding: gzip\r\n")},
      {"coding before chunked", get("Transfer-Encoding: gzip, chunked\r\n")},
      {"coding after chunked", get("Transfer-Encoding: chunked, gzip\r\n")},
      {"chunked twice", get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
      {"chunked with something", get("Transfer-Encoding: chunkedx\r\n")},
      {"chunked quoted", get("Transfer-Encoding: \"chunked\"\r\n")},
      {"identity and length", get("Transfer-Encoding: identity\r\nContent-Length: 1\r\n")},
      {"empty coding", get("Transfer-Encoding:\r\n")},
      {"chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"too many headers", get("a: 1\r\na: 1\r\na: 1\r\na: 1\r\na: 1\r\na: 1\r\na: 1\r\na: 1\r\na: 1\r\na: 1\r\n"),
       ErrorCode::headersTooLarge},
      {"long header", get("X: " + std::string(kMaxHead, 'a') + "\r\n"), ErrorCode::headersTooLarge},
      {"long target", "GET /" + std::string(kMaxHead, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n",
       ErrorCode::headersTooLarge},
      {"endless line", std::string(kMaxHead + 1, 'a'), ErrorCode::headersTooLarge},
      {"line past the limit, badly ended", std::string(kMaxHead + 1, 'a') + "\n", ErrorCode::headersTooLarge},
      {"empty lines only", "\r\n\r\n\r\n\r\n\r\n\r\n"},
  };
  return all;
}

TEST(RequestParser, RefusesBadHeadsHoweverTheyArrive) {
  for (const Bad& bad : badHeads()) {
    for (const size_t step : {1, 2, 5, 5000}) {
      const Parsed parsed = parse(bad.head, static_cast<size_t>(step));
      EXPECT_EQ(parsed.status, Status::failed) << bad.name << " by " << step;
      EXPECT_EQ(parsed.error, bad.code) << bad.name << " by " << step;
    }
  }
}

TEST(RequestParser, WaitsForTheRestOfAHead) {
  const std::string head = get("X: a\r\n");
  for (size_t length = 0; length < head.size(); ++length) {
    EXPECT_EQ(parse(head.substr(0, length), 1000).status, Status::needMore) << length;
  }
}

std::string chunked(std::string_view body) {
  return "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n" + std::string(body);
}

TEST(RequestParser, DecodesChunksHoweverTheyArrive) {
  constexpr std::tuple<std::string_view, std::string_view> kCases[] = {
      {"0\r\n\r\n", ""},
      {"5\r\nhello\r\n0\r\n\r\n", "hello"},
      {"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"},
      {"00A\r\n0123456789\r\n000\r\n\r\n", "0123456789"},
      {"a\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
      {"3;name=value;b=\"c d\"\r\nabc\r\n0;last\r\n\r\n", "abc"},
      {"2\r\n\r\n\r\n0\r\n\r\n", "\r\n"},
      {"3\r\nabc\r\n0\r\nX-Trailer: ignored\r\nContent-Length: 7\r\n\r\n", "abc"},
  };
  for (const auto& [coded, body] : kCases) {
    for (const size_t step : {1, 2, 3, 1000}) {
      const Parsed parsed = parse(chunked(std::string(coded) + "GET /next"), static_cast<size_t>(step));
      ASSERT_EQ(parsed.status, Status::done) << coded << " by " << step;
      EXPECT_EQ(parsed.body, body) << coded;
      EXPECT_EQ(parsed.request.headers.size(), 2U) << "trailers are not headers";
      EXPECT_TRUE(std::string_view("GET /next").starts_with(std::string_view(parsed.bytes).substr(parsed.used, 1)));
      EXPECT_EQ(parsed.used, chunked(coded).size()) << coded << " by " << step;
    }
  }
}

TEST(RequestParser, RefusesBadChunksHoweverTheyArrive) {
  const std::pair<std::string_view, std::string> cases[] = {
      {"no size", "\r\nabc\r\n0\r\n\r\n"},
      {"not hexadecimal", "g\r\nabc\r\n0\r\n\r\n"},
      {"negative", "-3\r\nabc\r\n0\r\n\r\n"},
      {"prefix 0x", "0x3\r\nabc\r\n0\r\n\r\n"},
      {"space before", " 3\r\nabc\r\n0\r\n\r\n"},
      {"size past 64 bits", "fffffffffffffffff\r\nabc\r\n0\r\n\r\n"},
      {"line feed alone", "3\nabc\n0\n\n\r\n\r\n"},
      {"line feed alone behind the content", "3\r\nabc\n0\r\n\r\n"},
      {"content longer than said", "3\r\nabcd\r\n0\r\n\r\n"},
      {"content shorter than said", "5\r\nabc\r\n0\r\n\r\nxx"},
      {"carriage return alone", "3\rabc\r\n0\r\n\r\n"},
      {"carriage return in an extension", "3;a\rb\r\nabc\r\n0\r\n\r\n"},
      {"line feed in a quoted extension", "3;a=\"\n\"\r\nabc\r\n0\r\n\r\n"},
      {"NUL in an extension", "3;a=\"\0\"\r\nabc\r\n0\r\n\r\n"s},
      {"bad trailer", "0\r\nX Y: z\r\n\r\n"},
      {"trailer without colon", "0\r\nX\r\n\r\n"},
      {"folded trailer", "0\r\nX: y\r\n z\r\n\r\n"},
      {"line feed alone in a trailer", "0\r\nX: y\n\r\n"},
      {"space behind the size", "3 \r\nabc\r\n0\r\n\r\n"},
      {"endless extension", "3;" + std::string(kMaxHead * 2, 'a')},
      {"endless trailer", "0\r\nX: " + std::string(kMaxHead * 2, 'a')},
  };
  for (const auto& [name, coded] : cases) {
    for (const size_t step : {1, 2, 7, 5000}) {
      EXPECT_EQ(parse(chunked(coded), static_cast<size_t>(step)).error, ErrorCode::validation)
          << name << " by " << step;
    }
  }
}

TEST(RequestParser, ChunksEndAtTheLimit) {
  EXPECT_EQ(parse(chunked("5\r\nhello\r\n0\r\n\r\n"), 1000, 5).status, Status::done);
  EXPECT_EQ(parse(chunked("6\r\nhello!\r\n0\r\n\r\n"), 1000, 5).error, ErrorCode::payloadTooLarge);
  EXPECT_EQ(parse(chunked("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"), 1, 5).error, ErrorCode::payloadTooLarge);
  EXPECT_EQ(parse(chunked("ffffffffffffffff\r\n"), 1000, 5).error, ErrorCode::payloadTooLarge);
  EXPECT_EQ(parse(chunked("3\r\nabc\r\nfffffffffffffffd\r\nx"), 1000, 5).error, ErrorCode::payloadTooLarge);
}

TEST(RequestParser, FramingMayNotCostManyTimesTheContent) {
  std::string coded;
  for (int i = 0; i < 200; ++i) coded += "1;" + std::string(500, 'x') + "\r\na\r\n";
  EXPECT_EQ(parse(chunked(coded + "0\r\n\r\n"), 5000).error, ErrorCode::validation);
  coded.clear();
  for (int i = 0; i < 20'000; ++i) coded += "1\r\na\r\n";
  EXPECT_EQ(parse(chunked(coded + "0\r\n\r\n"), 5000).status, Status::done) << "small chunks are accepted";
}

TEST(RequestParser, BeginsAnewAfterReset) {
  RequestParser parser(kMaxHead, kMaxHeaders);
  Request request;
  const std::string first = get("X: 1\r\nConnection: close\r\n");
  const std::string second = "POST /b HTTP/1.1\r\nHost: y\r\n\r\n";
  ASSERT_EQ(parser.parseHead(first), Status::done);
  parser.reset();
  ASSERT_EQ(parser.parseHead(second), Status::done);
  parser.fill(request, second);
  EXPECT_EQ(request.path, "/b");
  EXPECT_EQ(request.headers.size(), 1U);
  EXPECT_TRUE(parser.framing().keepAlive);
}

}  // namespace
}  // namespace mb::http
