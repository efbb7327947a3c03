#include "store/embedded/document_batch.h"

namespace mb::store::embedded {

namespace {
constexpr size_t kUsualId = 20;
}

DocumentBatch::DocumentBatch(ProjectNo project, CollectionNo collection, size_t expected)
    : project_(project), collection_(collection) {
  keys_.reserve(expected * (kPrefixBytes + kUsualId));
  ends_.reserve(expected);
}

void DocumentBatch::add(std::string_view id, std::string_view document, bool matches) {
  if (!document.empty()) {
    supplied_.resize(size());
    supplied_.emplace_back(document);
  }
  appendRangePrefix(keys_, project_, collection_);
  keys_ += id;
  ends_.push_back(static_cast<uint32_t>(keys_.size()));
  matching_.push_back(matches);
  if (!matches) ++unknown_;
}

void DocumentBatch::clear() {
  keys_.clear();
  ends_.clear();
  matching_.clear();
  unknown_ = 0;
  supplied_.clear();
}

Result<bool> DocumentBatch::read(Database& database, const rocksdb::ReadOptions& options, bool keep) {
  const uint64_t sequence = options.snapshot->GetSequenceNumber();
  documents_.clear();
  documents_.resize(size());
  std::vector<uint32_t> missed;
  DocumentVersion version = 0;  // which no reader of several documents needs
  for (size_t i = 0; i < size(); ++i) {
    Slot& slot = documents_[i];
    if (i < supplied_.size() && !supplied_[i].empty()) {
      slot.bytes = std::move(supplied_[i]);
      slot.found = true;
      continue;
    }
    slot.found = database.documents().find(key(i), sequence, slot.bytes, version, slot.ticket);
    if (!slot.found) missed.push_back(static_cast<uint32_t>(i));
  }
  if (missed.empty()) return true;
  return readMissed(database, options, keep, missed);
}

Result<bool> DocumentBatch::readMissed(Database& database, const rocksdb::ReadOptions& options, bool keep,
                                       const std::vector<uint32_t>& missed) {
  std::vector<rocksdb::Slice> keys;
  keys.reserve(missed.size());
  for (const uint32_t i : missed) keys.push_back(slice(key(i)));
  std::vector<rocksdb::PinnableSlice> values(missed.size());
  std::vector<rocksdb::Status> statuses(missed.size());
  rocksdb::ReadOptions reading = options;
  // The documents themselves are cached, which takes a tenth of the memory of their blocks.
  reading.fill_cache = false;
  database.getMany(reading, Family::documents, keys, values, statuses);
  for (const rocksdb::Status& status : statuses) {
    if (status.IsIncomplete()) return false;
    if (!status.ok() && !status.IsNotFound()) return fail(readError(status));
  }
  const uint64_t sequence = options.snapshot->GetSequenceNumber();
  for (size_t at = 0; at < missed.size(); ++at) {
    if (!statuses[at].ok()) continue;
    Slot& slot = documents_[missed[at]];
    slot.found = true;
    const StoredDocument stored = splitStored(view(values[at]));
    slot.bytes = stored.bson;
    if (keep) database.documents().fill(key(missed[at]), stored, sequence, slot.ticket);
  }
  return true;
}

}  // namespace mb::store::embedded
