// What Redis answers, and how it is read from the wire. Private to redis/, but for Reply.
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
  std::string text;  // of text and error
  std::vector<Reply> items;
};

// Of one reply; past either the other side is none that this is for.
inline constexpr size_t kMaxReplyBytes = 1 << 20;
inline constexpr size_t kMaxItems = 1024;

// Replies out of bytes as they come.
class ReplyReader {
 public:
  ReplyReader();
  void feed(std::string_view bytes);
  // The next whole reply; nullopt until more was fed. Fails with upstreamFailed for bytes that are no reply, or too
  // large; the connection is of no more use then.
  Result<std::optional<Reply>> next();

 private:
  struct Closer {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Closer> reader_;
  size_t unread_ = 0;  // bytes fed since the last whole reply
};

// A command as it is sent.
std::string encode(std::span<const std::string> command);

}  // namespace mb::redis
