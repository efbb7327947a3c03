#include "workers/frame_reader.h"

#include <gtest/gtest.h>

#include <cstring>

#include "clone/format.h"

namespace mb::workers {
namespace {

std::string frame(uint8_t kind, std::string_view body) {
  std::string out;
  clone::Writer writer(out);
  writer.u32(static_cast<uint32_t>(body.size() + 1));
  writer.byte(kind);
  return out + std::string(body);
}

// Feeds `bytes`, at most `step` at once; returns the kind and body of each frame.
std::vector<std::string> read(FrameReader& reader, std::string_view bytes, size_t step) {
  std::vector<std::string> all;
  while (!bytes.empty()) {
    const auto space = reader.space();
    const size_t count = std::min({space.size(), bytes.size(), step});
    EXPECT_GT(count, 0u);
    std::memcpy(space.data(), bytes.data(), count);
    reader.filled(count);
    bytes.remove_prefix(count);
    while (const auto next = reader.next()) {
      all.push_back(static_cast<char>(next->kind) + std::string(next->body));
    }
  }
  return all;
}

TEST(FrameReader, SplitsAnyStreamIntoItsFrames) {
  std::string stream;
  std::vector<std::string> expected;
  for (size_t i = 0; i < 300; ++i) {
    const std::string body(i * 37 % 5000, static_cast<char>('a' + i % 26));
    stream += frame(33, body);
    expected.push_back("\x21" + body);
  }
  stream += frame(35, std::string(5 << 20, 'z'));
  expected.push_back("\x23" + std::string(5 << 20, 'z'));
  stream += frame(33, "last");
  expected.push_back("\x21last");
  for (const size_t step : {7u, 4096u, 16384u, 1u << 20}) {
    FrameReader reader;
    EXPECT_EQ(read(reader, stream, step), expected) << step;
    EXPECT_FALSE(reader.refused());
  }
}

TEST(FrameReader, RefusesWithoutWaitingForMore) {
  const auto header = [](uint32_t length, uint8_t kind) {
    std::string out;
    clone::Writer writer(out);
    writer.u32(length);
    writer.byte(kind);
    return out;
  };
  const std::pair<uint32_t, uint8_t> refused[] = {
      {0, 35},        {1, 0},  {1, 3}, {1, 255}, {0xFFFFFFFF, 35}, {(6u << 20) + 18, 35}, {(8u << 10) + 18, 33},
      {1u << 20, 32}, {1, 39}, {5, 31}};
  for (const auto& [length, kind] : refused) {
    FrameReader reader;
    read(reader, header(length, kind), 5);
    EXPECT_TRUE(reader.refused()) << length << " of " << int{kind};
    EXPECT_FALSE(reader.next());
  }
  FrameReader reader;
  read(reader, header(6 << 20, 35), 5);
  EXPECT_FALSE(reader.refused());
}

}  // namespace
}  // namespace mb::workers
