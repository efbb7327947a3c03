#include "cli/text_diff.h"

#include <gtest/gtest.h>

#include <random>

namespace mb::cli {
namespace {

TEST(TextDiff, LooksAsPeopleKnowIt) {
  const struct {
    std::string_view before, after, diff;
  } cases[] = {
      {"", "", ""},
      {"one\n", "one\n", ""},
      {"", "one\n", "@@ -0,0 +1 @@\n+one\n"},
      {"one\n", "", "@@ -1 +0,0 @@\n-one\n"},
      {"one\ntwo\nthree\n", "one\n2\nthree\n", "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"},
      {"one", "one\n", "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+one\n"},
      {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
       "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
      // Two hunks, and lines that move.
      {"a\n1\n2\n3\n4\n5\n6\n7\n8\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\n8\nB\n",
       "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -7,4 +7,4 @@\n 6\n 7\n 8\n-b\n+B\n"},
  };
  for (const auto& each : cases) EXPECT_EQ(unifiedDiff(each.before, each.after), each.diff) << each.before;
}

// Applies the hunks to `before`.
std::string patched(std::string_view before, std::string_view diff) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < before.size();) {
    const size_t end = before.find('\n', from);
    lines.emplace_back(before.substr(from, end + 1 - from));
    from = end + 1;
  }
  std::string out;
  size_t at = 0;
  for (size_t from = 0; from < diff.size();) {
    const size_t end = diff.find('\n', from);
    const std::string line(diff.substr(from, end + 1 - from));
    from = end + 1;
    if (line.starts_with("@@ -")) {
      const size_t first = std::stoul(line.substr(4));
      const bool nothing = line.substr(4, line.find(' ', 4) - 4).ends_with(",0");
      const size_t until = nothing ? first : first - 1;
      for (; at < until; ++at) out += lines[at];
      continue;
    }
    if (line.front() != '+') {
      EXPECT_EQ(lines.at(at), line.substr(1));
      ++at;
    }
    if (line.front() != '-') out += line.substr(1);
  }
  for (; at < lines.size(); ++at) out += lines[at];
  return out;
}

TEST(TextDiff, LeadsFromOneTextToTheOther) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const auto text = [&] {
      std::string out;
      for (size_t i = random() % 30; i > 0; --i) out += fmt::format("{}\n", random() % 6);
      return out;
    };
    const std::string before = text(), after = text();
    EXPECT_EQ(patched(before, unifiedDiff(before, after)), after);
  }
}

TEST(TextDiff, ManyLinesThatDifferAreShownAsReplaced) {
  std::string before, after;
  for (int i = 0; i < 3000; ++i) {
    before += fmt::format("a{}\n", i);
    after += fmt::format("b{}\n", i);
  }
  const std::string diff = unifiedDiff(before, after);
  EXPECT_TRUE(diff.starts_with("@@ -1,3000 +1,3000 @@\n-a0\n"));
  EXPECT_EQ(patched(before, diff), after);
}

TEST(TextDiff, Colours) {
  EXPECT_EQ(coloured("@@ -1 +1 @@\n-a\n+b\n c\n"),
            "\033[36m@@ -1 +1 @@\033[0m\n\033[31m-a\033[0m\n\033[32m+b\033[0m\n c\n");
}

}  // namespace
}  // namespace mb::cli
