#include "http/request_parser.h"

#include <boost/beast/http/basic_parser.hpp>

namespace mb::http {

namespace beast = boost::beast;

namespace {

constexpr size_t kEmptyLines = 8;           // bytes of empty lines accepted before a request (RFC 9112, 2.2)
constexpr size_t kMaxContent = 1ULL << 40;  // above every limit, and small enough that sums of sizes cannot overflow

Method methodOf(beast::http::verb verb) {
  switch (verb) {
    case beast::http::verb::get:
      return Method::get;
    case beast::http::verb::head:
      return Method::head;
    case beast::http::verb::post:
      return Method::post;
    case beast::http::verb::put:
      return Method::put;
    case beast::http::verb::patch:
      return Method::patch;
    case beast::http::verb::delete_:
      return Method::remove;
    case beast::http::verb::options:
      return Method::options;
    default:
      return Method::other;
  }
}

std::string_view viewOf(beast::string_view text) {
  return {text.data(), text.size()};
}

bool isDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// uri-host [ ":" port ] by its characters (RFC 3986, 3.2.2): no user information, no list.
bool isHost(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return alphanumeric || std::string_view("-._~%!$&'()*+;=:[]").find(c) != std::string_view::npos;
  });
}

// The length of the prefix "http://" or "https://" of the target, compared without case; 0 without one.
size_t schemeLength(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (equalsIgnoreCase(target.substr(0, scheme.size()), scheme)) return scheme.size();
  }
  return 0;
}

}  // namespace

// Records what Beast parses as slices of the data, without copies.
class RequestParser::Collector final : public beast::http::basic_parser<true> {
 public:
  Collector(RequestParser& parser, std::string_view data) : parser_(parser), base_(data.data()) {
    header_limit(static_cast<std::uint32_t>(data.size()) + 1);
    body_limit(boost::none);
  }

  bool tooManyHeaders() const { return tooManyHeaders_; }
  int contentLengths = 0;
  bool plainLength = true;
  int transferEncodings = 0;
  bool onlyChunked = false;
  int hosts = 0;
  bool hostIsSound = true;
  int contentTypes = 0;
  int authorizations = 0;

 private:
  using error_code = beast::error_code;
  using field = beast::http::field;

  Slice sliceOf(beast::string_view text) const {
    return {static_cast<uint32_t>(text.data() - base_), static_cast<uint32_t>(text.size())};
  }

  void on_request_impl(beast::http::verb method, beast::string_view, beast::string_view target, int version,
                       error_code&) override {
    parser_.framing_.http10 = version == 10;
    parser_.method_ = methodOf(method);
    parser_.target_ = sliceOf(target);
  }
  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  void on_field_impl(field name, beast::string_view nameText, beast::string_view text, error_code& error) override {
    const std::string_view value = viewOf(text);
    if (parser_.fields_.size() >= parser_.maxHeaders_) {
      tooManyHeaders_ = true;
      error = beast::http::error::header_limit;
      return;
    }
    parser_.fields_.push_back({sliceOf(nameText), sliceOf(text)});
    if (name == field::content_length) {
      ++contentLengths;
      plainLength = isDigits(value);
    } else if (name == field::transfer_encoding) {
      ++transferEncodings;
      onlyChunked = equalsIgnoreCase(value, "chunked");
    } else if (name == field::host) {
      ++hosts;
      hostIsSound = isHost(value);
    } else if (name == field::content_type) {
      ++contentTypes;
    } else if (name == field::authorization) {
      ++authorizations;
    } else if (name == field::expect) {
      parser_.framing_.expectsContinue = equalsIgnoreCase(value, "100-continue");
    }
  }
  // Beast does not parse bodies here.
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view, error_code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, error_code&) override { return 0; }
  void on_finish_impl(error_code&) override {}

  RequestParser& parser_;
  const char* base_;
  bool tooManyHeaders_ = false;
};

RequestParser::RequestParser(size_t maxHeadBytes, size_t maxHeaders)
    : maxHeadBytes_(maxHeadBytes), maxHeaders_(maxHeaders) {
  reset();
}
RequestParser::~RequestParser() = default;

void RequestParser::reset() {
  framing_ = {};
  target_ = path_ = query_ = {};
  fields_.clear();
  start_ = lineStart_ = scanned_ = 0;
  chunks_.reset(maxHeadBytes_);
  error_.reset();
}

RequestParser::Status RequestParser::refuse(ErrorCode code, std::string message) {
  error_.emplace(code, std::move(message));
  return Status::failed;
}

// Finds the end of the head. Refuses input that Beast would accept or wait for: line feeds alone, lines that continue
// the line before (obsolete folding, RFC 9112 5.2), and bytes that cannot begin a request.
RequestParser::Status RequestParser::scanLines(std::string_view data) {
  while (lineStart_ == start_ && start_ < kEmptyLines && data.substr(start_).starts_with("\r\n")) {
    start_ = lineStart_ = scanned_ = start_ + 2;
  }
  if (start_ < data.size() && data[start_] != '\r' && (data[start_] < '!' || data[start_] > '~')) {
    return refuse(ErrorCode::validation, "this is not an HTTP request");
  }
  while (true) {
    const size_t feed = data.find('\n', scanned_);
    if (feed == std::string_view::npos) {
      scanned_ = data.size();
      if (data.size() <= maxHeadBytes_) return Status::needMore;
      return refuse(ErrorCode::headersTooLarge, "the request's head is too large");
    }
    scanned_ = feed + 1;
    // Checked first, so that the response does not depend on the pieces in which the bytes arrived.
    if (scanned_ > maxHeadBytes_) return refuse(ErrorCode::headersTooLarge, "the request's head is too large");
    const bool folded = data[lineStart_] == ' ' || data[lineStart_] == '\t';
    if (feed == lineStart_ || data[feed - 1] != '\r' || folded) {
      return refuse(ErrorCode::validation, "the request's head is not well-formed");
    }
    const bool emptyLine = feed - lineStart_ == 1;
    lineStart_ = scanned_;
    if (emptyLine) return Status::done;
  }
}

RequestParser::Status RequestParser::parseHead(std::string_view data) {
  if (const Status scan = scanLines(data); scan != Status::done) return scan;
  framing_.headBytes = scanned_;
  const std::string_view head = data.substr(0, scanned_);
  // A Beast parser parses one message; its memory is reused for each request.
  if (collector_) {
    std::destroy_at(collector_.get());
    std::construct_at(collector_.get(), *this, head);
  } else {
    collector_ = std::make_unique<Collector>(*this, head);
  }
  beast::error_code error;
  collector_->put(boost::asio::const_buffer(head.data() + start_, head.size() - start_), error);
  if (collector_->tooManyHeaders()) return refuse(ErrorCode::headersTooLarge, "the request has too many headers");
  if ((error && error != beast::http::error::need_more) || !collector_->is_header_done()) {
    return refuse(ErrorCode::validation, "the request's head is not well-formed");
  }
  if (const Status checked = checkFraming(); checked != Status::done) return checked;
  return checkTarget(head);
}

// Refuses a request for which two parsers could disagree about its end, its host, its type or its caller (request
// smuggling).
RequestParser::Status RequestParser::checkFraming() {
  const Collector& found = *collector_;
  if (found.contentLengths > 1 || found.transferEncodings > 1 ||
      (found.contentLengths > 0 && found.transferEncodings > 0)) {
    return refuse(ErrorCode::validation, "the request must have at most one of content-length and transfer-encoding");
  }
  if (!found.plainLength) return refuse(ErrorCode::validation, "content-length must be one number");
  if (found.transferEncodings > 0 && (!found.onlyChunked || framing_.http10)) {
    return refuse(ErrorCode::validation, "transfer-encoding must be chunked, in HTTP/1.1");
  }
  if (found.hosts > 1 || !found.hostIsSound || (found.hosts == 0 && !framing_.http10)) {
    return refuse(ErrorCode::validation, "the request must have one host header");
  }
  // A proxy could decide by the other.
  if (found.contentTypes > 1 || found.authorizations > 1) {
    return refuse(ErrorCode::validation, "the request must have one content-type and one authorization at most");
  }
  framing_.chunked = found.chunked();
  framing_.keepAlive = found.keep_alive();
  framing_.expectsContinue = framing_.expectsContinue && !framing_.http10;
  const std::uint64_t length = found.content_length().value_or(0);
  if (length > kMaxContent) return refuse(ErrorCode::payloadTooLarge, "the body is too large");
  framing_.contentLength = static_cast<size_t>(length);
  return Status::done;
}

// Origin form, absolute form by its path and query (RFC 9112, 3.2.2), and "*" of OPTIONS.
RequestParser::Status RequestParser::checkTarget(std::string_view data) {
  const std::string_view target = data.substr(target_.at, target_.size);
  size_t from = 0;
  if (const size_t scheme = schemeLength(target); scheme > 0) {
    from = std::min(target.find_first_of("/?", scheme), target.size());
    if (from == scheme) return refuse(ErrorCode::validation, "the request's target must name a host");
  } else if (!target.starts_with('/') && !(target == "*" && method_ == Method::options)) {
    return refuse(ErrorCode::validation, "the request's target must be a path");
  }
  if (target.find('#') != std::string_view::npos) {
    return refuse(ErrorCode::validation, "the request's target must not have a fragment");
  }
  const size_t question = std::min(target.find('?', from), target.size());
  path_ = {target_.at + static_cast<uint32_t>(from), static_cast<uint32_t>(question - from)};
  const size_t query = std::min(question + 1, target.size());
  query_ = {target_.at + static_cast<uint32_t>(query), static_cast<uint32_t>(target.size() - query)};
  return Status::done;
}

void RequestParser::fill(Request& request, std::string_view data) const {
  const auto view = [data](Slice slice) { return data.substr(slice.at, slice.size); };
  request.method = method_;
  request.target = view(target_);
  request.path = path_.size == 0 ? std::string_view("/") : view(path_);
  request.query = view(query_);
  request.http10 = framing_.http10;
  request.headers.clear();
  for (const Field& field : fields_) request.headers.push_back({view(field.name), view(field.value)});
}

RequestParser::Status RequestParser::parseChunks(std::string_view data, size_t& consumed, std::string& body,
                                                 size_t limit) {
  switch (chunks_.decode(data, consumed, body, limit)) {
    case ChunkDecoder::Status::needMore:
      return Status::needMore;
    case ChunkDecoder::Status::done:
      return Status::done;
    case ChunkDecoder::Status::malformed:
      break;
    case ChunkDecoder::Status::tooLarge:
      return refuse(ErrorCode::payloadTooLarge, fmt::format("the body may have at most {} bytes", limit));
  }
  return refuse(ErrorCode::validation, "the chunks of the body are not well-formed");
}

}  // namespace mb::http
