// One client of a MongoDB server: runs commands, in transactions of its session or outside them. Blocks, so only
// threads of a pool use it, one at a time. The driver (libmongoc) appears in connection.cc, guarded_stream.cc,
// socket_stream.cc and uri.cc only.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "document/bson.h"
#include "store/mongo/guarded_stream.h"
#include "store/store_types.h"

namespace mb::store::mongo {

// The failure of a command, as the server or the driver reported it.
struct CommandError {
  // Codes of the server (https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml); negative ones
  // are the driver's.
  static constexpr int kDriver = -1;
  static constexpr int kNotMongo = -2;  // what responds does not speak the protocol, or a version that is not supported
  static constexpr int kUnauthorized = 13;
  static constexpr int kLoginFailed = 18;
  static constexpr int kNamespaceNotFound = 26;
  static constexpr int kNamespaceExists = 48;
  static constexpr int kMaxTimeExpired = 50;
  static constexpr int kIndexOptionsConflict = 85;  // an index of the same keys has another name
  static constexpr int kWriteConflict = 112;
  static constexpr int kNoSuchTransaction = 251;
  static constexpr int kDuplicateKey = 11000;

  CommandError() = default;
  CommandError(int givenCode, std::string givenMessage) : code(givenCode), message(std::move(givenMessage)) {}

  int code = 0;
  std::string message;
  bool transient = false;      // nothing was committed: the transaction may run again
  bool unknownCommit = false;  // the transaction may have been committed
  bool notSent = false;        // no server was found to which the command could be sent
  // Of a write: the position of the statement that failed, and the name of the unique index that refused it.
  std::optional<size_t> statement;
  std::string index;

  bool isTime() const { return code == kMaxTimeExpired || code == 262; }
};

template <class T = void>
using Outcome = std::expected<T, CommandError>;

// Before any other call of the driver. Any thread.
void initializeDriver();

// The error of a call that failed for a reason of the server. The message never holds addresses, the cause does not
// hold credentials.
Error unavailableError(const CommandError& error);

class Connection {
 public:
  // Gets the id of the session, before a transaction uses it. If it fails, so does begin().
  using SessionStarted = std::function<Outcome<>(Connection&, doc::DocumentView session)>;

  // Connects with the first command. `uri` is one that parseUri() returned.
  explicit Connection(const std::string& uri, SessionStarted started = {});
  // Reaches only addresses that `permits` permits, also where the server names further hosts. `uri` names plain hosts.
  Connection(const std::string& uri, AddressCheck permits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // "address port", in numbers, of the server that a guarded connection was made to last; "" before the first command.
  const std::string& peer() const;

  // Outside a transaction. `command` without lsid and txnNumber. Fails also where the reply holds errors of writes.
  Outcome<doc::Document> run(const std::string& database, doc::DocumentView command);
  // With read concern majority.
  Outcome<doc::Document> read(const std::string& database, doc::DocumentView command);
  // With write concern majority, journaled; the driver sends it again once after a failure of the network.
  Outcome<doc::Document> write(const std::string& database, doc::DocumentView command);

  // ---- one transaction at a time: snapshot, majority, journaled
  Outcome<> begin();
  Outcome<doc::Document> inTransaction(const std::string& database, doc::DocumentView command);
  // Sends the commit again while its outcome is unknown, until `deadline`.
  Outcome<> commit(Deadline deadline);
  // Never fails; no effect without a transaction.
  void abort();

  // ---- without the driver's commands, and without blocking: messages of the protocol
  // (https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/)
  // Connects a guarded connection to the primary, past the login, and returns its socket, which is this object's; -1
  // for a failure. From then on only the next two are called. Blocks.
  int detach();
  // False if not all of it was taken at once.
  bool send(std::string_view message);
  // Appends at most `size` bytes of what has arrived.
  enum class Received : uint8_t { some, nothing, ended };
  Received receive(std::string& received, size_t size);

 private:
  struct Driver;
  std::unique_ptr<Driver> driver_;
  const SessionStarted started_;
};

// The documents of a reply's first batch or next batch, and the cursor's number (0: no further ones).
struct Batch {
  std::vector<doc::DocumentView> documents;  // they borrow from the reply
  int64_t cursor = 0;
};
Batch batchOf(doc::DocumentView reply);
// Calls `visit` with each document of a find or aggregate command, and of its further batches; `run` sends a command.
// Ends early, and drops the cursor, once `visit` returns false.
Outcome<> eachDocument(const std::function<Outcome<doc::Document>(doc::DocumentView command)>& run,
                       std::string_view collection, doc::DocumentView command,
                       const std::function<bool(doc::DocumentView)>& visit);

}  // namespace mb::store::mongo
