#include "http/socket_memory.h"

#include <gtest/gtest.h>

namespace mb::http {
namespace {

TEST(SocketMemory, AdmitsEveryoneWithinTheBudget) {
  SocketMemory memory(1000);
  EXPECT_TRUE(memory.admits(1000, 1000));
  memory.add(600);
  memory.note(600);
  EXPECT_TRUE(memory.admits(400, 1000));
  EXPECT_FALSE(memory.exceeded());
}

TEST(SocketMemory, RefusesTheLargeBeforeTheSmall) {
  SocketMemory memory(1000);
  memory.add(1000);
  memory.note(800);
  EXPECT_FALSE(memory.admits(100, 900)) << "the largest";
  EXPECT_FALSE(memory.admits(100, 400)) << "half as large";
  EXPECT_TRUE(memory.admits(100, 399));
  EXPECT_TRUE(memory.admits(0, 399)) << "bytes that other sockets hold already";
}

TEST(SocketMemory, RefusesEveryonePastAQuarterMore) {
  SocketMemory memory(1000);
  memory.note(800);
  memory.add(1200);
  EXPECT_TRUE(memory.exceeded());
  EXPECT_FALSE(memory.exhausted());
  EXPECT_TRUE(memory.admits(50, 50));
  EXPECT_FALSE(memory.admits(51, 51));
  memory.add(51);
  EXPECT_TRUE(memory.exhausted());
  EXPECT_FALSE(memory.admits(0, 1));
  EXPECT_TRUE(memory.isSmall(399)) << "so the largest is evicted for it";
  EXPECT_FALSE(memory.isSmall(400));
  memory.remove(300);
  EXPECT_FALSE(memory.exceeded());
}

TEST(SocketMemory, ForgetsTheLargestOnceItIsGone) {
  SocketMemory memory(1000);
  memory.add(1100);
  memory.note(800);
  memory.tick();
  EXPECT_TRUE(memory.admits(0, 300)) << "seen since the last tick";
  memory.note(200);
  memory.tick();
  EXPECT_FALSE(memory.admits(0, 300)) << "more than half of 200";
  EXPECT_TRUE(memory.admits(0, 99));
}

TEST(SocketMemory, HasADefault) {
  EXPECT_GE(defaultSocketMemory(), 32U << 20);
}

}  // namespace
}  // namespace mb::http
