#include "base/sha256.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

TEST(Sha256, PiecesGiveWhatTheWholeGives) {
  const std::string text(100'000, 'p');
  for (const size_t piece : {size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{99'999}, size_t{200'000}}) {
    Sha256 sum;
    for (size_t at = 0; at < text.size(); at += piece) sum.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(sum.finish(), toHex(sha256(text))) << piece;
  }
}

TEST(Sha256, NothingHasItsSumToo) {
  EXPECT_EQ(Sha256().finish(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace mb
