// Reading documents of an owner's database. The filter language's meaning is ours: what the server evaluates otherwise
// is evaluated here, on documents as shown (documents.h). Lists without a sort are in ascending order of `_id`.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "store/own/database.h"
#include "store/own/documents.h"
#include "store/store.h"

namespace mb::store::own {

// A collection of an owner's database.
struct Collection {
  std::shared_ptr<Database> database;
  std::string name;  // in that database
};

struct StoredDocument {
  std::string stored;  // well-formed BSON
  doc::Document shown;
};

// Sends a command that reads, in a transaction or outside.
using Reading = std::function<mongo::Outcome<doc::Document>(doc::DocumentView command)>;

// The documents with these ids, in their order; nullopt for one that does not exist. Blocks.
Result<std::vector<std::optional<StoredDocument>>> readByIds(const Reading& read, const Collection& collection,
                                                             std::span<const std::string> ids, Deadline deadline);

Task<std::vector<std::optional<StoredDocument>>> getStored(Collection collection, std::vector<std::string> ids,
                                                           Deadline deadline);
// As DocumentStore::find() and count(). Fail with invalidFilter for conditions and sorts on `_id`.
Task<QueryResult> find(Collection collection, Query query);
Task<uint64_t> count(Collection collection, doc::Filter filter, Deadline deadline);
// The documents that are shown, and the bytes of all.
Task<CollectionStats> stats(Collection collection, Deadline deadline);

// Appends the field by which a command compares text by its bytes: a collection of the owner's may have a collation of
// its own.
void appendCollation(doc::BsonWriter& out);

// Fails with invalidFilter for a path that leads to `_id`.
Result<> checkPath(std::string_view path);

// Whether a unique index on `id` alone is there, so that clients may choose ids. Blocks.
Result<bool> hasUniqueIds(mongo::Connection& connection, const Collection& collection);

}  // namespace mb::store::own
