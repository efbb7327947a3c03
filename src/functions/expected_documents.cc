#include "functions/expected_documents.h"

#include "document/subset.h"

namespace mb::functions {

namespace {

using Candidates = std::vector<std::vector<size_t>>;

// One more of the expected finds a partner, others making room where they can (Kuhn's algorithm).
bool place(size_t which, const Candidates& candidates, std::vector<bool>& tried,
           std::vector<std::optional<size_t>>& partnerOf) {
  for (const size_t i : candidates[which]) {
    if (tried[i]) continue;
    tried[i] = true;
    if (partnerOf[i] && !place(*partnerOf[i], candidates, tried, partnerOf)) continue;
    partnerOf[i] = which;
    return true;
  }
  return false;
}

}  // namespace

void ExpectedDocuments::offer(doc::ValueView actual) {
  bool fits = false;
  for (size_t i = 0; i < expected_.size(); ++i) {
    if (candidates_[i].size() == expected_.size() || doc::mismatch("", expected_[i], actual)) continue;
    candidates_[i].push_back(fitting_);
    fits = true;
  }
  if (fits) ++fitting_;
}

std::optional<size_t> ExpectedDocuments::firstUnmatched() const {
  std::vector<std::optional<size_t>> partnerOf(fitting_);
  for (size_t i = 0; i < expected_.size(); ++i) {
    std::vector<bool> tried(fitting_);
    if (!place(i, candidates_, tried, partnerOf)) return i;
  }
  return std::nullopt;
}

}  // namespace mb::functions
