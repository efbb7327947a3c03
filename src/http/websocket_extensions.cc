// sec-websocket-extensions: a list of offers, of which the server accepts the first that it can honour.
#include <optional>
#include <vector>

#include "http/websocket_handshake.h"

namespace mb::http {

namespace {

constexpr std::string_view kDeflate = "permessage-deflate";
constexpr std::string_view kServerWindow = "server_max_window_bits";
constexpr std::string_view kWholeWindow = "15";
constexpr size_t kMaxOffers = 32;  // of one request; more offers fail with validation

struct Parameter {
  std::string_view name;
  std::optional<std::string_view> value;
};

struct Offer {
  std::string_view name;
  std::vector<Parameter> parameters;
};

bool isTokenCharacter(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         kMarks.find(c) != std::string_view::npos;
}

// RFC 6455, 9.1: extension-list = 1#(token *(";" token ["=" (token | quoted token)])).
class OfferParser {
 public:
  explicit OfferParser(std::string_view text) : left_(text) {}

  // False if the text is not well-formed.
  bool parse(std::vector<Offer>& offers) {
    while (true) {
      // A list may have empty elements (RFC 9110, 5.6.1).
      while (take(',')) continue;
      if (left_.empty()) return true;
      if (offers.size() == kMaxOffers || !parseOffer(offers.emplace_back())) return false;
      if (!left_.empty() && !take(',')) return false;
    }
  }

 private:
  bool parseOffer(Offer& offer) {
    offer.name = token();
    if (offer.name.empty()) return false;
    while (take(';')) {
      Parameter& parameter = offer.parameters.emplace_back();
      parameter.name = token();
      if (parameter.name.empty()) return false;
      if (!take('=')) continue;
      parameter.value = take('"') ? quotedToken() : token();
      if (parameter.value->empty()) return false;
    }
    return true;
  }

  void skipSpace() { left_.remove_prefix(std::min(left_.find_first_not_of(" \t"), left_.size())); }

  bool take(char c) {
    skipSpace();
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }

  std::string_view token() {
    skipSpace();
    size_t length = 0;
    while (length < left_.size() && isTokenCharacter(left_[length])) ++length;
    const std::string_view found = left_.substr(0, length);
    left_.remove_prefix(length);
    skipSpace();
    return found;
  }

  // Called after the opening quote. The quoted text must be a token.
  std::string_view quotedToken() {
    const size_t end = left_.find('"');
    if (end == std::string_view::npos) return {};
    const std::string_view found = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return std::ranges::all_of(found, isTokenCharacter) ? found : std::string_view();
  }

  std::string_view left_;
};

// 8 to 15, without a zero in front (RFC 7692, 7.1.2).
bool isWindowBits(std::string_view text) {
  if (text.size() == 1) return text[0] == '8' || text[0] == '9';
  return text.size() == 2 && text[0] == '1' && text[1] >= '0' && text[1] <= '5';
}

// Whether the server can honour the parameter. A client may compress with any window; the server's own window is 32
// KiB, so an offer that requires a smaller one is declined.
bool canHonour(const Parameter& parameter) {
  if (parameter.name == "server_no_context_takeover" || parameter.name == "client_no_context_takeover") {
    return !parameter.value;
  }
  if (parameter.name == kServerWindow) return parameter.value == kWholeWindow;
  return parameter.name == "client_max_window_bits" && (!parameter.value || isWindowBits(*parameter.value));
}

bool canTake(const Offer& offer) {
  if (offer.name != kDeflate) return false;
  for (size_t i = 0; i < offer.parameters.size(); ++i) {
    if (!canHonour(offer.parameters[i])) return false;
    for (size_t j = 0; j < i; ++j) {
      if (offer.parameters[j].name == offer.parameters[i].name) return false;
    }
  }
  return true;
}

// The server must repeat a bound on its window that it accepts (RFC 7692, 7.1.2.1).
std::string acceptOffer(const Offer& offer) {
  std::string response = fmt::format("{}; server_no_context_takeover; client_no_context_takeover", kDeflate);
  const bool bounded = std::ranges::find(offer.parameters, kServerWindow, &Parameter::name) != offer.parameters.end();
  return bounded ? fmt::format("{}; {}={}", response, kServerWindow, kWholeWindow) : response;
}

}  // namespace

Result<std::string> negotiateDeflate(const Request& request) {
  std::string response;
  for (const Header& header : request.headers) {
    if (!equalsIgnoreCase(header.name, "sec-websocket-extensions")) continue;
    std::vector<Offer> offers;
    if (!OfferParser(header.value).parse(offers)) {
      return fail(ErrorCode::validation, "sec-websocket-extensions is not well-formed");
    }
    const auto taken = std::ranges::find_if(offers, canTake);
    if (response.empty() && taken != offers.end()) response = acceptOffer(*taken);
  }
  return response;
}

}  // namespace mb::http
