#include "api/file_response.h"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <charconv>
#include <ctime>

#include "base/text.h"
#include "http/body.h"
#include "http/conditional.h"
#include "storage/storage_rules.h"

namespace mb::api {

namespace {

constexpr int64_t kMsPerSecond = 1000;

class PiecesOfBlob final : public http::BodySource {
 public:
  PiecesOfBlob(std::shared_ptr<storage::BlobSource> source, uint64_t size) : source_(std::move(source)), size_(size) {}
  uint64_t size() const override { return size_; }
  Task<std::string_view> read() override { return source_->read(); }

 private:
  const std::shared_ptr<storage::BlobSource> source_;
  const uint64_t size_;
};

std::optional<uint64_t> numberOf(std::string_view text) {
  uint64_t value = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed == std::errc::result_out_of_range) return ~uint64_t{0};
  return value;
}

std::optional<int64_t> secondsOf(std::string_view httpDate) {
  std::tm parts{};
  const std::string text(httpDate);
  const char* end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return static_cast<int64_t>(::timegm(&parts));
}

// For GET and HEAD; if the request has an entity tag, the date is ignored.
bool isUnchanged(const http::Request& request, const std::string& etag, Timestamp changed) {
  if (request.header("if-none-match")) return http::isNotModified(request, etag);
  const auto since = request.header("if-modified-since");
  const std::optional<int64_t> seconds = since ? secondsOf(*since) : std::nullopt;
  return seconds && changed.ms / kMsPerSecond <= *seconds;
}

// Whether a part may be sent: there is no condition, or the file has not changed since the client read a part of it.
bool isStill(const http::Request& request, const std::string& etag, Timestamp changed) {
  const auto condition = request.header("if-range");
  if (!condition) return true;
  if (condition->starts_with('"') || condition->starts_with("W/")) return *condition == etag;
  return *condition == httpDateOf(changed);
}

std::string dispositionOf(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return "attachment; filename*=UTF-8''" + boost::urls::encode(name, boost::urls::unreserved_chars);
}

http::Response unsatisfiable(uint64_t size) {
  http::Response response =
      http::Response::failure(Error(ErrorCode::rangeNotSatisfiable, "the file does not have these bytes"));
  response.headers.emplace_back("content-range", fmt::format("bytes */{}", size));
  return response;
}

}  // namespace

std::string httpDateOf(Timestamp at) {
  const std::time_t seconds = at.ms / kMsPerSecond;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[64];
  return std::string(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
}

ByteRange byteRangeOf(std::string_view range, uint64_t size) {
  const size_t equals = range.find('=');
  if (equals == std::string_view::npos || !http::equalsIgnoreCase(trimmed(range.substr(0, equals), " \t"), "bytes"))
    return {};
  const std::string_view set = trimmed(range.substr(equals + 1), " \t");
  const size_t dash = set.find('-');
  if (dash == std::string_view::npos || set.contains(',')) return {};
  const std::string_view from = trimmed(set.substr(0, dash), " \t");
  const std::string_view to = trimmed(set.substr(dash + 1), " \t");
  const auto last = numberOf(to);
  if (!to.empty() && !last) return {};
  if (from.empty()) {
    if (!last) return {};
    if (*last == 0 || size == 0) return {ByteRange::Kind::unsatisfiable};
    const uint64_t length = std::min(*last, size);
    return {ByteRange::Kind::part, size - length, length};
  }
  const auto first = numberOf(from);
  if (!first || (last && *last < *first)) return {};
  if (*first >= size) return {ByteRange::Kind::unsatisfiable};
  const uint64_t end = last ? std::min(*last, size - 1) : size - 1;
  return {ByteRange::Kind::part, *first, end - *first + 1};
}

http::Response fileResponse(const http::Request& request, const storage::Files& files, storage::OpenFile file) {
  const auto record = std::make_shared<const storage::FileRecord>(std::move(file.record));
  const std::string etag = storage::viewOf(*record).etag;
  const auto size = static_cast<uint64_t>(record->size);
  const auto range = request.header("range");
  ByteRange part;
  if (range && request.method == http::Method::get && isStill(request, etag, record->updatedAt)) {
    part = byteRangeOf(*range, size);
  }
  http::Response response;
  if (isUnchanged(request, etag, record->updatedAt)) {
    response.status = 304;
  } else if (part.kind == ByteRange::Kind::unsatisfiable) {
    response = unsatisfiable(size);
  } else {
    const bool whole = part.kind == ByteRange::Kind::whole;
    if (whole) part = {part.kind, 0, size};
    response.status = whole ? 200 : 206;
    response.contentType = record->contentType;
    response.keeps = record;
    if (!whole) {
      response.headers.emplace_back("content-range",
                                    fmt::format("bytes {}-{}/{}", part.offset, part.offset + part.length - 1, size));
    }
    if (file.file) {
      response.file = {file.file, part.offset, part.length};
    } else {
      file.record = *record;
      response.pieces = std::make_shared<PiecesOfBlob>(files.source(file, part.offset, part.length), part.length);
    }
    if (!storage::isInert(record->contentType)) {
      response.headers.emplace_back("content-disposition", dispositionOf(record->path));
    }
  }
  response.headers.emplace_back("etag", etag);
  response.headers.emplace_back("last-modified", httpDateOf(record->updatedAt));
  response.headers.emplace_back("accept-ranges", "bytes");
  response.headers.emplace_back("cache-control", file.isPublic ? "public, no-cache" : "private, no-cache");
  response.headers.emplace_back("x-content-type-options", "nosniff");
  response.headers.emplace_back("content-security-policy", "sandbox");
  return response;
}

}  // namespace mb::api
