#include "store/own/cover.h"

#include <gtest/gtest.h>

#include <set>

#include "base/crypto.h"

namespace mb::store::own {
namespace {

const std::string kKey(Cover::kKeyBytes, 'k');

std::string objectId(uint32_t number) {
  std::string bytes("\x65\x01\x02\x03\x04\x05\x06\x07", 8);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

TEST(CoverTest, ACoverLeadsBackToItsObjectId) {
  Cover cover(kKey);
  std::set<std::string> texts;
  for (uint32_t i = 0; i < 1000; ++i) {
    const std::string text = cover.of(objectId(i));
    EXPECT_EQ(text.size(), Cover::kTextSize);
    EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
              std::string::npos);
    EXPECT_EQ(cover.objectIdOf(text), objectId(i));
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), 1000U);
}

// Covers are stored as ids in databases of owners, so their form never changes.
TEST(CoverTest, TheFormIsFixed) {
  std::string key;
  for (int i = 0; i < 32; ++i) key += static_cast<char>(i);
  EXPECT_EQ(Cover(key).of(std::string("\0\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb", 12)), "nrMlu5yHue1dGV4R9c7uLA");
}

TEST(CoverTest, AnotherKeyGivesAnotherCover) {
  Cover one(kKey);
  Cover other(std::string(Cover::kKeyBytes, 'o'));
  EXPECT_NE(one.of(objectId(7)), other.of(objectId(7)));
  EXPECT_EQ(other.objectIdOf(one.of(objectId(7))), std::nullopt);
}

TEST(CoverTest, OtherTextsAreNoCovers) {
  Cover cover(kKey);
  const std::string good = cover.of(objectId(7));
  EXPECT_EQ(cover.objectIdOf(""), std::nullopt);
  EXPECT_EQ(cover.objectIdOf("customer-1"), std::nullopt);
  EXPECT_EQ(cover.objectIdOf(std::string(Cover::kTextSize, 'A')), std::nullopt);
  EXPECT_EQ(cover.objectIdOf(good + "A"), std::nullopt);
  EXPECT_EQ(cover.objectIdOf("*" + good.substr(1)), std::nullopt);
}

// The last character holds two bits: a text that differs only in its unused four would be a second name.
TEST(CoverTest, ADocumentHasOneCover) {
  Cover cover(kKey);
  const std::string good = cover.of(objectId(7));
  int covers = 0;
  for (const char last : std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")) {
    if (cover.objectIdOf(good.substr(0, Cover::kTextSize - 1) + last)) ++covers;
  }
  EXPECT_EQ(covers, 1);
}

}  // namespace
}  // namespace mb::store::own
