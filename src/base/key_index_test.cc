#include "base/key_index.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace mb {
namespace {

TEST(KeyIndex, FindsWhatWasAdded) {
  std::vector<std::string> keys;
  for (int i = 0; i < 5'000; ++i) keys.push_back(std::string(static_cast<size_t>(i % 40), 'x') + std::to_string(i));
  const auto keyAt = [&](uint32_t position) -> std::string_view { return keys[position]; };
  KeyIndex index(keys.size());
  for (uint32_t i = 0; i < keys.size(); ++i) EXPECT_EQ(index.add(keys[i], i, keyAt), std::nullopt);
  for (uint32_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(index.find(keys[i], keyAt), i);
    EXPECT_EQ(index.add(keys[i], 0, keyAt), i);
  }
  EXPECT_EQ(index.find("", keyAt), std::nullopt);
  EXPECT_EQ(index.find("none", keyAt), std::nullopt);
}

TEST(KeyIndex, AnEmptyOneFindsNothing) {
  const auto keyAt = [](uint32_t) { return std::string_view(); };
  EXPECT_EQ(KeyIndex(0).find("", keyAt), std::nullopt);
}

TEST(KeyIndex, HashesDifferByEachByteAndByLength) {
  std::set<uint64_t> hashes;
  size_t texts = 0;
  for (size_t length = 0; length <= 40; ++length) {
    hashes.insert(seededHash(std::string(length, '\0')));
    ++texts;
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, '\0');
      text[at] = 'a';
      hashes.insert(seededHash(text));
      ++texts;
    }
  }
  EXPECT_EQ(hashes.size(), texts);
}

}  // namespace
}  // namespace mb
