// Writing documents of an owner's database: statements that hold only while their documents are as they were read, in a
// transaction where the database has them.
#pragma once

#include "store/own/reading.h"
#include "store/write.h"

namespace mb::store::own {

// Begins the names, there, of the indexes that were created here.
inline constexpr std::string_view kIndexPrefix = "mb_";
// The unique index on ids that are strings.
inline constexpr std::string_view kIdIndex = "mb_id";

struct Statement {
  enum class Kind { hold, insert, replace, remove } kind = Kind::hold;
  Collection collection;
  std::string before;      // the document as it was read; "" if it did not exist
  std::string after;       // of insert and replace: the document to be stored
  bool choosesId = false;  // of insert: a client chose the id
  size_t target = 0;       // in the write, for violations
};

// What became of statements.
struct Applied {
  size_t count = 0;            // how many took effect, from the first on
  bool raced = false;          // another write came first: read again
  std::optional<Error> error;  // of the first that did not take effect, unless it raced
  bool isUnknown = false;      // that one, or further ones, may have taken effect
};

// All of one database. With transactions all take effect or none, else each by itself, in order. An insert fails with
// conflict for a taken id, and where a client chose it in a collection without a unique index on `id`; a statement
// fails with conflict and a Violation for a unique index, with validation if the database refuses the document, with
// payloadTooLarge, and with unavailable.
Task<Applied> apply(std::vector<Statement> statements, Deadline deadline);

// The statement for the change of a document; nullopt where it has no effect. Fails with invalidBody for a document
// with a field `_id`, conflict where a replacement would lose a value that JSON has no form for, and payloadTooLarge
// for one over 1 MiB that was not larger before.
Result<std::optional<Statement>> statementOf(const Collection& collection, const WriteTarget& target,
                                             const std::optional<StoredDocument>& before, const Change& change,
                                             size_t position);

}  // namespace mb::store::own
