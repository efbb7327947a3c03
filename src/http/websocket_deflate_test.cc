#include "http/websocket_deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace mb::http {
namespace {

using namespace std::string_literals;

constexpr size_t kLimit = 64 << 10;

std::string words(size_t size) {
  std::string text;
  for (unsigned n = 1; text.size() < size; n = n * 1664525 + 1013904223)
    text += "word " + std::to_string(n >> 20) + ", ";
  text.resize(size);
  return text;
}

// Raw deflate of `text`, ended by `flush`, as another peer may do it.
std::string deflated(std::string_view text, int flush, int level = 6, int window = -15) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() * 2 + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, flush);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string withoutTail(std::string bytes) {
  EXPECT_TRUE(bytes.ends_with("\0\0\xFF\xFF"s));
  return bytes.substr(0, bytes.size() - 4);
}

void expectInflates(std::string_view payload, std::string_view text) {
  std::string out;
  EXPECT_EQ(inflateMessage(payload, kLimit, out), Inflated::done);
  EXPECT_EQ(out, text);
}

TEST(WebSocketDeflate, MakesWhatItReads) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{2000}, size_t{16 << 10}, size_t{40'000}, kLimit}) {
    const std::string text = words(size);
    const auto payload = deflateMessage(text);
    ASSERT_TRUE(payload);
    EXPECT_FALSE(payload->empty());
    if (size > 1000) EXPECT_LT(payload->size(), size);
    expectInflates(*payload, text);
  }
}

TEST(WebSocketDeflate, ReadsWhatOthersMake) {
  const std::string text = words(20'000);
  for (const int level : {0, 1, 9}) expectInflates(withoutTail(deflated(text, Z_SYNC_FLUSH, level)), text);
  expectInflates(withoutTail(deflated(text, Z_SYNC_FLUSH, 6, -9)), text);
  expectInflates(withoutTail(deflated(text, Z_FULL_FLUSH)), text);
  // A last block, and an empty one that is not the last (RFC 7692, 7.2.3.4).
  expectInflates(deflated(text, Z_FINISH) + "\0"s, text);
}

TEST(WebSocketDeflate, LooksBackBehindABlockThatCallsItselfTheLast) {
  const std::string first = "the beginning, the middle";
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  ASSERT_EQ(
      deflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(first.data()), static_cast<uInt>(first.size())),
      Z_OK);
  const std::string second = "the middle, the beginning";
  std::string out(200, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(second.data()));
  stream.avail_in = static_cast<uInt>(second.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ASSERT_EQ(deflate(&stream, Z_SYNC_FLUSH), Z_OK);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  expectInflates(deflated(first, Z_FINISH) + withoutTail(out), first + second);
}

TEST(WebSocketDeflate, StopsAtTheLimit) {
  const std::string bomb = withoutTail(deflated(std::string(10 << 20, 'a'), Z_SYNC_FLUSH));
  ASSERT_LT(bomb.size(), 16U << 10);
  std::string out;
  EXPECT_EQ(inflateMessage(bomb, kLimit, out), Inflated::tooLarge);
  EXPECT_LE(out.size(), kLimit + (16U << 10)) << "at most one piece above the limit";
  out.clear();
  const std::string exact = withoutTail(deflated(std::string(kLimit, 'a'), Z_SYNC_FLUSH));
  EXPECT_EQ(inflateMessage(exact, kLimit, out), Inflated::done);
  out.clear();
  EXPECT_EQ(inflateMessage(exact, kLimit - 1, out), Inflated::tooLarge);
}

TEST(WebSocketDeflate, RefusesWhatIsBrokenOrCutOff) {
  const std::string good = withoutTail(deflated(words(3000), Z_SYNC_FLUSH));
  std::string out;
  for (size_t size = 0; size < good.size(); ++size) {
    out.clear();
    ASSERT_EQ(inflateMessage(std::string_view(good).substr(0, size), kLimit, out), Inflated::broken) << size;
  }
  for (const std::string& bytes : {"\xFF\xFF\xFF\xFF"s, "\x07"s, good + good.substr(1), deflated("ab", Z_FINISH)}) {
    out.clear();
    EXPECT_EQ(inflateMessage(bytes, kLimit, out), Inflated::broken);
  }
  expectInflates(good, words(3000));
}

}  // namespace
}  // namespace mb::http
