// Input: bytes as the value of a `cookie` header. The value that is found must be inside the bytes and hold only
// characters of cookies, and neither other cookies nor the division into several headers may change the result.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "http/cookies.h"

namespace {

using mb::http::CookieLookup;
using State = CookieLookup::State;

constexpr std::string_view kName = "mb";

void require(bool condition) {
  if (!condition) std::abort();
}

CookieLookup find(std::vector<std::string_view> values) {
  mb::http::Request request;
  for (const std::string_view value : values) request.headers.push_back({"cookie", value});
  return mb::http::findCookie(request, kName);
}

bool agree(const CookieLookup& a, const CookieLookup& b) {
  return a.state == b.state && a.value == b.value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const CookieLookup lookup = find({bytes});
  if (lookup.state == State::found) {
    require(lookup.value.empty() || (lookup.value.data() >= bytes.data() &&
                                     lookup.value.data() + lookup.value.size() <= bytes.data() + bytes.size()));
    require(std::ranges::all_of(lookup.value, [](char c) { return c > ' ' && c < 0x7F && c != ';' && c != ','; }));
    require(bytes.find(std::string(kName) + "=" + std::string(lookup.value)) != std::string_view::npos);
  } else {
    require(lookup.value.empty());
  }
  require(agree(lookup, find({"a=b; " + std::string(bytes) + "; c=d"})));
  const std::string twice = std::string(bytes) + "; mb=1";
  const CookieLookup more = find({twice});
  require(more.state == (lookup.state == State::absent ? State::found : State::unusable));
  // A header may be divided between two pairs.
  const size_t cut = bytes.find(';');
  if (cut != std::string_view::npos) require(agree(lookup, find({bytes.substr(0, cut), bytes.substr(cut + 1)})));
  return 0;
}
