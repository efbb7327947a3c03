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
    if (what == "begin") states.underWay = line;
    if (what == "refused") states.underWay.clear();
    if (what == "acknowledged") {
      states.settled = std::exchange(states.underWay, {});
      ++acknowledged_;
    }
  }
}

std::vector<std::string> Ledger::compare(const std::map<std::string, std::string>& found) {
  std::vector<std::string> problems;
  for (const auto& [key, state] : found) {
    if (!states_.contains(key)) problems.push_back(fmt::format("{} is there, though it was never written", key));
  }
  for (auto& [key, states] : states_) {
    const auto at = found.find(key);
    const std::string now(at == found.end() ? kAbsent : at->second);
    const bool underWay = !states.underWay.empty() && now == states.underWay;
    if (now != states.settled && !underWay) {
      problems.push_back(fmt::format("{} is {}, acknowledged was {}, under way {}", key, now, states.settled,
                                     states.underWay.empty() ? "nothing" : states.underWay));
    }
    states = {now, {}};
  }
  return problems;
}

void Teller::line(std::string text) const {
  text += '\n';
  // Shorter than a pipe takes at once. Nobody is there to tell where it fails.
  if (::write(pipe_, text.data(), text.size()) < 0) ::_exit(1);
}

void Teller::begin(std::string_view key, std::string_view state) const {
  line(fmt::format("begin {} {}", key, state));
}

void Teller::end(std::string_view key, bool acknowledged) const {
  line(fmt::format("{} {}", acknowledged ? "acknowledged" : "refused", key));
}

}  // namespace mb::store::embedded
