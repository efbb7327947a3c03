#include "redis/reply.h"

#include <gtest/gtest.h>

namespace mb::redis {
namespace {

std::string toText(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::nil:
      return "nil";
    case Reply::Kind::integer:
      return std::to_string(reply.integer);
    case Reply::Kind::text:
      return "'" + reply.text + "'";
    case Reply::Kind::error:
      return "!" + reply.text;
    case Reply::Kind::array:
      break;
  }
  std::string items;
  for (const Reply& item : reply.items) items += (items.empty() ? "" : " ") + toText(item);
  return "[" + items + "]";
}

// Every reply in `bytes`, fed `step` at a time; "broken" at the end if a read failed.
std::string read(std::string_view bytes, size_t step) {
  ReplyReader reader;
  std::string all;
  while (!bytes.empty()) {
    reader.feed(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    while (true) {
      auto reply = reader.next();
      if (!reply) return all + "broken";
      if (!*reply) break;
      all += toText(**reply) + ";";
    }
  }
  return all;
}

TEST(ReplyReader, ReadsRepliesHoweverTheyCome) {
  const std::string bytes =
      "+PONG\r\n:42\r\n$5\r\nhe\r\nl\r\n$-1\r\n-ERR "
      "no\r\n*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n*2\r\n:-"
      "1\r\n*-1\r\n*0\r\n$0\r\n\r\n";
  for (const size_t step : {1u, 2u, 7u, 1000u}) {
    EXPECT_EQ(read(bytes, step), "'PONG';42;'he\r\nl';nil;!ERR no;['message' 'c' [-1 nil]];[];'';") << step;
  }
}

TEST(ReplyReader, RefusesWhatIsNoReply) {
  const std::string deep = [] {
    std::string all;
    for (int i = 0; i < 12; ++i) all += "*1\r\n";
    return all + ":1\r\n";
  }();
  for (const std::string& bytes :
       {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string("\0\0\0\0\r\n", 6), std::string(":12x\r\n"),
        std::string(":99999999999999999999\r\n"), std::string("$-7\r\n"), std::string("*100000\r\n"),
        std::string("*4294967297\r\n"), std::string("*-2\r\n"), std::string("*2\r\n:1\r\n!\r\n"), deep,
        "$2000000\r\n" + std::string(kMaxReplyBytes + 10, 'x')}) {
    for (const size_t step : {1000u, 1u}) {
      EXPECT_EQ(read(bytes, step), "broken") << bytes.substr(0, 30);
      if (bytes.size() > 1000) break;
    }
  }
}

TEST(ReplyReader, ManyRepliesInARowAreNotOneLargeOne) {
  ReplyReader reader;
  const std::string one = "$1000\r\n" + std::string(1000, 'x') + "\r\n";
  for (int i = 0; i < 3000; ++i) {
    reader.feed(one);
    const auto reply = reader.next();
    ASSERT_TRUE(reply && *reply) << i;
  }
}

TEST(Encode, WritesACommand) {
  const std::vector<std::string> command = {"SET", "k\r\n", ""};
  EXPECT_EQ(encode(command), "*3\r\n$3\r\nSET\r\n$3\r\nk\r\n\r\n$0\r\n\r\n");
}

}  // namespace
}  // namespace mb::redis
