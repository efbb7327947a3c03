#include "functions/expected_documents.h"

#include "document/subset.h"

namespace mb::functions {

namespace {

// One more of the expected finds a partner, others making room where they can (Kuhn's algorithm).
bool place(size_t which, const std::vector<std::vector<bool>>& fits, std::vector<bool>& tried,
           std::vector<std::optional<size_t>>& partnerOf) {
  for (size_t i = 0; i < partnerOf.size(); ++i) {
    if (!fits[which][i] || tried[i]) continue;
    tried[i] = true;
    if (partnerOf[i] && !place(*partnerOf[i], fits, tried, partnerOf)) continue;
    partnerOf[i] = which;
    return true;
  }
  return false;
}

}  // namespace

std::optional<size_t> firstUnmatched(const std::vector<doc::ValueView>& expected,
                                     const std::vector<doc::ValueView>& actual) {
  // Of one more than there are, one has none.
  const size_t count = std::min(expected.size(), actual.size() + 1);
  std::vector<std::vector<bool>> fits(count);
  for (size_t i = 0; i < count; ++i) {
    for (const doc::ValueView candidate : actual) fits[i].push_back(!doc::mismatch("", expected[i], candidate));
  }
  std::vector<std::optional<size_t>> partnerOf(actual.size());
  for (size_t i = 0; i < count; ++i) {
    std::vector<bool> tried(actual.size());
    if (!place(i, fits, tried, partnerOf)) return i;
  }
  return std::nullopt;
}

}  // namespace mb::functions
