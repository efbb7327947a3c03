// The ways of a query through the keys: by ids, over the documents, along an index in its order, or gathering ids in
// windows where the order of the index is not the one asked for.
#include "store/embedded/keys.h"
#include "store/embedded/query_session.h"

namespace mb::store::embedded {

namespace {

constexpr size_t kChunk = 128;
// Ids gathered at a time; two windows of ids, at some 60 bytes each, are what a query may hold.
constexpr size_t kWindow = 50'000;
// A bounded index that holds many keys may still be the longer way to a few documents: after this many keys, as many
// documents are looked at in order of id first.
constexpr uint64_t kTryAfter = 2'000;
constexpr uint64_t kTryAtMost = 1'000;  // documents wanted, skipped ones included

}  // namespace

Result<QueryRun::Flow> QueryRun::readByIds(Session& session) {
  while (at_ < plan_->ids.size()) {
    const uint64_t useful = std::min<uint64_t>(wanted(), kChunk) + std::min<uint64_t>(skipLeft_, kChunk);
    const size_t chunk = std::min({plan_->ids.size() - at_, kChunk, static_cast<size_t>(useful)});
    const auto ids = std::span(plan_->ids).subspan(at_, std::max<size_t>(chunk, 1));
    if (session.spent()) return Flow::more;
    session.used += ids.size();
    TRY(const Flow flow, fetch(session, ids));
    if (flow != Flow::on) return flow;
    at_ += ids.size();
  }
  return Flow::enough;
}

Result<QueryRun::Flow> QueryRun::readDocuments(Session& session) {
  if (plan_->ranges.empty()) return Flow::enough;
  const KeyRange& range = plan_->ranges.front();
  RangeReader reader(database_, Family::documents, session.options, plan_->ranges);
  for (reader.seek(next_.empty() ? range.from : next_); reader.isBelow(range.to); reader.next()) {
    if (session.spent()) {
      next_ = reader.key();
      return Flow::more;
    }
    ++result_.explain.documentsExamined;
    if (!isMatch(session, reader.value())) continue;
    TRY(const Flow flow, accept(reader.key().substr(kPrefixBytes), reader.value()));
    if (flow != Flow::on) return flow;
  }
  if (reader.status().IsIncomplete()) return Flow::disk;
  if (!reader.status().ok()) return fail(readError(reader.status()));
  return Flow::enough;
}

Result<QueryRun::Flow> QueryRun::readIndex(Session& session) {
  const bool wantsIdOrder = !counting_ && query_.sort.empty();
  if (plan_->mayRepeat || (wantsIdOrder && !plan_->inIdOrder)) return readWindows(session);
  return readStream(session);
}

Result<QueryRun::Flow> QueryRun::readStream(Session& session) {
  if (plan_->ranges.empty()) return Flow::enough;
  session.reader = session.prepared
                       ? std::move(session.prepared)
                       : std::make_unique<RangeReader>(database_, Family::indexes, session.options, plan_->ranges);
  RangeReader& reader = *session.reader;
  std::vector<std::string> ids;
  size_t chunk = static_cast<size_t>(std::clamp<uint64_t>(wanted(), plan_->exact ? 1 : 32, kChunk));
  reader.seek(next_.empty() ? plan_->ranges[at_].from : next_);
  while (at_ < plan_->ranges.size()) {
    const bool inside = reader.isBelow(plan_->ranges[at_].to);
    const bool spent = inside && session.spent();
    if (!inside || spent || ids.size() == chunk) {
      if (reader.status().IsIncomplete()) return Flow::disk;
      if (!reader.status().ok()) return fail(readError(reader.status()));
      TRY(const Flow flow, fetch(session, ids));
      if (flow != Flow::on) return flow;
      ids.clear();
      chunk = plan_->exact ? static_cast<size_t>(std::min<uint64_t>(wanted(), kChunk)) : kChunk;
    }
    if (spent) {
      next_ = reader.key();
      return Flow::more;
    }
    if (!inside) {
      next_.clear();
      if (++at_ < plan_->ranges.size()) reader.seek(plan_->ranges[at_].from);
      continue;
    }
    ++result_.explain.keysExamined;
    if (plan_->exact && counting_) {
      ++counted_;
    } else if (plan_->exact && skipLeft_ > 0 && !sorter_) {
      --skipLeft_;
    } else {
      ids.emplace_back(idOf(reader.key(), reader.value()));
      // The last one wanted: what follows need not be read.
      if (plan_->exact && !sorter_ && ids.size() == chunk && chunk == wanted()) {
        TRY(const Flow flow, fetch(session, ids));
        if (flow != Flow::on) return flow;
        ids.clear();
      }
    }
    reader.next();
  }
  return Flow::enough;
}

Result<QueryRun::Flow> QueryRun::readWindows(Session& session) {
  while (true) {
    if (!windowReady_) {
      TRY(const Flow filled, fillWindow(session));
      if (filled != Flow::on) return filled;
    }
    TRY(const Flow drained, drainWindow(session));
    if (drained != Flow::on) return drained;
    if (!windowCut_) return Flow::enough;
    floor_ = window_.back();
    anyFloor_ = true;
    window_.clear();
    windowReady_ = windowCut_ = false;
  }
}

Result<QueryRun::Flow> QueryRun::fillWindow(Session& session) {
  if (at_ < plan_->ranges.size()) {
    session.reader = session.prepared
                         ? std::move(session.prepared)
                         : std::make_unique<RangeReader>(database_, Family::indexes, session.options, plan_->ranges);
    session.reader->seek(next_.empty() ? plan_->ranges[at_].from : next_);
  }
  while (at_ < plan_->ranges.size()) {
    RangeReader& reader = *session.reader;
    if (!reader.isBelow(plan_->ranges[at_].to)) {
      if (reader.status().IsIncomplete()) return Flow::disk;
      if (!reader.status().ok()) return fail(readError(reader.status()));
      next_.clear();
      if (++at_ < plan_->ranges.size()) reader.seek(plan_->ranges[at_].from);
      continue;
    }
    if (session.spent()) {
      next_ = reader.key();
      return Flow::more;
    }
    if (++result_.explain.keysExamined > kTryAfter && !tried_) {
      next_ = reader.key();
      TRY(const Flow tried, tryInOrder(session));
      if (tried != Flow::on) return tried;
    }
    const std::string_view id = idOf(reader.key(), reader.value());
    if (!anyFloor_ || id > floor_) {
      window_.emplace_back(id);
      if (window_.size() >= 2 * kWindow) cutWindow();
    }
    reader.next();
  }
  cutWindow();
  at_ = 0;
  next_.clear();
  windowAt_ = 0;
  windowReady_ = true;
  windowSession_ = session.number;
  return Flow::on;
}

// The lowest ids, each once.
void QueryRun::cutWindow() {
  std::sort(window_.begin(), window_.end());
  window_.erase(std::unique(window_.begin(), window_.end()), window_.end());
  if (window_.size() <= kWindow) return;
  window_.resize(kWindow);
  windowCut_ = true;
}

Result<QueryRun::Flow> QueryRun::drainWindow(Session& session) {
  if (plan_->exact && counting_) {
    counted_ += window_.size();
    windowAt_ = window_.size();
  }
  if (plan_->exact && !counting_ && !sorter_) {
    const size_t skipped = static_cast<size_t>(std::min<uint64_t>(skipLeft_, window_.size() - windowAt_));
    skipLeft_ -= skipped;
    windowAt_ += skipped;
  }
  while (windowAt_ < window_.size()) {
    if (session.spent()) return Flow::more;
    size_t chunk = std::min(window_.size() - windowAt_, kChunk);
    if (plan_->exact && !sorter_) chunk = static_cast<size_t>(std::min<uint64_t>(chunk, wanted()));
    session.used += chunk;
    TRY(const Flow flow, fetch(session, std::span(window_).subspan(windowAt_, chunk)));
    if (flow != Flow::on) return flow;
    windowAt_ += chunk;
  }
  return Flow::on;
}

// Looks for the answer among the first documents in order of id; Flow::on when it is not there.
Result<QueryRun::Flow> QueryRun::tryInOrder(Session& session) {
  if (counting_ || sorter_ || anyFloor_ || query_.skip > kTryAtMost || query_.limit > kTryAtMost) {
    tried_ = true;
    return Flow::on;
  }
  const CollectionRef ref{collection_.state->project, collection_.schema->number, collection_.schema->version};
  const Plan inOrder = documentsPlan(ref, query_.filter);
  if (inOrder.ranges.empty()) return Flow::enough;
  RangeReader reader(database_, Family::documents, session.options, inOrder.ranges);
  uint64_t looked = 0;
  for (reader.seek(inOrder.ranges.front().from); reader.isBelow(inOrder.ranges.front().to); reader.next()) {
    if (++looked > kTryAfter) break;
    if (session.spent()) {
      resetAnswer();
      return Flow::more;
    }
    ++result_.explain.documentsExamined;
    if (!query_.filter.matches(doc::DocumentView(reader.value()))) continue;
    TRY(const Flow flow, accept(reader.key().substr(kPrefixBytes), reader.value()));
    if (flow != Flow::enough) continue;
    result_.explain.index = inOrder.boundsIds ? "id" : "";
    return flow;
  }
  if (reader.status().IsIncomplete()) return Flow::disk;
  if (!reader.status().ok()) return fail(readError(reader.status()));
  if (looked <= kTryAfter) {
    result_.explain.index = inOrder.boundsIds ? "id" : "";
    return Flow::enough;
  }
  resetAnswer();
  tried_ = true;
  return Flow::on;
}

}  // namespace mb::store::embedded
