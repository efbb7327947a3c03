// The confinement of code that has escaped from the engine: system calls from native code, in a worker that only
// differs by a function for them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "worker_fixture.h"

namespace mb::worker {

namespace {

struct Probe {
  const char* name;
  std::string call;      // the arguments of probe()
  const char* expected;  // "ended" where the kernel is to end the process
};

std::string number(long value) {
  return std::to_string(value);
}

// Starts a new worker after each probe that ends one.
void expectEach(const std::vector<Probe>& probes, std::vector<std::string> words = {}) {
  std::optional<TestWorker> worker;
  for (const Probe& probe : probes) {
    if (!worker) worker.emplace("manybase-worker-probe", words);
    EXPECT_EQ(worker->run("export default () => probe(" + probe.call + ")").summary(), probe.expected) << probe.name;
    if (std::string_view(probe.expected) == "ended") {
      EXPECT_EQ(worker->wait(), -SIGSYS) << probe.name;
      worker.reset();
    }
  }
}

constexpr const char* kRefused = "done -13";  // EACCES

TEST(ConfinementTest, FilesAreNotReached) {
  expectEach({
      {"open", number(SYS_open) + ", '/etc/passwd', 0", kRefused},
      {"openat", number(SYS_openat) + ", -100, '/etc/passwd', 0", kRefused},
      {"openat2", number(SYS_openat2) + ", -100, '/etc/passwd', 0, 0", "ended"},
      {"creat", number(SYS_creat) + ", '/nonexistent/x', 511", "ended"},
      {"stat", number(SYS_stat) + ", '/etc/passwd', 0", "ended"},
      {"access", number(SYS_access) + ", '/etc/passwd', 0", "ended"},
      {"readlink", number(SYS_readlink) + ", '/proc/self/exe', 0, 0", kRefused},
      {"unlink", number(SYS_unlink) + ", '/nonexistent/x'", "ended"},
      {"mkdir", number(SYS_mkdir) + ", '/nonexistent/x', 511", "ended"},
      {"chdir", number(SYS_chdir) + ", '/'", "ended"},
      {"chroot", number(SYS_chroot) + ", '/'", "ended"},
      {"mount", number(SYS_mount) + ", 0, 0, 0, 0, 0", "ended"},
      {"memfd_create", number(SYS_memfd_create) + ", 'x', 0", "ended"},
      {"read of standard input", number(SYS_read) + ", 0, new Uint8Array(8), 8", "ended"},
      {"read of the socket", number(SYS_read) + ", 3, new Uint8Array(8), 8", "ended"},
      {"write to the socket", number(SYS_write) + ", 3, 'x', 1", "ended"},
      {"pread", number(SYS_pread64) + ", 3, new Uint8Array(8), 8, 0", "ended"},
      {"dup", number(SYS_dup) + ", 3", "ended"},
      {"io_uring", number(SYS_io_uring_setup) + ", 8, 0", "ended"},
      {"getdents", number(SYS_getdents64) + ", 3, new Uint8Array(64), 64", "ended"},
      {"a mapping of a file", number(SYS_mmap) + ", 0, 4096, 1, " + number(MAP_PRIVATE) + ", 3, 0", "ended"},
  });
}

TEST(ConfinementTest, NothingIsSentButOnTheSocket) {
  expectEach({
      {"socket", number(SYS_socket) + ", " + number(AF_INET) + ", " + number(SOCK_STREAM) + ", 0", "ended"},
      {"socketpair", number(SYS_socketpair) + ", 1, 1, 0, new Uint8Array(8)", "ended"},
      {"connect", number(SYS_connect) + ", 3, new Uint8Array(16), 16", "ended"},
      {"bind", number(SYS_bind) + ", 3, new Uint8Array(16), 16", "ended"},
      {"accept", number(SYS_accept) + ", 3, 0, 0", "ended"},
      {"sendmsg, which carries descriptors", number(SYS_sendmsg) + ", 3, new Uint8Array(56), 0", "ended"},
      {"recvmsg, which takes them", number(SYS_recvmsg) + ", 3, new Uint8Array(56), 0", "ended"},
      {"sendto with an address", number(SYS_sendto) + ", 3, 'x', 1, 0, new Uint8Array(16), 16", "ended"},
      {"sendto elsewhere", number(SYS_sendto) + ", 2, 'x', 1, 0, 0, 0", "ended"},
      {"recvfrom elsewhere", number(SYS_recvfrom) + ", 0, new Uint8Array(8), 8, 0, 0, 0", "ended"},
      {"getsockopt", number(SYS_getsockopt) + ", 3, 1, 17, new Uint8Array(16), new Uint8Array(4)", "ended"},
      {"ioctl", number(SYS_ioctl) + ", 3, 21505, 0", kRefused},
      {"fcntl", number(SYS_fcntl) + ", 3, 3", "ended"},
  });
}

TEST(ConfinementTest, NoProcessIsMadeOrTouched) {
  expectEach({
      {"fork", number(SYS_fork), "ended"},
      {"vfork", number(SYS_vfork), "ended"},
      {"clone", number(SYS_clone) + ", " + number(SIGCHLD) + ", 0, 0, 0, 0", "ended"},
      {"clone3", number(SYS_clone3) + ", new Uint8Array(64), 64", "ended"},
      {"execve", number(SYS_execve) + ", '/bin/true', 0, 0", "ended"},
      {"execveat", number(SYS_execveat) + ", -100, '/bin/true', 0, 0, 0", "ended"},
      {"kill", number(SYS_kill) + ", 1, 0", "ended"},
      {"kill of its server", number(SYS_kill) + ", " + number(getpid()) + ", 9", "ended"},
      {"tgkill", number(SYS_tgkill) + ", 1, 1, 9", "ended"},
      {"ptrace", number(SYS_ptrace) + ", 16, " + number(getpid()) + ", 0, 0", "ended"},
      {"process_vm_readv", number(SYS_process_vm_readv) + ", " + number(getpid()) + ", 0, 0, 0, 0, 0", "ended"},
      {"pidfd_open", number(SYS_pidfd_open) + ", 1, 0", "ended"},
      {"pidfd_getfd", number(SYS_pidfd_getfd) + ", 3, 0, 0", "ended"},
      {"setuid", number(SYS_setuid) + ", 0", "ended"},
      {"setns", number(SYS_setns) + ", 3, 0", "ended"},
      {"unshare", number(SYS_unshare) + ", " + number(CLONE_NEWUSER), "ended"},
      {"prctl", number(SYS_prctl) + ", 1, 0", kRefused},
      {"seccomp", number(SYS_seccomp) + ", 0, 0, 0", "ended"},
      {"bpf", number(SYS_bpf) + ", 0, 0, 0", "ended"},
      {"perf_event_open", number(SYS_perf_event_open) + ", 0, 0, 0, 0, 0", "ended"},
      {"userfaultfd", number(SYS_userfaultfd) + ", 0", "ended"},
      {"keyctl", number(SYS_keyctl) + ", 0, 0, 0, 0, 0", "ended"},
      {"shmget", number(SYS_shmget) + ", 1, 4096, 950", "ended"},
      {"setrlimit", number(SYS_prlimit64) + ", 0, 9, 0, 0", "ended"},
      {"sched_setaffinity", number(SYS_sched_setaffinity) + ", 0, 8, new Uint8Array(8)", "ended"},
      {"setpriority", number(SYS_setpriority) + ", 0, 0, 0", "ended"},
      {"reboot", number(SYS_reboot) + ", 0, 0, 0", "ended"},
      {"a call of the 32-bit world", number(0x40000000 | SYS_getpid), "ended"},
      {"a call that does not exist", "9999", "ended"},
  });
}

TEST(ConfinementTest, NoMemoryBecomesCode) {
  const std::string anonymous = number(MAP_PRIVATE | MAP_ANONYMOUS);
  const std::string execute = number(PROT_READ | PROT_EXEC);
  expectEach({
      {"mmap", number(SYS_mmap) + ", 0, 4096, " + execute + ", " + anonymous + ", -1, 0", "ended"},
      {"mprotect", number(SYS_mprotect) + ", new Uint8Array(8192), 4096, " + execute, "ended"},
      {"pkey_mprotect", number(SYS_pkey_mprotect) + ", 0, 4096, " + execute + ", -1", "ended"},
      {"remap_file_pages", number(SYS_remap_file_pages) + ", 0, 4096, 0, 0, 0", "ended"},
      {"more than its address space", number(SYS_mmap) + ", 0, " + number(4L << 30) + ", 3, " + anonymous + ", -1, 0",
       "done -12"},
  });
  // A worker with --jit may create machine code.
  TestWorker jit("manybase-worker-probe", {"--jit"});
  EXPECT_THAT(jit.run("export default () => probe(" + number(SYS_mmap) + ", 0, 4096, " + execute + ", " + anonymous +
                      ", -1, 0) > 0")
                  .summary(),
              "done true");
}

TEST(ConfinementTest, AllowedCallsWork) {
  expectEach({
      {"getpid", "" + number(SYS_getpid) + ") > 0 && (1", "done 1"},
      {"sched_yield", number(SYS_sched_yield), "done 0"},
      {"getrandom", number(SYS_getrandom) + ", new Uint8Array(16), 16, 0", "done 16"},
  });
}

std::string fileOf(pid_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

TEST(ConfinementTest, TheProcessHoldsNothingOfItsServer) {
  const TestWorker worker;
  const std::string status = fileOf(worker.pid(), "status");
  EXPECT_THAT(status, testing::HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(status, testing::HasSubstr("Seccomp:\t2"));
  EXPECT_THAT(status, testing::HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(status, testing::HasSubstr("CapPrm:\t0000000000000000"));
  EXPECT_THAT(status, testing::HasSubstr("Threads:\t2"));
  if (worker.confinement.find("user") != std::string::npos && geteuid() == 0)
    EXPECT_THAT(status, testing::Not(testing::HasSubstr("Uid:\t0\t")));
  EXPECT_THAT(fileOf(worker.pid(), "limits"), testing::ContainsRegex("Max core file size +0 +0"));
  EXPECT_THAT(fileOf(worker.pid(), "limits"), testing::ContainsRegex("Max open files +4 +4"));
}

TEST(ConfinementTest, DiesWithTheThreadThatStartedIt) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t middle = fork();
  if (middle == 0) {
    // A server that is killed while its worker is busy.
    auto* worker = new TestWorker();
    worker->load("m", "export default () => { for (;;); }");
    worker->send(clone::FrameKind::run, [](clone::Writer& out) {
      out.u64(1);
      out.text("m");
      out.u32(60'000);
      out.byte(0);
      out.byte(0);
      out.tag(clone::Tag::null);
      out.tag(clone::Tag::object);
      out.count(0);
    });
    const pid_t pid = worker->pid();
    [[maybe_unused]] const ssize_t written = write(pipes[1], &pid, sizeof pid);
    raise(SIGKILL);
  }
  pid_t pid = 0;
  ASSERT_EQ(read(pipes[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  close(pipes[0]);
  close(pipes[1]);
  int status = 0;
  waitpid(middle, &status, 0);
  // Orphans are reaped by another process, soon.
  bool ended = false;
  for (int i = 0; i < 500 && !ended; ++i) {
    ended = kill(pid, 0) != 0 || fileOf(pid, "stat").find(") Z ") != std::string::npos;
    if (!ended) usleep(10'000);
  }
  EXPECT_TRUE(ended);
}

}  // namespace

}  // namespace mb::worker
