#include "audit/chain_check.h"

#include <fmt/format.h>

#include "audit/retention.h"

namespace mb::audit {

namespace {

std::string range(uint64_t from, uint64_t to) {
  return from == to ? fmt::format("entry {} is missing", from) : fmt::format("entries {} to {} are missing", from, to);
}

}  // namespace

void ChainCheck::report(std::string problem) {
  if (report_.problem.empty()) report_.problem = std::move(problem);
}

void ChainCheck::noteTime(doc::DocumentView entry) {
  const auto at = entry.find("at");
  if (!at || at->type() != doc::BsonType::date) return;
  if (!report_.from) report_.from = at->asDate();
  report_.to = at->asDate();
}

void ChainCheck::takeOlder(doc::DocumentView entry) {
  ++report_.older;
  noteTime(entry);
}

void ChainCheck::take(doc::DocumentView entry) {
  ++report_.entries;
  noteTime(entry);
  const std::string id(entry.stringOr("id"));
  const auto link = store::linkOf(entry);
  if (!link) {
    report(fmt::format("entry {} was edited: it has no valid chain position", id));
    return;
  }
  if (report_.entries == 1) checkStart(*link);
  if (link->seq == last_.seq) {
    report(fmt::format("entry {} exists twice: {} and {}", link->seq, lastId_, id));
  } else if (link->seq > last_.seq + 1) {
    report(range(last_.seq + 1, link->seq - 1) + fmt::format(", before {}", id));
  } else if (store::chainHash(link->prev, entry) != link->hash) {
    report(fmt::format("entry {} ({}) was edited", link->seq, id));
  } else if (link->prev != last_.hash) {
    report(fmt::format("entry {} ({}) does not follow the one before it: one of them was replaced", link->seq, id));
  }
  if (prunedHead_ && !pruneIsRecorded_) pruneIsRecorded_ = prunedUpTo(entry) == *prunedHead_;
  if (expected_ && (*expected_ == link->hash || (report_.entries == 1 && *expected_ == link->prev))) {
    report_.foundHash = true;
  }
  last_ = {link->seq, link->hash};
  lastId_ = id;
}

// The first entry's claim about its predecessor is accepted here; finish() checks that the chain recorded the pruning.
void ChainCheck::checkStart(const store::ChainLink& link) {
  if (link.seq == 1) return;
  prunedHead_ = last_ = {link.seq - 1, link.prev};
}

void ChainCheck::checkEnd(const store::ChainHead& head) {
  if (last_.seq < head.seq) {
    report(range(last_.seq + 1, head.seq) + " at the end");
  } else if (last_.seq > head.seq) {
    report(fmt::format("entries exist after the recorded end, {}", head.seq));
  } else if (last_.hash != head.hash) {
    report(fmt::format("entry {} ({}) is not the one that was recorded as the last", last_.seq, lastId_));
  }
}

ChainReport ChainCheck::finish(uint64_t documents, const store::ChainHead& head) {
  if (prunedHead_ && !pruneIsRecorded_) {
    // This problem comes first in the chain, so it replaces any other.
    report_.problem = range(1, prunedHead_->seq) + " at the beginning";
  } else if (prunedHead_) {
    report_.pruned = prunedHead_->seq;
  }
  checkEnd(head);
  const uint64_t counted = report_.entries + report_.older;
  if (documents != counted) {
    report(documents > counted ? fmt::format("{} entries have no position in the chain", documents - counted)
                               : fmt::format("{} entries are counted, {} exist", documents, counted));
  }
  report_.head = head;
  return std::move(report_);
}

}  // namespace mb::audit
