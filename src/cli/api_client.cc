#include "cli/api_client.h"

#include "base/blocking.h"
#include "document/json.h"

namespace mb::cli {

namespace {

using namespace std::chrono_literals;

// Fits the export of a large project, and the response to its import, which holds the state before and after.
constexpr size_t kMaxResponseBytes = 128 << 20;

struct WireDetail {
  std::string path;
  std::string message;
  static constexpr auto shape() {
    return doc::shape<WireDetail>("Detail", doc::field("path", &WireDetail::path),
                                  doc::field("message", &WireDetail::message));
  }
};
struct WireError {
  std::string code;
  std::string message;
  std::optional<std::vector<WireDetail>> details;
  static constexpr auto shape() {
    return doc::shape<WireError>("Error", doc::field("code", &WireError::code),
                                 doc::field("message", &WireError::message),
                                 doc::field("details", &WireError::details));
  }
};
struct WireRefusal {
  WireError error;
  static constexpr auto shape() { return doc::shape<WireRefusal>("Refusal", doc::field("error", &WireRefusal::error)); }
};

ErrorCode codeOf(std::string_view wire, int status) {
  for (int each = 0; each <= static_cast<int>(ErrorCode::unavailable); ++each) {
    const auto code = static_cast<ErrorCode>(each);
    if (meaningOf(code).wire != wire) continue;
    return code == ErrorCode::invalidParam ? ErrorCode::validation : code;
  }
  return status < 500 ? ErrorCode::validation : ErrorCode::internal;
}

std::unexpected<Error> refused(WireError wire, const outbound::Response& response) {
  Error error(codeOf(wire.code, response.status), std::move(wire.message));
  if (error.code() == ErrorCode::rateLimited || error.code() == ErrorCode::unavailable) {
    return fail(error.code(), withRetryAdvice(error.message(), response.header("retry-after")));
  }
  std::vector<ErrorDetail> details;
  if (wire.details) {
    for (WireDetail& each : *wire.details) details.push_back({std::move(each.path), std::move(each.message)});
  }
  return fail(std::move(error).withDetails(std::move(details)));
}

bool isRedirect(int status) {
  return status >= 300 && status < 400;
}

}  // namespace

ApiClient::ApiClient(std::string url, std::string caFile, Console& console)
    : url_(std::move(url)), console_(console), client_({.caFile = std::move(caFile)}) {
  cores_.start();
}

ApiClient::~ApiClient() {
  client_.stop();
  cores_.stop();
  cores_.join();
}

std::unexpected<Error> ApiClient::unreachable(const Error& error) const {
  if (error.code() == ErrorCode::upstreamTimeout) {
    return fail(ErrorCode::upstreamTimeout, fmt::format("{} does not respond: try again, or look at its log", url_));
  }
  const std::string& cause = error.cause();
  const bool tls =
      url_.starts_with("https:") && (cause.find("SSL") != std::string::npos || cause.find("TLS") != std::string::npos ||
                                     cause.find("certificate") != std::string::npos);
  if (tls) {
    return fail(
        ErrorCode::upstreamFailed,
        fmt::format("{}: certificate not trusted: {} (SSL_CERT_FILE names a file of trusted CAs)", url_, cause));
  }
  return fail(ErrorCode::upstreamFailed,
              fmt::format("{} cannot be reached: {}: check that the server runs and that --url is its address", url_,
                          cause.empty() ? error.message() : cause));
}

std::unexpected<Error> ApiClient::foreign() const {
  return fail(ErrorCode::upstreamFailed, fmt::format("{} is not a Manybase server: check the address (--url)", url_));
}

Result<doc::Document> ApiClient::call(Call call, std::string_view token) {
  outbound::Request request;
  request.method = std::move(call.method);
  request.url = url_ + "/api/v1" + call.path;
  request.trust = outbound::Trust::deployment;
  request.timeout = 120s;
  request.connectTimeout = 10s;
  request.maxResponseBytes = kMaxResponseBytes;
  request.headers.push_back({"Accept", call.csv != nullptr ? "text/csv" : "application/json"});
  if (!token.empty()) request.headers.push_back({"Authorization", "Bearer " + std::string(token)});
  if (call.body) {
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = doc::toJson(*call.body);
  }
  const Step step{std::string(call.doing), 0, 0};
  const auto response = runBlocking(cores_, client_.send(std::move(request)), [&] { console_.step(step); });
  if (!response) return unreachable(response.error());
  if (isRedirect(response->status)) {
    return fail(ErrorCode::upstreamFailed,
                fmt::format("{} redirects to {}: give that address with --url", url_, response->header("location")));
  }
  if (response->status < 400 && response->body.empty()) return doc::Document();
  if (response->status < 400 && call.csv != nullptr) {
    if (!response->header("content-type").starts_with("text/csv")) return foreign();
    *call.csv = response->body;
    return doc::Document();
  }
  auto parsed = doc::parseJson(response->body, {.extended = doc::ExtendedJson::refuse});
  if (!parsed) return foreign();
  if (call.planDigest != nullptr) *call.planDigest = response->header("plan-digest");
  if (response->status < 400) return parsed;
  auto refusal = doc::decode<WireRefusal>(*parsed, doc::UnknownFields::ignore);
  if (!refusal) return foreign();
  return refused(std::move(refusal->error), *response);
}

Result<std::string> serverOf(std::string_view given) {
  auto origin = outbound::originOf(given);
  if (origin) return origin;
  return fail(ErrorCode::invalidParam,
              fmt::format("\"{}\" is not a server address: give one like https://example.com", given));
}

std::string withRetryAdvice(std::string message, std::string_view seconds) {
  constexpr std::string_view kLater = " later";
  if (message.ends_with("try again later")) message.resize(message.size() - kLater.size());
  if (!message.ends_with("try again")) message += "; try again";
  return message + (seconds.empty() ? std::string(kLater) : fmt::format(" in {} s", seconds));
}

std::string percentEncoded(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return out;
}

}  // namespace mb::cli
