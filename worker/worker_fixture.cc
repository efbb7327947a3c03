#include "worker_fixture.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>

namespace mb::worker {

namespace {

using clone::FailReason;
using clone::FrameKind;
using clone::Reader;
using clone::Tag;
using clone::Writer;

std::string quoted(std::string_view words) {
  std::string out = "\"";
  for (const char c : words) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (c == '\n') {
      out += "\\n";
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0 && std::signbit(value)) return "-0";
  char words[40];
  if (value == std::trunc(value) && std::abs(value) < 1e21) {
    std::snprintf(words, sizeof words, "%.0f", value);
    return words;
  }
  std::snprintf(words, sizeof words, "%.17g", value);
  for (int digits = 1; digits < 17; ++digits) {
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
    if (std::strtod(shorter, nullptr) == value) return shorter;
  }
  return words;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c));
    out += two;
  }
  return out;
}

std::string show(Reader& in);

std::string showEach(Reader& in, uint32_t count) {
  std::string out;
  for (uint32_t i = 0; i < count && !in.failed(); ++i) out += (i > 0 ? ", " : "") + show(in);
  return out;
}

std::string showPairs(Reader& in, bool map) {
  std::string out;
  const uint32_t count = in.count(2);
  for (uint32_t i = 0; i < count && !in.failed(); ++i) {
    const std::string key = map ? show(in) : std::string(in.text());
    out += (i > 0 ? ", " : "") + key + ": " + show(in);
  }
  return out;
}

std::string show(Reader& in) {
  switch (in.tag()) {
    case Tag::undefined:
      return "undefined";
    case Tag::null:
      return "null";
    case Tag::no:
      return "false";
    case Tag::yes:
      return "true";
    case Tag::integer:
      return std::to_string(in.integer());
    case Tag::real:
      return number(in.real());
    case Tag::bigInt:
      return std::string(in.bigInt()) + "n";
    case Tag::string:
      return quoted(in.text());
    case Tag::date:
      return "Date(" + number(in.real()) + ")";
    case Tag::bytes:
      return "Bytes(" + hex(in.raw()) + ")";
    case Tag::array:
      return "[" + showEach(in, in.count()) + "]";
    case Tag::object:
      return "{" + showPairs(in, false) + "}";
    case Tag::map:
      return "Map(" + showPairs(in, true) + ")";
    case Tag::set:
      return "Set(" + showEach(in, in.count()) + ")";
    case Tag::regexp: {
      const std::string source(in.text());
      return "/" + source + "/" + std::string(in.text());
    }
    case Tag::error: {
      const std::string name(in.text());
      return name + "(" + std::string(in.text()) + ")";
    }
  }
  return "";
}

std::filesystem::path folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

}  // namespace

std::string toText(std::string_view value) {
  Reader in(value);
  const std::string words = show(in);
  return in.failed() || !in.atEnd() ? "no value: " + words : words;
}

std::string Outcome::summary() const {
  if (ended) return "ended";
  if (done) return "done " + result;
  switch (reason) {
    case FailReason::threw:
      return "threw " + message;
    case FailReason::timedOut:
      return "timed out";
    case FailReason::outOfMemory:
      return "out of memory";
    case FailReason::neverSettles:
      return "never settles";
    case FailReason::notCloneable:
      return "not cloneable " + message;
    case FailReason::tooLarge:
      return "too large";
    case FailReason::notLoadable:
      return "not loadable " + message;
  }
  return "";
}

TestWorker::TestWorker(const std::string& program, std::vector<std::string> words) {
  int sockets[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
  socket_ = sockets[0];
  const int theirs = fcntl(sockets[1], F_DUPFD_CLOEXEC, 16);
  close(sockets[1]);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (getenv("MB_WORKER_STDERR") == nullptr) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, theirs, 3);
  posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  const std::string path = folder() / program;
  std::vector<char*> arguments{const_cast<char*>(path.c_str())};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char search[] = "PATH=/usr/bin:/bin";
  char* environment[] = {search, nullptr};
  EXPECT_EQ(posix_spawn(&pid_, path.c_str(), &actions, nullptr, arguments.data(), environment), 0) << path;
  posix_spawn_file_actions_destroy(&actions);
  close(theirs);

  if (const std::optional<Received> ready = next()) {
    EXPECT_EQ(ready->kind, FrameKind::ready);
    Reader in(ready->body);
    engine = in.text();
    confinement = in.text();
  }
}

TestWorker::~TestWorker() {
  hangUp();
  if (waited_) return;
  // Some tests are about a process that does not end by itself.
  kill(pid_, SIGKILL);
  wait();
}

void TestWorker::hangUp() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

int TestWorker::wait() {
  if (!waited_) {
    waitpid(pid_, &status_, 0);
    waited_ = true;
  }
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
}

void TestWorker::sendRaw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void TestWorker::send(FrameKind kind, const std::function<void(Writer&)>& fill) {
  std::string frame;
  Writer out(frame);
  out.u32(0);
  out.byte(static_cast<uint8_t>(kind));
  fill(out);
  const auto length = static_cast<uint32_t>(frame.size() - sizeof(uint32_t));
  std::memcpy(frame.data(), &length, sizeof length);
  sendRaw(frame);
}

bool TestWorker::fill(std::chrono::steady_clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
  if (socket_ < 0) return false;
  pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
  if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) <= 0) return false;
  char bytes[65536];
  const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
  if (size <= 0) return false;
  received_.append(bytes, static_cast<size_t>(size));
  return true;
}

std::optional<TestWorker::Received> TestWorker::next(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    uint32_t length = 0;
    if (received_.size() >= sizeof length) std::memcpy(&length, received_.data(), sizeof length);
    if (length > 0 && received_.size() >= sizeof length + length) {
      Received received{.kind = static_cast<FrameKind>(received_[sizeof length]),
                        .body = received_.substr(sizeof length + 1, length - 1)};
      received_.erase(0, sizeof length + length);
      return received;
    }
    if (!fill(until)) return std::nullopt;
  }
}

void TestWorker::load(const std::string& module, const std::string& code, const std::string& map) {
  send(FrameKind::load, [&](Writer& out) {
    out.text(module);
    out.text(code);
    out.text(map);
  });
}

void TestWorker::reply(uint32_t call, const Values& value) {
  send(FrameKind::answer, [&](Writer& out) {
    out.u32(call);
    out.byte(1);
    value(out);
  });
}

void TestWorker::reject(uint32_t call, const std::string& code, const std::string& message) {
  send(FrameKind::answer, [&](Writer& out) {
    out.u32(call);
    out.byte(0);
    out.text(code);
    out.text(message);
  });
}

Outcome TestWorker::run(const Program& program) {
  const std::string module = "fn_" + std::to_string(runs_) + "@1";
  load(module, program.code, program.map);
  Outcome outcome = runModule(module, program);
  send(FrameKind::unload, [&](Writer& out) { out.text(module); });
  return outcome;
}

Outcome TestWorker::runModule(const std::string& module, const Program& program) {
  const uint64_t run = ++runs_;
  send(FrameKind::run, [&](Writer& out) {
    out.u64(run);
    out.text(module);
    out.u32(static_cast<uint32_t>(program.timeout.count()));
    out.byte(static_cast<uint8_t>(program.bridge));
    out.byte(program.rawBody ? 1 : 0);
    if (program.rawBody) out.text(*program.rawBody);
    program.event ? program.event(out) : out.tag(Tag::null);
    out.tag(Tag::object);
    out.count(program.rawBody ? 2 : 1);
    out.text("function");
    out.string("orders");
    if (!program.rawBody) return;
    out.text("request");
    out.tag(Tag::object);
    out.count(0);
  });
  constexpr const char* kLevels[] = {"log", "info", "warn", "error", "debug"};
  Outcome outcome;
  while (const std::optional<Received> received = next()) {
    Reader in(received->body);
    if (received->kind == FrameKind::log) {
      const uint8_t level = in.byte();
      outcome.logs.push_back(std::string(level < 5 ? kLevels[level] : "?") + ": " + std::string(in.text()));
    } else if (received->kind == FrameKind::call) {
      const uint32_t call = in.u32();
      const std::string operation(in.text());
      const std::string arguments = show(in);
      outcome.calls.push_back(operation + " " + arguments);
      program.host ? program.host(*this, call, operation, arguments)
                   : reply(call, [](Writer& out) { out.tag(Tag::null); });
    } else {
      EXPECT_EQ(in.u64(), run);
      outcome.cpu = in.u64();
      outcome.done = received->kind == FrameKind::done;
      if (outcome.done) {
        outcome.result = show(in);
      } else {
        outcome.reason = static_cast<FailReason>(in.byte());
        outcome.message = in.text();
        outcome.stack = in.text();
      }
      EXPECT_TRUE(!in.failed() && in.atEnd());
      return outcome;
    }
  }
  outcome.ended = true;
  return outcome;
}

TestWorker::Checked TestWorker::check(const std::string& source, bool typescript, bool runs) {
  const uint64_t run = ++runs_;
  send(FrameKind::check, [&](Writer& out) {
    out.u64(run);
    out.text(source);
    out.byte(typescript ? 1 : 0);
    out.byte(runs ? 1 : 0);
  });
  Checked checked;
  const std::optional<Received> received = next();
  if (!received) return checked;
  Reader in(received->body);
  EXPECT_EQ(in.u64(), run);
  checked.well = received->kind == FrameKind::checked;
  if (checked.well) {
    checked.code = in.text();
    checked.map = in.text();
  } else {
    checked.reason = static_cast<clone::FailReason>(in.byte());
    const uint32_t line = in.u32();
    const uint32_t column = in.u32();
    checked.problem = std::to_string(line) + ":" + std::to_string(column) + ": " + std::string(in.text());
  }
  EXPECT_TRUE(!in.failed() && in.atEnd());
  return checked;
}

std::string evaluated(TestWorker& worker, const std::string& body) {
  const Outcome outcome = worker.run("export default async (event, ctx) => {" + body + "\n}");
  return outcome.done ? outcome.result : outcome.summary();
}

}  // namespace mb::worker
