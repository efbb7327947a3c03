// The reading of ids that come in another order than requested, or more than once: they are gathered in windows,
// sorted, and their documents read.
#include "store/embedded/keys.h"
#include "store/embedded/query_session.h"

namespace mb::store::embedded {

namespace {

// Ids gathered at a time; a query holds at most two windows of ids, at some 60 bytes each.
constexpr size_t kWindowIds = 50'000;
// A bounded index with many keys may be slower than a scan for a few documents: after this many keys, as many documents
// are first read in the order of ids.
constexpr uint64_t kTryAfter = 2'000;
constexpr uint64_t kTryAtMost = 1'000;  // documents to return, including skipped ones

}  // namespace

Result<QueryRun::Flow> QueryRun::readWindows(Session& session) {
  while (true) {
    if (!windowReady_) {
      TRY(const Flow filled, fillWindow(session));
      if (filled != Flow::on) return filled;
    }
    TRY(const Flow drained, drainWindow(session));
    if (drained != Flow::on) return drained;
    if (!windowTruncated_) return Flow::enough;
    floor_ = window_.back();
    anyFloor_ = true;
    window_.clear();
    windowReady_ = windowTruncated_ = false;
  }
}

Result<QueryRun::Flow> QueryRun::fillWindow(Session& session) {
  const auto stream = KeyStream::open(context_.database, session.options, *plan_, Reading::forward, positions_);
  // Ids gathered under an earlier snapshot may not match under this one.
  windowMatches_ = window_.empty();
  for (; stream->valid(); stream->next()) {
    if (session.spent()) {
      positions_ = stream->positions();
      return Flow::more;
    }
    if (examine() == Flow::again) return Flow::again;
    if (result_.explain.keysExamined > kTryAfter && !tried_) {
      positions_ = stream->positions();
      TRY(const Flow tried, tryInOrder(session, kTryAfter));
      if (tried != Flow::on) return tried;
    }
    const std::string_view id = stream->id();
    if (anyFloor_ && id <= floor_) continue;
    const KeyStream::Verdict verdict = stream->verdict();
    if (WorkBudget::exceeded()) return Flow::costly;
    if (verdict == KeyStream::Verdict::noMatch) continue;
    windowMatches_ = windowMatches_ && verdict == KeyStream::Verdict::match;
    window_.emplace_back(id);
    if (window_.size() >= 2 * kWindowIds) truncateWindow();
  }
  if (stream->status().IsIncomplete()) return Flow::disk;
  if (!stream->status().ok()) return fail(readError(stream->status()));
  truncateWindow();
  positions_.clear();
  windowAt_ = 0;
  windowReady_ = true;
  gathered_ = session.number;
  return Flow::on;
}

// Keeps the lowest ids, without duplicates.
void QueryRun::truncateWindow() {
  std::sort(window_.begin(), window_.end());
  window_.erase(std::unique(window_.begin(), window_.end()), window_.end());
  if (window_.size() <= kWindowIds) return;
  window_.resize(kWindowIds);
  windowTruncated_ = true;
}

Result<QueryRun::Flow> QueryRun::drainWindow(Session& session) {
  const bool known = windowMatches_ && gathered_ == session.number;
  if (isCovered() || (counting_ && known)) {
    counted_ += window_.size() - windowAt_;
    windowAt_ = window_.size();
  } else if (known && !counting_ && !sorter_) {
    const size_t skipped = static_cast<size_t>(std::min<uint64_t>(skipLeft_, window_.size() - windowAt_));
    skipLeft_ -= skipped;
    windowAt_ += skipped;
  }
  DocumentBatch batch = batchOf(std::min(window_.size(), kChunk));
  while (windowAt_ < window_.size()) {
    if (session.spent()) return Flow::more;
    size_t chunk = std::min(window_.size() - windowAt_, kChunk);
    if (known && !counting_ && !sorter_) chunk = static_cast<size_t>(std::min<uint64_t>(chunk, wanted()));
    session.used += chunk;
    batch.clear();
    for (size_t i = 0; i < chunk; ++i) batch.add(window_[windowAt_ + i], {}, known);
    TRY(const Flow flow, fetch(session, batch));
    if (flow != Flow::on) return flow;
    windowAt_ += chunk;
  }
  return Flow::on;
}

// Searches for the result among the first documents in the order of ids; Flow::on if they are not enough.
Result<QueryRun::Flow> QueryRun::tryInOrder(Session& session, uint64_t max) {
  if (counting_ || sorter_ || anyFloor_ || query_.skip > kTryAtMost || query_.limit > kTryAtMost) {
    tried_ = true;
    return Flow::on;
  }
  const CollectionRef ref{collection_.state->project, collection_.schema->number, collection_.schema->version};
  const Plan inOrder = documentsPlan(ref, query_.filter, order_);
  const std::vector<KeyRange>& ranges = inOrder.accessPaths.front().ranges;
  if (ranges.empty()) return Flow::enough;
  RangeReader reader(context_.database, Family::documents, session.options, ranges);
  uint64_t looked = 0;
  for (reader.seek(ranges.front().from); reader.isBelow(ranges.front().to); reader.next()) {
    if (++looked > max) break;
    if (session.spent()) {
      resetResult();
      return Flow::more;
    }
    ++result_.explain.documentsExamined;
    const bool matches = query_.filter.matches(doc::DocumentView(reader.document()));
    if (WorkBudget::exceeded()) return Flow::costly;
    if (!matches || countOrSkip()) continue;
    TRY(const Flow flow, accept(reader.key().substr(kPrefixBytes), std::string(reader.document())));
    if (flow != Flow::enough) continue;
    result_.explain.index = inOrder.name();
    return flow;
  }
  if (reader.status().IsIncomplete()) return Flow::disk;
  if (!reader.status().ok()) return fail(readError(reader.status()));
  if (looked <= max) {
    result_.explain.index = inOrder.name();
    return Flow::enough;
  }
  resetResult();
  tried_ = true;
  return Flow::on;
}

}  // namespace mb::store::embedded
