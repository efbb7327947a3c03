// The change stream of an owner's database, over a connection of its own.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "store/own/database.h"
#include "store/own/stream_event.h"

namespace mb::store::own {

struct StreamBatch {
  std::vector<StreamEvent> events;
  std::string token;  // the document by which a stream continues after them
  uint64_t asOf = 0;  // the server's time when it gave them (operationTime), as StreamEvent::at; 0 if it is not given
};

inline constexpr int kStreamEvents = 500;            // of one batch
inline constexpr size_t kMaxToken = 16 << 10;        // bytes
inline constexpr size_t kMaxStreamBytes = 16 << 20;  // of a batch; MongoDB's own bound

// Whether what follows a token cannot be had: the past does not reach back, or the database is another one.
bool isPastLost(const mongo::CommandError& error);

// One thread at a time; blocks.
class ChangeStream {
 public:
  explicit ChangeStream(std::shared_ptr<Database> database) : database_(std::move(database)) {}
  ChangeStream(const ChangeStream&) = delete;
  ChangeStream& operator=(const ChangeStream&) = delete;

  // The events after `token`, of all collections. Waits `wait` for the first, unless the stream is opened: by the first
  // call, after a failure, and where `token` is not that of the last batch. Without a token: no events, and the token
  // after which those from now on come.
  mongo::Outcome<StreamBatch> next(const std::string& token, std::chrono::milliseconds wait);

 private:
  mongo::Outcome<doc::Document> open(const std::string& token);
  mongo::Outcome<StreamBatch> read(const std::string& token, std::chrono::milliseconds wait);

  const std::shared_ptr<Database> database_;
  std::unique_ptr<mongo::Connection> connection_;  // null: not open
  int64_t cursor_ = 0;
  std::string last_;  // the token of the last batch
};

}  // namespace mb::store::own
