#include "sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#include "wire.h"

namespace mb::worker {

namespace {

// User ids above those of accounts. Each worker has one of its own, so that it cannot access another's process.
constexpr uid_t kFirstOwnUser = 0x60000000;
constexpr uid_t kNobody = 65534;

constexpr rlim_t kAddressSpace = 512u << 20;
constexpr rlim_t kAddressSpaceJit = 768u << 20;  // the engine reserves 128 MiB for machine code, and more

bool enterNamespaces(bool root, std::string& words) {
  const int plain = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  if (unshare(root ? plain : plain | CLONE_NEWUSER) == 0) {
    words += " namespaces";
    return true;
  }
  return false;
}

// A folder of the kernel that contains only the positions of the process's own descriptors.
void changeRoot(std::string& words) {
  if (chroot("/proc/self/fdinfo") == 0 && chdir("/") == 0) words += " chroot";
}

bool becomeUser(uid_t user) {
  return setgroups(0, nullptr) == 0 && setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
}

// If the machine is out of memory, the kernel kills a worker before its server.
void preferForOomKill() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
  close(file);
}

void dropCapabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct none[2]{};
  syscall(SYS_capset, &header, none);
}

void limit(decltype(RLIMIT_AS) what, rlim_t value) {
  const rlimit both{.rlim_cur = value, .rlim_max = value};
  if (setrlimit(what, &both) != 0) endProcess(kEndedUnconfined, "a resource limit cannot be set");
}

void setLimits(bool jit) {
  limit(RLIMIT_AS, jit ? kAddressSpaceJit : kAddressSpace);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 4);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
}

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_KILL_PROCESS)) { check(context_ != nullptr); }
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  void allow(std::initializer_list<int> calls) {
    for (const int call : calls) check(seccomp_rule_add(context_, SCMP_ACT_ALLOW, call, 0) == 0);
  }
  void refuse(std::initializer_list<int> calls) {
    for (const int call : calls) check(seccomp_rule_add(context_, SCMP_ACT_ERRNO(EACCES), call, 0) == 0);
  }
  void allowIf(int call, std::initializer_list<scmp_arg_cmp> conditions) {
    check(seccomp_rule_add_array(context_, SCMP_ACT_ALLOW, call, static_cast<unsigned>(conditions.size()),
                                 conditions.begin()) == 0);
  }
  void load() {
    // System calls of other ABIs (32 bits, x32) end the process, not only one of its threads.
    check(seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0);
    check(seccomp_attr_set(context_, SCMP_FLTATR_CTL_TSYNC, 1) == 0);
    check(seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0);
    check(seccomp_load(context_) == 0);
  }

 private:
  static void check(bool done) {
    if (!done) endProcess(kEndedUnconfined, "the kernel takes no filter of system calls");
  }
  scmp_filter_ctx context_;
};

scmp_arg_cmp argument(unsigned index, scmp_datum_t equals) {
  return {index, SCMP_CMP_EQ, equals, 0};
}
scmp_arg_cmp argument(unsigned index, scmp_datum_t mask, scmp_datum_t equals) {
  return {index, SCMP_CMP_MASKED_EQ, mask, equals};
}

void allowMemory(Filter& filter, bool jit) {
  const scmp_datum_t forbidden = jit ? 0 : PROT_EXEC;
  // Only anonymous mappings: no file may be mapped.
  filter.allowIf(SCMP_SYS(mmap), {argument(2, forbidden, 0), argument(3, MAP_ANONYMOUS, MAP_ANONYMOUS)});
  filter.allowIf(SCMP_SYS(mprotect), {argument(2, forbidden, 0)});
  filter.allow({SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk)});
}

void allowSocket(Filter& filter, int socket) {
  const auto descriptor = static_cast<scmp_datum_t>(socket);
  // Without addresses, and without the control messages that could carry descriptors.
  filter.allowIf(SCMP_SYS(recvfrom), {argument(0, descriptor), argument(4, 0)});
  filter.allowIf(SCMP_SYS(sendto), {argument(0, descriptor), argument(4, 0)});
  filter.allow({SCMP_SYS(ppoll)});
  filter.allowIf(SCMP_SYS(write), {argument(0, STDOUT_FILENO)});
  filter.allowIf(SCMP_SYS(write), {argument(0, STDERR_FILENO)});
}

}  // namespace

std::string leaveHost() {
  std::string words;
  preferForOomKill();
  const bool root = geteuid() == 0;
  const bool apart = enterNamespaces(root, words);
  if (root || apart) changeRoot(words);
  if (root && (becomeUser(kFirstOwnUser + static_cast<uid_t>(getpid())) || becomeUser(kNobody))) words += " user";
  dropCapabilities();
  // Both are undone by a change of user, so they come after it.
  prctl(PR_SET_DUMPABLE, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0) words += " dies-with-server";
  return words;
}

std::string lockDown(int socket, bool jit) {
  setLimits(jit);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) endProcess(kEndedUnconfined, "no-new-privs cannot be set");
  Filter filter;
  allowMemory(filter, jit);
  allowSocket(filter, socket);
  filter.allow({SCMP_SYS(futex), SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(exit),
                SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(getpid),
                SCMP_SYS(gettid), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(getrandom), SCMP_SYS(sched_yield),
                SCMP_SYS(restart_syscall)});
  // Calls that libraries attempt, and that may fail.
  filter.refuse({SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(newfstatat), SCMP_SYS(fstat), SCMP_SYS(ioctl),
                 SCMP_SYS(prctl), SCMP_SYS(uname), SCMP_SYS(readlink), SCMP_SYS(getcwd)});
  filter.load();
  return std::string("seccomp no-new-privs limits") + (jit ? "" : " jitless");
}

}  // namespace mb::worker
