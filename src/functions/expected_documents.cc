#include "functions/expected_documents.h"

#include "document/subset.h"

namespace mb::functions {

namespace {

using Candidates = std::vector<std::vector<size_t>>;

// Finds a partner for the expected document `which`, and moves other partners if needed (Kuhn's algorithm).
bool assign(size_t which, const Candidates& candidates, std::vector<bool>& tried,
            std::vector<std::optional<size_t>>& partnerOf) {
  for (const size_t i : candidates[which]) {
    if (tried[i]) continue;
    tried[i] = true;
    if (partnerOf[i] && !assign(*partnerOf[i], candidates, tried, partnerOf)) continue;
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
    if (!assign(i, candidates_, tried, partnerOf)) return i;
  }
  return std::nullopt;
}

}  // namespace mb::functions
