#include "audit/chain_check.h"

#include <fmt/format.h>

#include "audit/retention.h"

namespace mb::audit {

namespace {

std::string range(uint64_t from, uint64_t to) {
  return from == to ? fmt::format("entry {} is missing", from) : fmt::format("entries {} to {} are missing", from, to);
}

}  // namespace

void ChainCheck::found(std::string problem) {
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
    found(fmt::format("the entry {} was edited: it does not say its place", id));
    return;
  }
  if (report_.entries == 1) checkStart(*link);
  if (link->seq == last_.seq) {
    found(fmt::format("entry {} is there twice: {} and {}", link->seq, lastId_, id));
  } else if (link->seq > last_.seq + 1) {
    found(range(last_.seq + 1, link->seq - 1) + fmt::format(", before {}", id));
  } else if (store::chainHash(link->prev, entry) != link->hash) {
    found(fmt::format("entry {} ({}) was edited", link->seq, id));
  } else if (link->prev != last_.hash) {
    found(fmt::format("entry {} ({}) does not follow the one before it: one of them was replaced", link->seq, id));
  }
  if (cut_ && !cutIsRecorded_) cutIsRecorded_ = prunedUpTo(entry) == *cut_;
  if (looked_ && (*looked_ == link->hash || (report_.entries == 1 && *looked_ == link->prev))) report_.foundHash = true;
  last_ = {link->seq, link->hash};
  lastId_ = id;
}

// What the first entry says of what was before it is taken as it is; finish() asks whether the chain recorded it.
void ChainCheck::checkStart(const store::ChainLink& link) {
  if (link.seq == 1) return;
  cut_ = last_ = {link.seq - 1, link.prev};
}

void ChainCheck::checkEnd(const store::ChainHead& head) {
  if (last_.seq < head.seq) {
    found(range(last_.seq + 1, head.seq) + " at the end");
  } else if (last_.seq > head.seq) {
    found(fmt::format("there are entries behind the recorded end, {}", head.seq));
  } else if (last_.hash != head.hash) {
    found(fmt::format("entry {} ({}) is not the one that was recorded as the last", last_.seq, lastId_));
  }
}

ChainReport ChainCheck::finish(uint64_t documents, const store::ChainHead& head) {
  if (cut_ && !cutIsRecorded_) {
    // Whatever else is wrong, this comes first in the chain.
    report_.problem = range(1, cut_->seq) + " at the beginning";
  } else if (cut_) {
    report_.pruned = cut_->seq;
  }
  checkEnd(head);
  const uint64_t counted = report_.entries + report_.older;
  if (documents != counted) {
    found(documents > counted ? fmt::format("{} entries have no place in the chain", documents - counted)
                              : fmt::format("{} entries are counted, {} are there", documents, counted));
  }
  report_.head = head;
  return std::move(report_);
}

}  // namespace mb::audit
