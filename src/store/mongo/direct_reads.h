// Commands that read, sent and received on the core of their request: no thread waits for them, and the driver, which
// makes the connections and logs them in, does no work for each. What goes wrong is left to the pool, since the driver
// finds another primary and repeats reads.
#pragma once

#include "store/mongo/connection_pool.h"

namespace mb::store::mongo {

inline constexpr int kDirectConnections = 16;       // of a core; further reads go through the pool
inline constexpr size_t kDirectCommand = 16 << 10;  // bytes

// Thread-safe.
class DirectReads {
 public:
  // The document that the server returned, which the message holds.
  class Reply {
   public:
    Reply(std::string message, size_t from) : message_(std::move(message)), from_(from) {}
    doc::DocumentView view() const { return doc::DocumentView(std::string_view(message_).substr(from_)); }

   private:
    std::string message_;
    size_t from_;
  };

  // `pool`, whose threads connect, outlives it. `uri` is one that parseUri() returned. A connection that was idle for
  // longer than `untested` is tested before its next use.
  DirectReads(ConnectionPool& pool, std::string uri, std::chrono::milliseconds untested = std::chrono::seconds(5));
  ~DirectReads();

  // The reply to a command, with read concern majority. nullopt where the caller is to send it through the pool: it is
  // too large, no connection is free, or it was lost. Fails as queryError() says, with unavailable past the deadline,
  // and after stop().
  Task<std::optional<Reply>> read(std::string database, doc::Document command, Deadline deadline);
  // Ends what is under way. Any thread.
  void stop();

 private:
  struct Core;
  class Channel;
  class Channels;
  class Lease;

  const std::chrono::milliseconds untested_;
  const std::shared_ptr<Channels> channels_;
};

}  // namespace mb::store::mongo
