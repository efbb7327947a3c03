#include "app/project_records.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "data/policy_set_record.h"
#include "functions/function_types.h"
#include "webhooks/webhook_types.h"

namespace mb::app {

namespace {

// Fits a document of 1 MiB, and a collection with the largest configuration and indexes.
constexpr size_t kMaxRecord = 32 << 20;
constexpr size_t kPiece = 1 << 20;

struct KeyRecord {
  std::string path;
  int32_t direction = 1;
  static constexpr auto shape() {
    return doc::shape<KeyRecord>("Key", doc::field("path", &KeyRecord::path),
                                 doc::field("direction", &KeyRecord::direction));
  }
};

struct IndexRecord {
  std::string name;
  std::vector<KeyRecord> keys;
  bool unique = false;
  bool sparse = false;
  std::optional<doc::Document> partialFilter;
  std::optional<int64_t> expireAfterSeconds;
  std::optional<bool> covering;
  std::optional<std::vector<std::string>> include;
  static constexpr auto shape() {
    return doc::shape<IndexRecord>(
        "Index", doc::field("name", &IndexRecord::name), doc::field("keys", &IndexRecord::keys),
        doc::field("unique", &IndexRecord::unique), doc::field("sparse", &IndexRecord::sparse),
        doc::field("partialFilter", &IndexRecord::partialFilter),
        doc::field("expireAfterSeconds", &IndexRecord::expireAfterSeconds),
        doc::field("covering", &IndexRecord::covering), doc::field("include", &IndexRecord::include));
  }
};

struct CollectionRecord {
  std::string name;
  doc::Document config;
  std::vector<IndexRecord> indexes;
  static constexpr auto shape() {
    return doc::shape<CollectionRecord>("Collection", doc::field("name", &CollectionRecord::name),
                                        doc::field("config", &CollectionRecord::config),
                                        doc::field("indexes", &CollectionRecord::indexes));
  }
};

std::unexpected<Error> corruptRecord(std::string_view what) {
  return fail(ErrorCode::validation, fmt::format("the backup is corrupt: {}", what));
}

}  // namespace

bool isFollowers(store::CollectionNo systemCollection) {
  return systemCollection == webhooks::kWebhooks || systemCollection == functions::kFunctions ||
         systemCollection == functions::kVersions;
}

bool refersToCollections(store::CollectionNo systemCollection) {
  return isFollowers(systemCollection) || systemCollection == data::kPolicySetCollection;
}

doc::Document encodeCollection(const store::CollectionInfo& collection) {
  CollectionRecord record{collection.name, collection.config, {}};
  for (const store::IndexInfo& index : collection.indexes) {
    IndexRecord& made = record.indexes.emplace_back();
    made.name = index.spec.name;
    for (const auto& key : index.spec.keys) made.keys.push_back({key.path, key.direction});
    made.unique = index.spec.unique;
    made.sparse = index.spec.sparse;
    made.partialFilter = index.spec.partialFilter;
    made.expireAfterSeconds = index.spec.expireAfterSeconds;
    if (index.spec.covering) made.covering = true;
    if (!index.spec.include.empty()) made.include = index.spec.include;
  }
  return doc::encode(record);
}

Result<store::CollectionInfo> decodeCollection(doc::DocumentView view) {
  auto record = doc::decode<CollectionRecord>(view);
  if (!record) return corruptRecord("a collection in it, " + record.error().message());
  store::CollectionInfo collection;
  collection.name = std::move(record->name);
  collection.config = std::move(record->config);
  for (IndexRecord& index : record->indexes) {
    store::IndexSpec spec;
    spec.name = std::move(index.name);
    for (auto& key : index.keys) spec.keys.push_back({std::move(key.path), key.direction});
    spec.unique = index.unique;
    spec.sparse = index.sparse;
    spec.partialFilter = std::move(index.partialFilter);
    spec.expireAfterSeconds = index.expireAfterSeconds;
    spec.covering = index.covering.value_or(false);
    spec.include = std::move(index.include).value_or(std::vector<std::string>());
    collection.indexes.emplace_back().spec = std::move(spec);
  }
  return collection;
}

std::string encodeRecord(std::string_view kind, doc::DocumentView content) {
  doc::BsonWriter out(content.bytes().size() + kind.size() + 8);
  out.appendDocument(kind, content);
  return out.finish().takeBytes();
}

Result<> readRecords(const std::filesystem::path& path, const RecordSink& sink) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.open()) return fileError("read", path);
  std::string buffer;
  bool more = true;
  // Fills the buffer with at least `wanted` bytes, or all that are left.
  const auto fill = [&](size_t wanted) -> Result<> {
    while (more && buffer.size() < wanted) {
      const size_t had = buffer.size();
      buffer.resize(had + kPiece);
      const ssize_t got = ::read(file.get(), buffer.data() + had, kPiece);
      if (got < 0 && errno != EINTR) return fileError("read", path);
      buffer.resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
      more = got != 0;
    }
    return {};
  };
  size_t at = 0;
  while (true) {
    if (buffer.size() - at < kPiece / 2) {
      buffer.erase(0, std::exchange(at, 0));
      RETURN_IF_ERROR(fill(kPiece / 2));
    }
    if (at == buffer.size()) return {};
    if (buffer.size() - at < 5) return corruptRecord("it ends in the middle of a record");
    int32_t size = 0;
    std::memcpy(&size, buffer.data() + at, sizeof size);
    if (size < 5 || static_cast<size_t>(size) > kMaxRecord) return corruptRecord("a record of impossible size");
    RETURN_IF_ERROR(fill(at + static_cast<size_t>(size)));
    if (buffer.size() - at < static_cast<size_t>(size)) return corruptRecord("it ends in the middle of a record");
    const auto record = doc::Document::fromUntrusted(buffer.substr(at, static_cast<size_t>(size)));
    at += static_cast<size_t>(size);
    if (!record) return corruptRecord("an invalid record");
    const doc::DocumentView view = *record;
    if (view.count() != 1 || view.begin()->value.type() != doc::BsonType::document) {
      return corruptRecord("an invalid record");
    }
    RETURN_IF_ERROR(sink(view.begin()->key, view.begin()->value.asDocument()));
  }
}

}  // namespace mb::app
