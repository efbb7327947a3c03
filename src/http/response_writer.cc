#include "http/response_writer.h"

#include <zlib.h>

#include <charconv>
#include <ctime>

#include "base/crypto.h"
#include "http/body.h"
#include "http/list_header.h"

namespace mb::http {

namespace {

constexpr size_t kGzipFrom = 1024;  // smaller bodies gain little from compression
constexpr int kGzipLevel = 1;       // for JSON the best ratio of gain to time

void appendNumber(std::string& out, size_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

// Values may contain text of a client; a line break in one would split the response.
void appendHeader(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  const size_t start = out.size();
  out += value;
  std::replace_if(
      out.begin() + static_cast<ptrdiff_t>(start), out.end(),
      [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7F; }, ' ');
  out += "\r\n";
}

// A weight of 0 is a refusal: "0", "0.", "0.000" (RFC 9110, 12.4.2).
bool isZeroWeight(std::string_view weight) {
  return !weight.empty() && weight.find_first_not_of("0.") == std::string_view::npos;
}

// Splits "gzip;q=0.5" into the coding and whether its weight refuses it.
std::pair<std::string_view, bool> readCoding(std::string_view item) {
  const size_t semicolon = item.find(';');
  const std::string_view coding = trimSpace(item.substr(0, semicolon));
  if (semicolon == std::string_view::npos) return {coding, false};
  const std::string_view parameter = trimSpace(item.substr(semicolon + 1));
  const bool weighted = parameter.starts_with("q=") || parameter.starts_with("Q=");
  return {coding, weighted && isZeroWeight(parameter.substr(2))};
}

// JSON, and the types of pages, scripts and style sheets.
bool isText(std::string_view contentType) {
  constexpr std::string_view kTypes[] = {"application/json", "application/graphql-response+json", "text/html",
                                         "text/javascript", "text/css"};
  return std::ranges::find(kTypes, contentType.substr(0, contentType.find(';'))) != std::end(kTypes);
}

constexpr int kGzipWindow = 15 + 16;  // zlib: 16 more means a gzip header

// One deflater per thread: its initialization costs more than compressing a small response.
class Deflater {
 public:
  Deflater() { ready_ = deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK; }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;

  // nullopt if zlib fails (out of memory).
  std::optional<std::string> compress(std::string_view in) {
    if (!ready_ || deflateReset(&stream_) != Z_OK) return std::nullopt;
    std::string out(deflateBound(&stream_, in.size()), '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) return std::nullopt;
    out.resize(stream_.total_out);
    return out;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

std::string_view httpDate() {
  thread_local std::time_t second = 0;
  thread_local char text[40];
  thread_local size_t length = 0;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    length = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    second = now;
  }
  return {text, length};
}

std::string_view reasonPhrase(int status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

// Up to 15 hexadecimal digits (they fit a string's inline buffer), distinct but not secret: a counter from a random
// start, scrambled (splitmix64, Steele et al. 2014).
void makeRequestId(std::string& id) {
  thread_local uint64_t state = randomU64();
  uint64_t z = (state += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  z ^= z >> 31;
  char digits[16];
  id.assign(digits, std::to_chars(digits, digits + sizeof digits, z >> 4, 16).ptr);
}

bool allowsBody(int status) {
  return status >= 200 && status != 204 && status != 304;
}

uint64_t bodyLength(const Response& response) {
  if (response.file.file) return response.file.length;
  return response.pieces ? response.pieces->size() : response.body.size();
}

void appendHead(std::string& out, const Response& response, std::string_view requestId, const HeadOptions& options) {
  out += "HTTP/1.1 ";
  appendNumber(out, static_cast<size_t>(response.status));
  out += ' ';
  out += reasonPhrase(response.status);
  out += "\r\n";
  if (!response.contentType.empty()) appendHeader(out, "content-type", response.contentType);
  for (const auto& [name, value] : response.headers) appendHeader(out, name, value);
  if (allowsBody(response.status)) {
    out += "content-length: ";
    appendNumber(out, bodyLength(response));
    out += "\r\n";
  }
  out += "date: ";
  out += httpDate();
  out += "\r\nx-request-id: ";
  out += requestId;
  if (options.close) out += "\r\nconnection: close";
  if (options.keepAlive) out += "\r\nconnection: keep-alive";
  out += "\r\n\r\n";
}

bool isCompressible(const Response& response) {
  if (response.body.size() <= kGzipFrom || !isText(response.contentType)) return false;
  if (!allowsBody(response.status) || response.status == 206) return false;
  return std::ranges::none_of(response.headers, [](const auto& header) { return header.first == "content-encoding"; });
}

bool acceptsGzip(const Request& request) {
  bool any = false;
  std::optional<bool> named;
  anyListed(request, "accept-encoding", [&](std::string_view item) {
    const auto [coding, refused] = readCoding(item);
    if (equalsIgnoreCase(coding, "gzip") || equalsIgnoreCase(coding, "x-gzip")) named = !refused;
    if (coding == "*") any = !refused;
    return named.has_value();
  });
  return named.value_or(any);
}

std::optional<std::string> gunzip(std::string_view gzip) {
  constexpr size_t kStep = 64 << 10;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    const size_t size = out.size();
    out.resize(size + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = kStep;
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) return std::nullopt;
  return out;
}

void gzip(Response& response) {
  thread_local Deflater deflater;
  auto compressed = deflater.compress(response.body);
  if (!compressed) return;
  response.body = *std::move(compressed);
  response.headers.emplace_back("content-encoding", "gzip");
}

}  // namespace mb::http
