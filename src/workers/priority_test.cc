#include "workers/priority.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mb::workers {
namespace {

pid_t idleChild() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (;;) ::pause();
  }
  return pid;
}

int ended(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

TEST(Priority, TheNormalPriorityIsRestored) {
  const pid_t pid = idleChild();
  const Lowering found = tryLowering(pid);
  EXPECT_EQ(::sched_getscheduler(pid), found == Lowering::oneWay ? SCHED_IDLE : SCHED_OTHER);
  ::kill(pid, SIGKILL);
  ended(pid);
}

TEST(Priority, WithoutTheRightThePriorityStaysLow) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give its rights up";
  const pid_t pid = ::fork();
  if (pid == 0) {
    constexpr uid_t kNobody = 65534;
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_NICE, &none) != 0 || ::setuid(kNobody) != 0) ::_exit(99);
    const pid_t own = idleChild();
    const Lowering found = tryLowering(own);
    ::kill(own, SIGKILL);
    ::_exit(static_cast<int>(found));
  }
  const int status = ended(pid);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Lowering::oneWay));
}

TEST(Priority, AnEndedProcessCannotBeLowered) {
  const pid_t pid = idleChild();
  ::kill(pid, SIGKILL);
  ended(pid);
  EXPECT_EQ(tryLowering(pid), Lowering::never);
}

}  // namespace
}  // namespace mb::workers
