#include "store/embedded/faults/ledger.h"

#include <fmt/format.h>
#include <unistd.h>

namespace mb::store::embedded {

void Ledger::read(std::string_view text) {
  for (size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    std::string_view line = text.substr(0, end);
    const auto word = [&line] {
      const size_t space = std::min(line.find(' '), line.size());
      const std::string_view taken = line.substr(0, space);
      line.remove_prefix(std::min(space + 1, line.size()));
      return taken;
    };
    const std::string_view what = word();
    if (what != "begin" && what != "acknowledged" && what != "refused") continue;
    States& states = states_[std::string(word())];
    if (what == "begin") states.pending = line;
    if (what == "refused") states.pending.clear();
    if (what == "acknowledged") {
      states.acknowledged = std::exchange(states.pending, {});
      ++acknowledged_;
    }
  }
}

std::vector<std::string> Ledger::compare(const std::map<std::string, std::string>& found) {
  std::vector<std::string> problems;
  for (const auto& [key, state] : found) {
    if (!states_.contains(key)) problems.push_back(fmt::format("{} is present, though it was never written", key));
  }
  for (auto& [key, states] : states_) {
    const auto at = found.find(key);
    const std::string now(at == found.end() ? kAbsent : at->second);
    const bool pending = !states.pending.empty() && now == states.pending;
    if (now != states.acknowledged && !pending) {
      problems.push_back(fmt::format("{} is {}, but acknowledged is {}, pending {}", key, now, states.acknowledged,
                                     states.pending.empty() ? "nothing" : states.pending));
    }
    states = {now, {}};
  }
  return problems;
}

void LineWriter::line(std::string text) const {
  text += '\n';
  // The text is short enough for an atomic pipe write. A failure cannot be reported anywhere.
  if (::write(pipe_, text.data(), text.size()) < 0) ::_exit(1);
}

void LineWriter::begin(std::string_view key, std::string_view state) const {
  line(fmt::format("begin {} {}", key, state));
}

void LineWriter::end(std::string_view key, bool acknowledged) const {
  line(fmt::format("{} {}", acknowledged ? "acknowledged" : "refused", key));
}

}  // namespace mb::store::embedded
