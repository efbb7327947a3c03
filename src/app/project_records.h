// One project as a stream of records, independent of the engines that it is exported from and imported into:
// concatenated BSON documents with one field each, whose name is the kind of record. In this order:
//
//   {manybase: {format: 2}}          3 where it has a `database`
//   {project:  {…}}                  its record in the control plane
//   {database: {…}}                  the record of a database of its owner, whose address is sealed
//   {member:   {email, role, createdAt}}          any number; invites too
//   {system:   {name, number, chain?: {seq, hash}}}   a system collection that holds something (users, roles, keys,
//                                    audit entries, …); the end of its chain, where it has one (store/chain.h)
//   {document: {…}}                  its documents, ascending id
//   {collection: {name, config, indexes: [{name, keys: [{path, direction}], unique, sparse, partialFilter?,
//                                          expireAfterSeconds?, covering?, include?}]}}
//   {document: {…}}                  its documents, ascending id
//   {system:   {…}}                  those whose documents follow collections (webhooks, functions); first in earlier
//                                    backups
//   {end: {collections, documents}}  what was in the stream
//
// Numbers of collections are the store's own and change with a restore: references to a collection by its number (of
// followers, and in schemas) are exported with its name at the time of the backup.
//
// Sections that are added later (stored files, vector indexes) are records of other kinds before the end, whose large
// bytes are in separate files of the backup, listed in the manifest. They come with a higher format, and a reader
// refuses formats and kinds that it does not know, so that no content is left out silently.
#pragma once

#include <filesystem>
#include <functional>

#include "document/shape.h"
#include "store/store.h"

namespace mb::app {

// The highest format, with a database of the project's owner; one without has the format before.
inline constexpr int32_t kRecordsFormat = 3;
inline constexpr int32_t kFormatWithoutDatabase = 2;
inline constexpr std::string_view kDatabaseRecord = "database";

struct StreamBegin {
  int32_t format = kFormatWithoutDatabase;
  static constexpr auto shape() { return doc::shape<StreamBegin>("Begin", doc::field("format", &StreamBegin::format)); }
};

struct ChainEnd {
  int64_t seq = 0;
  std::string hash;
  static constexpr auto shape() {
    return doc::shape<ChainEnd>("ChainEnd", doc::field("seq", &ChainEnd::seq), doc::field("hash", &ChainEnd::hash));
  }
};

struct SystemSection {
  std::string name;
  int64_t number = 0;
  std::optional<ChainEnd> chain = {};
  static constexpr auto shape() {
    return doc::shape<SystemSection>("SystemSection", doc::field("name", &SystemSection::name),
                                     doc::field("number", &SystemSection::number),
                                     doc::field("chain", &SystemSection::chain));
  }
};

struct StreamEnd {
  int64_t collections = 0;  // of users
  int64_t documents = 0;    // of users' collections and of system ones
  static constexpr auto shape() {
    return doc::shape<StreamEnd>("End", doc::field("collections", &StreamEnd::collections),
                                 doc::field("documents", &StreamEnd::documents));
  }
  bool operator==(const StreamEnd&) const = default;
};

// Whether the documents of a system collection follow collections (events/subscription.h).
bool isFollowers(store::CollectionNo systemCollection);
// Whether its documents refer to collections by number, so that they are restored after these.
bool refersToCollections(store::CollectionNo systemCollection);

// A user collection as a record.
doc::Document encodeCollection(const store::CollectionInfo& collection);
// Reads its name, config and indexes. Fails with validation.
Result<store::CollectionInfo> decodeCollection(doc::DocumentView record);

// Receives records one after the other; `kind` and `content` live until it returns.
using RecordSink = std::function<Result<>(std::string_view kind, doc::DocumentView content)>;

// The bytes of one record.
std::string encodeRecord(std::string_view kind, doc::DocumentView content);
// Passes each record of a file to the sink. Fails with validation for invalid bytes, or with the sink's error.
Result<> readRecords(const std::filesystem::path& path, const RecordSink& sink);

}  // namespace mb::app
