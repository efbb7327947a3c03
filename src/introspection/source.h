// An owner's database, as introspection reads and writes it: commands with a deadline, and replies that are checked
// before they are read, since any program may be behind the address. Blocks, as its connection does.
#pragma once

#include <functional>
#include <string>

#include "store/mongo/connection.h"

namespace mb::introspection {

template <class T = void>
using Outcome = store::mongo::Outcome<T>;

class Source {
 public:
  // The connection outlives it.
  Source(store::mongo::Connection& connection, std::string database, store::Deadline deadline)
      : connection_(connection), database_(std::move(database)), deadline_(deadline) {}

  // Fails where the reply is malformed, as commands do.
  Outcome<doc::Document> read(doc::DocumentView command);
  // Durable on a majority once it returns.
  Outcome<doc::Document> write(doc::DocumentView command);
  // Calls `visit` with each document of a find or aggregate command until it returns false.
  Outcome<> each(std::string_view collection, doc::DocumentView command,
                 const std::function<bool(doc::DocumentView)>& visit);

  // Appends the limit of a command: `most`, or what is left until the deadline.
  void appendTimeLimit(doc::BsonWriter& out, std::chrono::milliseconds most) const;
  // Whether less than `reserve` is left.
  bool isLate(std::chrono::milliseconds reserve = {}) const {
    return std::chrono::steady_clock::now() + reserve >= deadline_;
  }

 private:
  store::mongo::Connection& connection_;
  const std::string database_;
  const store::Deadline deadline_;
};

}  // namespace mb::introspection
