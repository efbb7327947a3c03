#include "cli/text_diff.h"

#include <algorithm>
#include <vector>

namespace mb::cli {

namespace {

constexpr int kMaxDiffering = 1000;
constexpr size_t kAround = 3;
constexpr std::string_view kNoEnd = "\\ No newline at end of file\n";

using Lines = std::vector<std::string_view>;  // each with its newline, where it has one

Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

struct Line {
  char kind;  // ' ', '-' or '+'
  std::string_view text;
};

// Myers' greedy algorithm: the furthest position of each diagonal with `d` differing lines, stored per `d` to trace the
// way back. Empty where more than kMaxDiffering differ.
std::vector<std::vector<int>> furthest(const Lines& a, const Lines& b) {
  const int max = std::min<int>(kMaxDiffering, static_cast<int>(a.size() + b.size()));
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  std::vector<std::vector<int>> reached;
  for (int d = 0; d <= max; ++d) {
    std::vector<int> now(static_cast<size_t>(2 * d + 1));
    for (int k = -d; k <= d; k += 2) {
      int x = 0;
      if (d > 0) {
        const std::vector<int>& last = reached.back();  // of diagonals -(d-1) to d-1
        const auto at = [&](int diagonal) { return last[static_cast<size_t>(diagonal + d - 1)]; };
        const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
        x = down ? at(k + 1) : at(k - 1) + 1;
      }
      while (x < n && x - k < m && a[static_cast<size_t>(x)] == b[static_cast<size_t>(x - k)]) ++x;
      now[static_cast<size_t>(k + d)] = x;
      if (x >= n && x - k >= m) {
        reached.push_back(std::move(now));
        return reached;
      }
    }
    reached.push_back(std::move(now));
  }
  return {};
}

std::vector<Line> replaced(const Lines& a, const Lines& b) {
  std::vector<Line> lines;
  for (const std::string_view line : a) lines.push_back({'-', line});
  for (const std::string_view line : b) lines.push_back({'+', line});
  return lines;
}

std::vector<Line> compared(const Lines& a, const Lines& b) {
  const auto reached = furthest(a, b);
  if (reached.empty()) return replaced(a, b);
  std::vector<Line> lines;  // backwards
  int x = static_cast<int>(a.size()), y = static_cast<int>(b.size());
  const auto same = [&](int until) {
    for (; x > until; --x, --y) lines.push_back({' ', a[static_cast<size_t>(x - 1)]});
  };
  for (int d = static_cast<int>(reached.size()) - 1; d > 0; --d) {
    const std::vector<int>& last = reached[static_cast<size_t>(d - 1)];
    const auto at = [&](int diagonal) { return last[static_cast<size_t>(diagonal + d - 1)]; };
    const int k = x - y;
    const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
    same(down ? at(k + 1) : at(k - 1) + 1);
    if (down) {
      lines.push_back({'+', b[static_cast<size_t>(--y)]});
    } else {
      lines.push_back({'-', a[static_cast<size_t>(--x)]});
    }
  }
  same(0);
  std::ranges::reverse(lines);
  return lines;
}

// "12,3", "12", or "11,0" for nothing after line 11.
std::string range(size_t first, size_t count) {
  if (count == 1) return fmt::format("{}", first);
  return fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

void appendHunk(std::string& out, const std::vector<Line>& lines, size_t from, size_t to, size_t firstA,
                size_t firstB) {
  const auto count = [&](char without) {
    return static_cast<size_t>(std::count_if(lines.begin() + static_cast<ptrdiff_t>(from),
                                             lines.begin() + static_cast<ptrdiff_t>(to),
                                             [&](const Line& line) { return line.kind != without; }));
  };
  out += fmt::format("@@ -{} +{} @@\n", range(firstA, count('+')), range(firstB, count('-')));
  for (size_t i = from; i < to; ++i) {
    out += lines[i].kind;
    out += lines[i].text;
    if (!lines[i].text.ends_with('\n')) out.append("\n").append(kNoEnd);
  }
}

}  // namespace

std::string unifiedDiff(std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::vector<Line> lines = compared(linesOf(before), linesOf(after));
  std::string out;
  size_t a = 1, b = 1;  // numbers of the line at `i`
  size_t hunkA = 1, hunkB = 1, from = 0, to = 0;
  bool open = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind != ' ') {
      if (open && i > to + kAround) {
        appendHunk(out, lines, from, to, hunkA, hunkB);
        open = false;
      }
      if (!open) {
        const size_t around = std::min(kAround, i - to);
        from = i - around;
        hunkA = a - around;
        hunkB = b - around;
        open = true;
      }
      to = std::min(lines.size(), i + 1 + kAround);
    }
    if (lines[i].kind != '+') ++a;
    if (lines[i].kind != '-') ++b;
  }
  appendHunk(out, lines, from, to, hunkA, hunkB);
  return out;
}

std::string coloured(std::string_view diff) {
  std::string out;
  for (const std::string_view line : linesOf(diff)) {
    const std::string_view colour = line.starts_with('-')    ? "\033[31m"
                                    : line.starts_with('+')  ? "\033[32m"
                                    : line.starts_with("@@") ? "\033[36m"
                                                             : "";
    if (colour.empty()) {
      out += line;
      continue;
    }
    const bool ends = line.ends_with('\n');
    out.append(colour).append(line.substr(0, line.size() - (ends ? 1 : 0))).append("\033[0m");
    if (ends) out += '\n';
  }
  return out;
}

}  // namespace mb::cli
