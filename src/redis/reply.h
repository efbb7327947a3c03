// A Reply of Redis and its parser. Private to redis/, but for Reply.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

struct redisReader;

namespace mb::redis {

struct Reply {
  enum class Kind { nil, integer, text, error, array } kind = Kind::nil;
  int64_t integer = 0;
  std::string text;  // of kinds text and error
  std::vector<Reply> items;
};

// Bounds of one reply; a larger one breaks the connection.
inline constexpr size_t kMaxReplyBytes = 1 << 20;
inline constexpr size_t kMaxItems = 1024;

// Parses replies from bytes as they arrive.
class ReplyReader {
 public:
  ReplyReader();
  void feed(std::string_view bytes);
  // The next complete reply; nullopt until more is fed. Fails with upstreamFailed for malformed or too large replies;
  // the connection must then be dropped.
  Result<std::optional<Reply>> next();

 private:
  struct Closer {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Closer> reader_;
  size_t unread_ = 0;  // bytes fed since the last complete reply
};

// A command in the form that is sent.
std::string encode(std::span<const std::string> command);

}  // namespace mb::redis
