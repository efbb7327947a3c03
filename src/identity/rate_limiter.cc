#include "identity/rate_limiter.h"

#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace mb::identity {

namespace {

constexpr int kMaxOfEither = 1'000'000;

std::optional<int> parsePart(std::string_view text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < 1 || value > kMaxOfEither) return std::nullopt;
  return value;
}

}  // namespace

Result<Rate> parseRate(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto requests = parsePart(text.substr(0, slash));
    const auto seconds = parsePart(text.substr(slash + 1));
    if (requests && seconds) return Rate{*requests, *seconds};
  }
  return fail(ErrorCode::validation, "must be <requests>/<seconds>, both from 1 to 1000000");
}

std::string limitedAddress(std::string_view ip) {
  namespace net = boost::asio::ip;
  boost::system::error_code failed;
  const net::address address = net::make_address(ip, failed);
  if (failed || address.is_v4()) return std::string(ip);
  const net::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return net::make_address_v4(net::v4_mapped, v6).to_string();
  net::address_v6::bytes_type bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return net::address_v6(bytes).to_string() + "/64";
}

Error Allowance::refusal() const {
  return Error(ErrorCode::rateLimited, "too many requests, try again later").withRetryAfter(resetSeconds);
}

Allowance LocalRateLimiter::take(std::string_view ip, std::string_view project, std::string_view action) {
  std::string key = limitedAddress(ip);
  key.append(1, '|').append(project).append(1, '|').append(action);
  const int64_t now = clock_.now().ms;
  const int64_t length = int64_t{rate_.seconds} * 1000;

  const std::lock_guard lock(mutex_);
  Window* window = windows_.find(key);
  // A clock that was set back starts a new window too.
  if (window == nullptr || now >= window->startMs + length || now < window->startMs) {
    window = &windows_.put(std::move(key), Window{now, 0});
  }
  Allowance allowance{.rate = rate_, .granted = window->used < rate_.requests};
  if (allowance.granted) ++window->used;
  allowance.remaining = rate_.requests - window->used;
  allowance.resetSeconds = static_cast<int>((window->startMs + length - now + 999) / 1000);
  return allowance;
}

}  // namespace mb::identity
