// One transaction of a group, with the commands that its steps send.
#pragma once

#include "store/mongo/commands.h"
#include "store/mongo/connection.h"

namespace mb::store::mongo {

class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) {}
  ~Transaction() { connection_.abort(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Outcome<> begin() { return connection_.begin(); }
  Outcome<> commit(Deadline deadline) { return connection_.commit(deadline); }
  Outcome<doc::Document> run(const std::string& database, doc::DocumentView command) {
    return connection_.inTransaction(database, command);
  }
  // Calls `visit` with each document that a find or aggregate command returns.
  Outcome<> each(const std::string& database, std::string_view collection, doc::DocumentView command,
                 const std::function<void(doc::DocumentView)>& visit);
  // Sends statements in commands of a bounded size. CommandError::statement is the position in `statements`. `matched`:
  // the number of documents that updates and removals found; null where it does not matter.
  Outcome<> update(const std::string& database, std::string_view collection, std::span<const doc::Document> statements,
                   uint64_t* matched = nullptr);
  Outcome<> remove(const std::string& database, std::string_view collection, std::span<const doc::Document> statements);
  Outcome<> insert(const std::string& database, std::string_view collection, std::span<const doc::Document> documents);

 private:
  Outcome<> inParts(const std::string& database, std::span<const doc::Document> all, uint64_t* matched,
                    const std::function<doc::Document(std::span<const doc::Document>)>& command);

  Connection& connection_;
};

}  // namespace mb::store::mongo
