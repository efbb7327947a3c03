#include "pages/template.h"

#include <algorithm>
#include <cstdlib>

#include "base/html.h"
#include "base/log.h"

namespace mb::pages {

namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

std::string_view valueOf(std::string_view name, Values values) {
  const auto found = std::ranges::find(values, name, &std::pair<std::string_view, std::string_view>::first);
  if (found != values.end()) return found->second;
  logError("page template has a placeholder without a value", {{"name", name}});
  std::abort();
}

}  // namespace

std::string fill(std::string_view text, Values values) {
  std::string out;
  out.reserve(text.size() * 2);
  for (size_t open = text.find(kOpen); open != std::string_view::npos; open = text.find(kOpen)) {
    out += text.substr(0, open);
    text.remove_prefix(open + kOpen.size());
    const bool raw = text.starts_with('{');
    const size_t close = text.find(kClose);
    const std::string_view name = text.substr(raw ? 1 : 0, close - (raw ? 1 : 0));
    const std::string_view value = valueOf(name, values);
    if (raw) {
      out += value;
    } else {
      out += escapeHtml(value);
    }
    text.remove_prefix(close + kClose.size() + (raw ? 1 : 0));
  }
  out += text;
  return out;
}

}  // namespace mb::pages
