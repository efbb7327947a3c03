#include "store/mongo/connection.h"

#include <mongoc/mongoc.h>
#include <sys/mman.h>

#include <algorithm>
#include <thread>

#include "document/fields.h"
#include "document/foreign_bson.h"

// libmongoc keeps its counters in a file in /dev/shm, which it creates when the program is loaded, whether the driver
// is used or not. A killed process would leave the file, and a later process with the same number would print a
// warning. These replace the functions of the C library in the whole program: the memory has no name, and ends with the
// process.
extern "C" {
int shm_open(const char* name, int /*flags*/, mode_t /*mode*/) {
  return memfd_create(name, MFD_CLOEXEC);
}
int shm_unlink(const char* /*name*/) {
  return 0;
}
}

namespace mb::store::mongo {

namespace {

// Borrows the bytes of a document for the driver.
class Borrowed {
 public:
  explicit Borrowed(doc::DocumentView view) {
    bson_init_static(&bson_, reinterpret_cast<const uint8_t*>(view.bytes().data()), view.bytes().size());
  }
  const bson_t* get() const { return &bson_; }

 private:
  bson_t bson_;
};

class Reply {
 public:
  Reply() { bson_init(&bson_); }
  ~Reply() { bson_destroy(&bson_); }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  // For a call that initializes it.
  bson_t* out() {
    bson_destroy(&bson_);
    return &bson_;
  }
  const bson_t* raw() const { return &bson_; }
  doc::DocumentView view() const {
    return doc::DocumentView({reinterpret_cast<const char*>(bson_get_data(&bson_)), bson_.len});
  }

 private:
  bson_t bson_;
};

bool hasLabel(const bson_t* reply, const char* label) {
  return reply != nullptr && mongoc_error_has_label(reply, label);
}

// "… index: i12 dup key: …"
std::string indexNamed(std::string_view message) {
  constexpr std::string_view kPrefix = "index: ";
  const size_t at = message.find(kPrefix);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + kPrefix.size());
  return std::string(rest.substr(0, rest.find(' ')));
}

// The first write error of a reply; nullopt for none.
std::optional<CommandError> writeErrorOf(doc::DocumentView reply) {
  const auto errors = reply.find("writeErrors");
  if (errors && errors->isContainer() && !errors->asDocument().empty()) {
    const doc::DocumentView first = (*errors->asDocument().begin()).value.asDocument();
    CommandError error;
    error.code = static_cast<int>(doc::integerOr(first, "code"));
    error.message = first.stringOr("errmsg");
    error.statement = static_cast<size_t>(doc::integerOr(first, "index"));
    error.index = indexNamed(error.message);
    error.transient = error.code == CommandError::kWriteConflict;
    return error;
  }
  const auto concern = reply.find("writeConcernError");
  if (!concern || !concern->isContainer()) return std::nullopt;
  CommandError error;
  error.code = static_cast<int>(doc::integerOr(concern->asDocument(), "code"));
  error.message = concern->asDocument().stringOr("errmsg");
  return error;
}

int codeOfDriver(const bson_error_t& error) {
  if (error.domain == MONGOC_ERROR_CLIENT && error.code == MONGOC_ERROR_CLIENT_AUTHENTICATE) {
    return CommandError::kLoginFailed;
  }
  // A search for a server keeps only the text of what a host responded.
  const bool isOther = error.code == MONGOC_ERROR_PROTOCOL_BAD_WIRE_VERSION ||
                       std::string_view(error.message).contains("Invalid reply from server");
  return isOther ? CommandError::kNotMongo : CommandError::kDriver;
}

CommandError errorOf(const bson_error_t& error, const bson_t* reply) {
  CommandError out;
  const bool server = error.domain == MONGOC_ERROR_SERVER || error.domain == MONGOC_ERROR_WRITE_CONCERN;
  out.code = server ? static_cast<int>(error.code) : codeOfDriver(error);
  out.message = error.message;
  out.notSent = error.domain == MONGOC_ERROR_SERVER_SELECTION;
  out.transient = hasLabel(reply, "TransientTransactionError");
  out.unknownCommit = hasLabel(reply, "UnknownTransactionCommitResult");
  if (out.code == CommandError::kDuplicateKey) out.index = indexNamed(out.message);
  return out;
}

struct WriteConcern {
  mongoc_write_concern_t* value = mongoc_write_concern_new();
  WriteConcern() {
    mongoc_write_concern_set_wmajority(value, 10'000);
    mongoc_write_concern_set_journal(value, true);
  }
  ~WriteConcern() { mongoc_write_concern_destroy(value); }
};

struct ReadConcern {
  mongoc_read_concern_t* value = mongoc_read_concern_new();
  explicit ReadConcern(const char* level) { mongoc_read_concern_set_level(value, level); }
  ~ReadConcern() { mongoc_read_concern_destroy(value); }
};

struct ServerDeleter {
  void operator()(mongoc_server_description_t* server) const { mongoc_server_description_destroy(server); }
};
using Server = std::unique_ptr<mongoc_server_description_t, ServerDeleter>;

}  // namespace

void initializeDriver() {
  static const bool done = [] {
    mongoc_init();
    // The driver's lines may hold addresses; its errors are in what it returns.
    mongoc_log_set_handler([](mongoc_log_level_t, const char*, const char*, void*) {}, nullptr);
    return true;
  }();
  (void)done;
}

struct Connection::Driver {
  ConnectionGuard guard;  // without a check: any address
  mongoc_client_t* client = nullptr;
  mongoc_client_session_t* session = nullptr;
  mongoc_transaction_opt_t* transaction = nullptr;
  mongoc_stream_t* detached = nullptr;  // the client's
  bson_t readOptions;
  bson_t writeOptions;
  bson_t sessionOptions;

  Driver(const std::string& uri, AddressCheck givenPermits) : guard{std::move(givenPermits), {}, {}} {
    initializeDriver();
    client = mongoc_client_new(uri.c_str());
    if (client == nullptr) throw std::runtime_error("the address of the database does not parse");
    if (guard.permits) guardConnections(client, guard);
    mongoc_client_set_error_api(client, MONGOC_ERROR_API_VERSION_2);
    const WriteConcern majority;
    const ReadConcern read("majority");
    const ReadConcern snapshot("snapshot");
    bson_init(&readOptions);
    mongoc_read_concern_append(read.value, &readOptions);
    bson_init(&writeOptions);
    mongoc_write_concern_append(majority.value, &writeOptions);
    bson_init(&sessionOptions);
    transaction = mongoc_transaction_opts_new();
    mongoc_transaction_opts_set_write_concern(transaction, majority.value);
    mongoc_transaction_opts_set_read_concern(transaction, snapshot.value);
  }
  ~Driver() {
    endSession();
    mongoc_transaction_opts_destroy(transaction);
    bson_destroy(&readOptions);
    bson_destroy(&writeOptions);
    bson_destroy(&sessionOptions);
    mongoc_client_destroy(client);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void endSession() {
    if (session != nullptr) mongoc_client_session_destroy(session);
    session = nullptr;
  }
  doc::DocumentView sessionId() const {
    const bson_t* id = mongoc_client_session_get_lsid(session);
    return doc::DocumentView({reinterpret_cast<const char*>(bson_get_data(id)), id->len});
  }
  Outcome<> startSession() {
    bson_error_t error{};
    session = mongoc_client_start_session(client, nullptr, &error);
    if (session == nullptr) return std::unexpected(errorOf(error, nullptr));
    bson_reinit(&sessionOptions);
    if (mongoc_client_session_append(session, &sessionOptions, &error)) return {};
    return std::unexpected(errorOf(error, nullptr));
  }

  // `call` takes the reply, which it initializes, and the error.
  template <class Call>
  Outcome<doc::Document> finish(Call call) const {
    Reply reply;
    bson_error_t error{};
    const bool done = call(reply.out(), &error);
    // Any program may be behind an address that is not the operator's.
    if (guard.permits && !doc::isWellFormed(reply.view().bytes())) {
      return std::unexpected(CommandError(CommandError::kDriver, "the reply is malformed"));
    }
    if (!done) {
      // The reply of a failed write may say which statement failed.
      if (auto failed = writeErrorOf(reply.view())) {
        failed->transient = failed->transient || hasLabel(reply.raw(), "TransientTransactionError");
        return std::unexpected(*std::move(failed));
      }
      return std::unexpected(errorOf(error, reply.raw()));
    }
    if (auto failed = writeErrorOf(reply.view())) return std::unexpected(*std::move(failed));
    return doc::Document(reply.view());
  }
};

Error unavailableError(const CommandError& error) {
  const std::string_view message =
      error.isTime() ? "the database takes too long: try again" : "the database does not respond: try again";
  return Error(ErrorCode::unavailable, std::string(message))
      .withCause(fmt::format("{}: {}", error.code, error.message));
}

Connection::Connection(const std::string& uri, SessionStarted started)
    : driver_(std::make_unique<Driver>(uri, AddressCheck())), started_(std::move(started)) {}

Connection::Connection(const std::string& uri, AddressCheck permits)
    : driver_(std::make_unique<Driver>(uri, std::move(permits))) {}

Connection::~Connection() = default;

const std::string& Connection::peer() const {
  return driver_->guard.peer;
}

Outcome<doc::Document> Connection::run(const std::string& database, doc::DocumentView command) {
  const Borrowed borrowed(command);
  return driver_->finish([&](bson_t* reply, bson_error_t* error) {
    return mongoc_client_command_with_opts(driver_->client, database.c_str(), borrowed.get(), nullptr, nullptr, reply,
                                           error);
  });
}

Outcome<doc::Document> Connection::read(const std::string& database, doc::DocumentView command) {
  // A cursor keeps the read concern of the command that opened it.
  const std::string_view name = (*command.begin()).key;
  if (name == "getMore" || name == "killCursors") return run(database, command);
  const Borrowed borrowed(command);
  return driver_->finish([&](bson_t* reply, bson_error_t* error) {
    return mongoc_client_read_command_with_opts(driver_->client, database.c_str(), borrowed.get(), nullptr,
                                                &driver_->readOptions, reply, error);
  });
}

Outcome<doc::Document> Connection::write(const std::string& database, doc::DocumentView command) {
  const Borrowed borrowed(command);
  return driver_->finish([&](bson_t* reply, bson_error_t* error) {
    return mongoc_client_write_command_with_opts(driver_->client, database.c_str(), borrowed.get(),
                                                 &driver_->writeOptions, reply, error);
  });
}

Outcome<> Connection::begin() {
  if (driver_->session == nullptr) {
    if (auto started = driver_->startSession(); !started) return started;
    if (auto noted = started_ ? started_(*this, driver_->sessionId()) : Outcome<>(); !noted) {
      driver_->endSession();
      return noted;
    }
  }
  bson_error_t error{};
  if (mongoc_client_session_start_transaction(driver_->session, driver_->transaction, &error)) return {};
  return std::unexpected(errorOf(error, nullptr));
}

Outcome<doc::Document> Connection::inTransaction(const std::string& database, doc::DocumentView command) {
  const Borrowed borrowed(command);
  return driver_->finish([&](bson_t* reply, bson_error_t* error) {
    return mongoc_client_command_with_opts(driver_->client, database.c_str(), borrowed.get(), nullptr,
                                           &driver_->sessionOptions, reply, error);
  });
}

Outcome<> Connection::commit(Deadline deadline) {
  while (true) {
    Reply reply;
    bson_error_t error{};
    if (mongoc_client_session_commit_transaction(driver_->session, reply.out(), &error)) return {};
    CommandError failed = errorOf(error, reply.raw());
    if (!failed.unknownCommit || std::chrono::steady_clock::now() >= deadline)
      return std::unexpected(std::move(failed));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Connection::abort() {
  bson_error_t error{};
  if (driver_->session == nullptr || !mongoc_client_session_in_transaction(driver_->session)) return;
  // The server ends what this does not reach.
  (void)mongoc_client_session_abort_transaction(driver_->session, &error);
}

int Connection::detach() {
  // Not by a command: its session would be ended with one more command, in the destructor.
  bson_error_t error{};
  const Server primary(mongoc_client_select_server(driver_->client, true, nullptr, &error));
  if (!primary) return -1;
  const uint32_t id = mongoc_server_description_id(primary.get());
  if (!Server(mongoc_client_get_handshake_description(driver_->client, id, nullptr, &error))) return -1;
  const auto found = driver_->guard.opened.find(mongoc_server_description_host(primary.get())->host_and_port);
  if (found == driver_->guard.opened.end()) return -1;
  driver_->detached = found->second.stream;
  return found->second.socket;
}

bool Connection::send(std::string_view message) {
  // The driver does not change what it sends.
  void* bytes = const_cast<char*>(message.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return mongoc_stream_write(driver_->detached, bytes, message.size(), 0) == static_cast<ssize_t>(message.size());
}

Connection::Received Connection::receive(std::string& received, size_t size) {
  const size_t before = received.size();
  ssize_t read = 0;
  received.resize_and_overwrite(before + size, [&](char* bytes, size_t /*size*/) {
    read = mongoc_stream_read(driver_->detached, bytes + before, size, 0, 0);
    return before + static_cast<size_t>(std::max<ssize_t>(read, 0));
  });
  if (read > 0) return Received::some;
  return mongoc_stream_should_retry(driver_->detached) ? Received::nothing : Received::ended;
}

Batch batchOf(doc::DocumentView reply) {
  Batch batch;
  const auto cursor = reply.find("cursor");
  if (!cursor || !cursor->isContainer()) return batch;
  const doc::DocumentView view = cursor->asDocument();
  batch.cursor = doc::integerOr(view, "id");
  for (const std::string_view key : {"firstBatch", "nextBatch"}) {
    const auto documents = view.find(key);
    if (!documents || !documents->isContainer()) continue;
    for (const doc::Element& each : documents->asDocument()) batch.documents.push_back(each.value.asDocument());
  }
  return batch;
}

Outcome<> eachDocument(const std::function<Outcome<doc::Document>(doc::DocumentView command)>& run,
                       std::string_view collection, doc::DocumentView command,
                       const std::function<bool(doc::DocumentView)>& visit) {
  constexpr int32_t kNextBatch = 1000;
  auto reply = run(command);
  while (true) {
    if (!reply) return std::unexpected(std::move(reply).error());
    const Batch batch = batchOf(*reply);
    const bool more = std::ranges::all_of(batch.documents, visit);
    if (batch.cursor == 0) return {};
    doc::BsonWriter next;
    if (more) {
      next.appendInt64("getMore", batch.cursor);
      next.appendString("collection", collection);
      next.appendInt32("batchSize", kNextBatch);
      reply = run(next.finish());
      continue;
    }
    next.appendString("killCursors", collection);
    next.beginArray("cursors");
    next.appendInt64("0", batch.cursor);
    next.end();
    // The server drops a cursor that this does not reach.
    (void)run(next.finish());
    return {};
  }
}

}  // namespace mb::store::mongo
