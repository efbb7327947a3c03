// The reading of a query in one pass over the keys: by ids, over the documents, along indexes in their order.
#include "store/embedded/keys.h"
#include "store/embedded/query_session.h"

namespace mb::store::embedded {

namespace {

// A merged reading starts each range with a seek, which costs as much as several documents. From this many ranges on,
// one document per kRangesPerTry ranges is first read in the order of ids: if many documents match, these are enough.
constexpr size_t kTryFromRanges = 128;
constexpr size_t kRangesPerTry = 4;

}  // namespace

Result<QueryRun::Flow> QueryRun::readByIds(Session& session) {
  const std::vector<std::string>& ids = plan_->accessPaths.front().ids;
  gathered_ = session.number;
  DocumentBatch batch = batchOf(std::min(ids.size(), kChunk));
  while (at_ < ids.size()) {
    const uint64_t useful =
        sorter_ ? kChunk : std::min<uint64_t>(wanted(), kChunk) + std::min<uint64_t>(skipLeft_, kChunk);
    const size_t chunk = std::clamp<size_t>(static_cast<size_t>(useful), 1, std::min(ids.size() - at_, kChunk));
    if (session.spent()) return Flow::more;
    session.used += chunk;
    batch.clear();
    for (size_t i = 0; i < chunk; ++i) batch.add(ids[at_ + i]);
    TRY(const Flow flow, fetch(session, batch));
    if (flow != Flow::on) return flow;
    at_ += chunk;
  }
  return Flow::enough;
}

Result<QueryRun::Flow> QueryRun::readDocuments(Session& session) {
  const AccessPath& path = plan_->accessPaths.front();
  if (path.ranges.empty()) return Flow::enough;
  const KeyRange& range = path.ranges.front();
  gathered_ = session.number;
  const bool backward = plan_->reading == Reading::backward;
  RangeReader reader(context_.database, Family::documents, session.options, path.ranges);
  if (backward) {
    reader.seekBelow(next_.empty() ? range.to : next_ + '\0');
  } else {
    reader.seek(next_.empty() ? range.from : next_);
  }
  for (; reader.valid(); backward ? reader.previous() : reader.next()) {
    if (session.spent()) {
      next_ = reader.key();
      return Flow::more;
    }
    ++result_.explain.documentsExamined;
    const bool matches = isMatch(session, reader.document(), false);
    if (WorkBudget::exceeded()) return Flow::costly;
    if (!matches || countOrSkip()) continue;
    TRY(const Flow flow, accept(reader.key().substr(kPrefixBytes), std::string(reader.document())));
    if (flow != Flow::on) return flow;
  }
  if (reader.status().IsIncomplete()) return Flow::disk;
  if (!reader.status().ok()) return fail(readError(reader.status()));
  return Flow::enough;
}

Result<QueryRun::Flow> QueryRun::readStream(Session& session) {
  if (pending_) {
    // The snapshot differs from that of the ids, so isMatch() evaluates the filter.
    TRY(const Flow flow, fetch(session, *pending_));
    if (flow != Flow::on) return flow;
    pending_.reset();
  }
  const bool unordered = query_.projection == Projection::unorderedIds;
  const size_t ranges = plan_->reading == Reading::merged ? plan_->rangeCount() : 1;
  if (ranges >= kTryFromRanges && !tried_ && positions_.empty() && !unordered && order_.isIdAscending()) {
    TRY(const Flow tried, tryInOrder(session, ranges / kRangesPerTry));
    if (tried != Flow::on) return tried;
  }
  gathered_ = session.number;
  // If the entries are only counted, or are sorted later, any order will do.
  const bool anyOrder = unordered || ((counting_ || sorter_) && !plan_->mayRepeat && plan_->orderedKeys == 0);
  const auto stream = KeyStream::open(context_.database, session.options, *plan_,
                                      anyOrder ? Reading::forward : plan_->reading, positions_);
  size_t chunk = static_cast<size_t>(std::clamp<uint64_t>(wanted(), plan_->exact ? 1 : 32, kChunk));
  DocumentBatch batch = batchOf(isCovered() ? 0 : chunk);
  while (true) {
    const bool valid = stream->valid();
    const bool spent = valid && session.spent();
    if (!valid || spent || batch.size() == chunk) {
      if (stream->status().IsIncomplete()) return Flow::disk;
      if (!stream->status().ok()) return fail(readError(stream->status()));
      TRY(const Flow flow, fetch(session, batch));
      if (flow == Flow::disk) {
        keepPending(std::move(batch), *stream);
        return flow;
      }
      if (flow != Flow::on) return flow;
      batch.clear();
      chunk = plan_->exact && !sorter_ ? static_cast<size_t>(std::min<uint64_t>(wanted(), kChunk)) : kChunk;
    }
    if (!valid) return Flow::enough;
    if (spent) {
      positions_ = stream->positions();
      return Flow::more;
    }
    if (examine() == Flow::again) return Flow::again;
    const KeyStream::Verdict verdict = stream->verdict();
    if (WorkBudget::exceeded()) return Flow::costly;
    const bool matches = verdict == KeyStream::Verdict::match;
    if (verdict == KeyStream::Verdict::noMatch) {
      // The filter fails on the entry, so the document is not read.
    } else if (counting_ && matches) {
      ++counted_;
    } else if (matches && skipLeft_ > 0 && !sorter_ && batch.empty()) {
      --skipLeft_;
    } else {
      batch.add(stream->id(), stream->document(), matches);
      // The batch completes the result, so later entries are not read.
      if (!sorter_ && batch.allKnownToMatch() && batch.size() == wanted()) {
        TRY(const Flow flow, fetch(session, batch));
        if (flow == Flow::disk) {
          stream->next();
          keepPending(std::move(batch), *stream);
          return flow;
        }
        if (flow != Flow::on) return flow;
        batch.clear();
        chunk = static_cast<size_t>(std::min<uint64_t>(wanted(), kChunk));
      }
    }
    stream->next();
  }
}

// The keys were in memory, but their documents are not: the next step starts with these. Without pending_ it would
// start from the beginning.
void QueryRun::keepPending(DocumentBatch batch, const KeyStream& stream) {
  if (!stream.status().ok()) return;
  positions_ = stream.positions();
  batch.forgetDocuments();
  pending_.emplace(std::move(batch));
}

Result<QueryRun::Flow> QueryRun::readSorted(Session& session) {
  DocumentBatch batch = batchOf(std::min(sorted_->size(), kChunk));
  while (sortedAt_ < sorted_->size()) {
    if (session.spent()) return Flow::more;
    const size_t chunk = std::min(sorted_->size() - sortedAt_, kChunk);
    session.used += chunk;
    batch.clear();
    for (size_t i = 0; i < chunk; ++i) batch.add((*sorted_)[sortedAt_ + i].id());
    TRY(const bool read, batch.read(context_.database, session.options, !session.isScan()));
    if (!read) return Flow::disk;
    for (size_t i = 0; i < chunk; ++i, ++sortedAt_) {
      Sorter::Entry& entry = (*sorted_)[sortedAt_];
      const doc::DocumentView document = batch.found(i) ? doc::DocumentView(batch.bytes(i)) : doc::DocumentView();
      const bool stays =
          batch.found(i) && query_.filter.matches(document) && sortPositions_.of(entry.id(), document) == entry.key;
      if (WorkBudget::exceeded()) return Flow::costly;
      if (!stays && result_.documents.size() < query_.limit) {
        // The page is shorter; where it ends, there may be more.
        lastPosition_ = ordersByKeys() ? entry.key : std::string(entry.id());
        result_.more = sorted_->size() >= query_.limit + (query_.seesMore ? 1 : 0);
      }
      if (!stays) continue;
      ++result_.explain.documentsExamined;
      std::string position = ordersByKeys() ? entry.key : std::string(entry.id());
      TRY(const bool fits, add(project(entry.id(), std::move(batch.bytes(i))), std::move(position)));
      if (!fits) return Flow::enough;
    }
  }
  return Flow::enough;
}

}  // namespace mb::store::embedded
