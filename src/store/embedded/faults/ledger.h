// A Ledger compares the output of a store process with the data found afterwards: for each written key it keeps the
// state that was acknowledged last, and a pending one. The output has one line per event, on a pipe:
//
//   begin KEY STATE    acknowledged KEY    refused KEY
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mb::store::embedded {

// The state of an absent key.
inline constexpr std::string_view kAbsent = "-";

class Ledger {
 public:
  // Reads complete lines; ignores lines of other forms.
  void read(std::string_view text);
  // Problems: keys that are present without having been written, differ from their acknowledged state, or are missing.
  // The found states are the expected ones from then on.
  std::vector<std::string> compare(const std::map<std::string, std::string>& found);
  size_t acknowledged() const { return acknowledged_; }

 private:
  struct States {
    std::string acknowledged{kAbsent};
    std::string pending;  // empty: none
  };
  std::map<std::string, States> states_;
  size_t acknowledged_ = 0;
};

// Writes the lines of a ledger. Lines of different threads do not mix.
class LineWriter {
 public:
  explicit LineWriter(int pipe) : pipe_(pipe) {}
  void begin(std::string_view key, std::string_view state) const;
  void end(std::string_view key, bool acknowledged) const;

 private:
  void line(std::string text) const;
  const int pipe_;
};

}  // namespace mb::store::embedded
