// What a store told before it ended, and whether what is found afterwards agrees: for each thing written the state that
// was acknowledged last, and the one that was on its way. A line each, on a pipe:
//
//   begin KEY STATE    acknowledged KEY    refused KEY
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mb::store::embedded {

// The state of what is not there.
inline constexpr std::string_view kAbsent = "-";

class Ledger {
 public:
  // Takes whole lines; others than these are left alone.
  void read(std::string_view text);
  // Problems: what is there without having been written, is not as it was acknowledged, or is missing. What was found
  // is what is expected next.
  std::vector<std::string> compare(const std::map<std::string, std::string>& found);
  size_t acknowledged() const { return acknowledged_; }

 private:
  struct States {
    std::string settled{kAbsent};
    std::string underWay;  // empty: nothing is
  };
  std::map<std::string, States> states_;
  size_t acknowledged_ = 0;
};

// Tells, from any thread, in lines that do not mix.
class Teller {
 public:
  explicit Teller(int pipe) : pipe_(pipe) {}
  void begin(std::string_view key, std::string_view state) const;
  void end(std::string_view key, bool acknowledged) const;

 private:
  void line(std::string text) const;
  const int pipe_;
};

}  // namespace mb::store::embedded
