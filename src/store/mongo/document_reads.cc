#include "store/mongo/document_reads.h"

#include <algorithm>

namespace mb::store::mongo {

namespace {

Error tooManyReads() {
  return Error(ErrorCode::unavailable, "the server is busy, try again");
}

}  // namespace

Async<Result<DocumentReads::LookupResult>> DocumentReads::get(CollectionRef collection, std::string id,
                                                              Deadline deadline) {
  co_return co_await suspend<Result<LookupResult>>(
      [&](Resumer<Result<LookupResult>> resumer) { add({collection, std::move(id), deadline, std::move(resumer)}); });
}

void DocumentReads::add(Waiting read) {
  const Key key(read.collection.project, read.collection.number);
  {
    const std::lock_guard lock(mutex_);
    Queue& queue = queues_[key];
    if (queue.waiting.size() >= kWaitingReads) return read.resumer.resume(fail(tooManyReads()));
    queue.waiting.push_back(std::move(read));
    if (queue.running == kReadsAtOnce) return;
    ++queue.running;
  }
  submit(key);
}

void DocumentReads::submit(Key key) {
  if (pool_.submit(key.first, [this, key](Connection& connection) { runNext(connection, key); })) return;
  std::vector<Waiting> refused;
  {
    const std::lock_guard lock(mutex_);
    const auto queue = queues_.find(key);
    if (--queue->second.running > 0) return;  // the other command is followed by one for what waits
    refused = std::move(queue->second.waiting);
    queues_.erase(queue);
  }
  for (Waiting& read : refused) read.resumer.resume(fail(tooManyReads()));
}

void DocumentReads::runNext(Connection& connection, Key key) {
  perform(connection, takeNext(key));
  {
    const std::lock_guard lock(mutex_);
    const auto queue = queues_.find(key);
    if (queue->second.waiting.empty()) {
      if (--queue->second.running == 0) queues_.erase(queue);
      return;
    }
  }
  submit(key);
}

std::vector<DocumentReads::Waiting> DocumentReads::takeNext(Key key) {
  const std::lock_guard lock(mutex_);
  std::vector<Waiting>& waiting = queues_.at(key).waiting;
  const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(waiting.size(), kDocumentsOfRead));
  std::vector<Waiting> taken(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
  waiting.erase(waiting.begin(), end);
  return taken;
}

void DocumentReads::perform(Connection& connection, std::vector<Waiting> reads) {
  const Deadline now = std::chrono::steady_clock::now();
  Deadline deadline = now;
  std::vector<std::string> ids;
  for (Waiting& read : reads) {
    deadline = std::max(deadline, read.deadline);
    if (read.deadline > now) ids.push_back(read.id);
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Result<std::map<std::string, VersionedDocument>> found;
  if (!ids.empty()) found = outcome(connection, reads.front().collection, ids, deadline);
  for (Waiting& read : reads) {
    if (read.deadline <= now) {
      read.resumer.resume(fail(ConnectionPool::late()));
    } else if (!found) {
      read.resumer.resume(fail(found.error().clone()));
    } else {
      const auto document = found->find(read.id);
      read.resumer.resume(document == found->end() ? LookupResult() : LookupResult(document->second));
    }
  }
}

Result<std::map<std::string, VersionedDocument>> DocumentReads::outcome(Connection& connection,
                                                                        const CollectionRef& collection,
                                                                        const std::vector<std::string>& ids,
                                                                        Deadline deadline) const {
  // The callers must be resumed whatever happens.
  try {
    return read_(connection, collection, ids, deadline);
  } catch (const std::exception& bug) {
    return fail(Error(ErrorCode::internal, "something went wrong on the server").withCause(bug.what()));
  }
}

}  // namespace mb::store::mongo
