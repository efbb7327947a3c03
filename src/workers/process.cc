#include "workers/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mb::workers {

namespace {

constexpr int kSocket = 3;
// Descriptors for the process are moved above the numbers that they get in the process.
constexpr int kAbove = 16;
constexpr size_t kMaxErrors = 4096;

std::unexpected<Error> cannot(std::string_view what, int code) {
  return fail(ErrorCode::unavailable, fmt::format("{}: {}", what, std::strerror(code)));
}

Result<Descriptor> moved(int descriptor) {
  const Descriptor old(descriptor);
  const int higher = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kAbove);
  if (higher < 0) return cannot("a descriptor", errno);
  return Descriptor(higher);
}

struct Actions {
  Actions() { ::posix_spawn_file_actions_init(&value); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&value); }
  Actions(const Actions&) = delete;
  posix_spawn_file_actions_t value;
};

struct Attributes {
  Attributes() { ::posix_spawnattr_init(&value); }
  ~Attributes() { ::posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  posix_spawnattr_t value;
};

void describe(Actions& actions, int socket, int errors) {
  ::posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions.value, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions.value, errors, STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions.value, socket, kSocket);
  ::posix_spawn_file_actions_addclosefrom_np(&actions.value, kSocket + 1);
  ::posix_spawn_file_actions_addchdir_np(&actions.value, "/");
}

// A process group of its own: a terminal's Ctrl-C signals only the server, which then ends its workers itself.
void describe(Attributes& attributes) {
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes.value, &none);
  ::posix_spawnattr_setsigdefault(&attributes.value, &all);
  ::posix_spawnattr_setpgroup(&attributes.value, 0);
  ::posix_spawnattr_setflags(&attributes.value, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

}  // namespace

Result<Process> startProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  int sockets[2], pipe[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return cannot("a socket", errno);
  Process process;
  process.socket = Descriptor(sockets[0]);
  TRY(const Descriptor theirSocket, moved(sockets[1]));
  if (::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) != 0) return cannot("a pipe", errno);
  process.errors = Descriptor(pipe[0]);
  TRY(const Descriptor theirErrors, moved(pipe[1]));
  ::fcntl(process.socket.get(), F_SETFL, O_NONBLOCK);

  Actions actions;
  describe(actions, theirSocket.get(), theirErrors.get());
  Attributes attributes;
  describe(attributes);
  std::string path = std::filesystem::absolute(program).string();
  std::string search = "PATH=/usr/bin:/bin";
  char* const environment[] = {search.data(), nullptr};
  std::vector<std::string> words = arguments;
  std::vector<char*> argv = {path.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int failed =
      ::posix_spawn(&process.pid, path.c_str(), &actions.value, &attributes.value, argv.data(), environment);
  if (failed != 0) return cannot(path, failed);
  return process;
}

std::string readErrors(int descriptor) {
  std::string all;
  std::array<char, kMaxErrors> part;
  // Bounded, in case the process writes as fast as this reads.
  for (int i = 0; i < 64; ++i) {
    const ssize_t got = ::read(descriptor, part.data(), part.size());
    if (got <= 0) break;
    all.append(part.data(), static_cast<size_t>(got));
    if (all.size() > kMaxErrors) all.erase(0, all.size() - kMaxErrors);
  }
  return all;
}

}  // namespace mb::workers
