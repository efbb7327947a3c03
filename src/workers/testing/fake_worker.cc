// A worker without an engine, for tests: the source of a module is a word that names what each of its runs does, mostly
// a violation of the protocol. Values are encoded as in clone/format.h.
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "clone/format.h"
#include "clone/frames.h"

namespace {

using mb::clone::FrameKind;
using mb::clone::Reader;
using mb::clone::Tag;
using mb::clone::Writer;

constexpr int kSocket = 3;

void put(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::write(kSocket, bytes.data(), bytes.size());
    if (sent <= 0) ::_exit(0);
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string get(size_t size) {
  std::string bytes(size, '\0');
  for (size_t have = 0; have < size;) {
    const ssize_t got = ::read(kSocket, bytes.data() + have, size - have);
    if (got <= 0) ::_exit(0);
    have += static_cast<size_t>(got);
  }
  return bytes;
}

std::string frame(FrameKind kind, const std::function<void(Writer&)>& fill) {
  std::string body;
  Writer writer(body);
  writer.byte(static_cast<uint8_t>(kind));
  fill(writer);
  std::string out;
  Writer(out).u32(static_cast<uint32_t>(body.size()));
  return out + body;
}

struct Received {
  FrameKind kind;
  std::string body;
};

Received receive() {
  const std::string header = get(4);
  uint32_t length;
  std::memcpy(&length, header.data(), sizeof length);
  std::string body = get(length);
  const auto kind = static_cast<FrameKind>(static_cast<uint8_t>(body[0]));
  return {kind, body.substr(1)};
}

void raw(Writer& out, std::string_view bytes) {
  for (const char byte : bytes) out.byte(static_cast<uint8_t>(byte));
}

uint64_t run = 0;
uint64_t runs = 0;
uint32_t nextCall = 1;
std::map<std::string, std::string> modules;

void done(const std::function<void(Writer&)>& value) {
  put(frame(FrameKind::done, [&](Writer& out) {
    out.u64(run);
    out.u64(7);
    value(out);
  }));
}
void doneText(const std::string& text) {
  done([&](Writer& out) { out.string(text); });
}

void refuse(uint8_t reason, uint32_t line, uint32_t column, const char* message) {
  put(frame(FrameKind::refused, [&](Writer& out) {
    out.u64(run);
    out.byte(reason);
    out.u32(line);
    out.u32(column);
    out.text(message);
  }));
}

void failed(uint8_t reason, std::string_view message, std::string_view stack = "") {
  put(frame(FrameKind::failed, [&](Writer& out) {
    out.u64(run);
    out.u64(7);
    out.byte(reason);
    out.text(message);
    out.text(stack);
  }));
}

void log(uint8_t level, std::string_view message) {
  put(frame(FrameKind::log, [&](Writer& out) {
    out.byte(level);
    out.text(message);
  }));
}

void call(uint32_t number, std::string_view operation, std::string_view arguments) {
  put(frame(FrameKind::call, [&](Writer& out) {
    out.u32(number);
    out.text(operation);
    raw(out, arguments);
  }));
}

const std::string kNoArguments{static_cast<char>(Tag::array), '\0'};

// Ends the run with the reply to the last call: its value, or "code: message".
void replyToDone() {
  const Received answer = receive();
  Reader in(answer.body);
  in.u32();
  const bool well = in.byte() == 1;
  const std::string value = answer.body.substr(answer.body.size() - in.left());
  if (well) return done([&](Writer& out) { raw(out, value); });
  const std::string code(in.text());
  doneText(code + ": " + std::string(in.text()));
}

std::string openDescriptors() {
  std::string all;
  DIR* folder = ::opendir("/proc/self/fd");
  const int own = ::dirfd(folder);
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != own) all += std::string(entry->d_name) + " ";
  }
  ::closedir(folder);
  return all;
}

std::string surroundings() {
  std::string all = openDescriptors();
  for (char** variable = environ; *variable; ++variable) all += std::string(*variable) + " ";
  std::array<char, 256> folder{};
  if (::getcwd(folder.data(), folder.size())) all += folder.data();
  if (::getpgrp() == ::getpid()) all += " leader";
  return all;
}

void spin(int ms) {
  timespec now{};
  do {
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000 + now.tv_nsec / 1'000'000 < ms);
}

void sleepFor(int ms) {
  ::usleep(static_cast<useconds_t>(ms) * 1000);
}

[[noreturn]] void hang() {
  while (true) ::pause();
}

void floodCalls(int count) {
  for (int i = 0; i < count; ++i) call(nextCall++, "db.find", kNoArguments);
}

void act(const std::string& word, const std::string& event) {
  static const std::map<std::string, std::function<void()>> kWords = {
      // valid
      {"pid", [] { doneText(std::to_string(::getpid())); }},
      {"runs", [] { doneText(std::to_string(runs)); }},
      {"modules", [] { doneText(std::to_string(modules.size())); }},
      {"surroundings", [] { doneText(surroundings()); }},
      {"policy", [] { doneText(std::to_string(::sched_getscheduler(0))); }},
      {"spin",
       [] {
         spin(150);
         doneText(std::to_string(::sched_getscheduler(0)));
       }},
      {"throws", [] { failed(0, "TypeError: no", "at handler (3:7)"); }},
      {"silent", [] { failed(3, ""); }},
      {"late",
       [] {
         log(0, "before");
         failed(1, "");
       }},
      {"memory", [] { failed(2, ""); }},
      {"logs",
       [] {
         for (int i = 0; i < 200; ++i) log(static_cast<uint8_t>(i % 5), "line " + std::to_string(i));
         doneText("ok");
       }},
      {"call",
       [] {
         call(nextCall++, "db.find", kNoArguments);
         replyToDone();
       }},
      {"30 calls",
       [] {
         for (int i = 0; i < 29; ++i) {
           floodCalls(1);
           receive();
         }
         floodCalls(1);
         replyToDone();
       }},
      {"unread answers",
       [] {
         floodCalls(16);
         hang();
       }},
      {"leave",
       [] {
         floodCalls(1);
         doneText("left");
       }},
      {"large", [] { doneText(std::string(1 << 20, 'x')); }},
      {"large call",
       [] {
         std::string arguments;
         Writer out(arguments);
         out.tag(Tag::array);
         out.count(1);
         out.string(std::string(1 << 20, 'x'));
         call(nextCall++, "db.find", arguments);
         replyToDone();
       }},
      {"undefined", [] { done([](Writer& out) { out.tag(Tag::undefined); }); }},
      {"huge key",
       [] {
         done([](Writer& out) {
           out.tag(Tag::object);
           out.count(1);
           out.text(std::string("a\0b", 3));
           out.tag(Tag::null);
         });
       }},
      // ends of the process
      {"die", [] { ::_exit(1); }},
      {"oom",
       [] {
         std::fputs("# Fatal JavaScript out of memory: heap\n", stderr);
         std::abort();
       }},
      {"hang", [] { hang(); }},
      // violations
      {"wrong run",
       [] {
         ++run;
         doneText("forged");
       }},
      {"unknown kind",
       [] {
         put(std::string("\1\0\0\0\x63", 5));
         hang();
       }},
      {"kind of the server",
       [] {
         put(frame(FrameKind::run, [](Writer& out) { out.u64(run); }));
         hang();
       }},
      {"endless length",
       [] {
         put(std::string("\xff\xff\xff\xff\x23", 5));
         hang();
       }},
      {"no length",
       [] {
         put(std::string("\0\0\0\0\x23", 5));
         hang();
       }},
      {"too large result",
       [] {
         doneText(std::string((6 << 20) + 100, 'x'));
         hang();
       }},
      {"no value",
       [] {
         done([](Writer& out) { out.byte(99); });
         hang();
       }},
      {"cut value",
       [] {
         done([](Writer& out) {
           out.tag(Tag::string);
           out.count(100);
         });
         hang();
       }},
      {"no large value",
       [] {
         done([](Writer& out) {
           out.tag(Tag::array);
           out.count(100'000);
           for (int i = 0; i < 99'999; ++i) out.tag(Tag::null);
           out.byte(99);
         });
         hang();
       }},
      {"two values",
       [] {
         done([](Writer& out) {
           out.integer(1);
           out.integer(2);
         });
         hang();
       }},
      {"not UTF-8",
       [] {
         done([](Writer& out) { out.string("\xff\xfe"); });
         hang();
       }},
      {"no such log level",
       [] {
         log(9, "x");
         hang();
       }},
      {"a line too much",
       [] {
         for (int i = 0; i < 201; ++i) log(0, "x");
         hang();
       }},
      {"a line too long",
       [] {
         log(0, std::string(8193, 'x'));
         hang();
       }},
      {"no such reason",
       [] {
         failed(42, "");
         hang();
       }},
      {"message too long",
       [] {
         failed(0, std::string(8193, 'x'));
         hang();
       }},
      {"stack too long",
       [] {
         failed(0, "x", std::string((16 << 10) + 1, 'x'));
         hang();
       }},
      {"17 calls at once",
       [] {
         floodCalls(17);
         hang();
       }},
      {"1001 calls",
       [] {
         for (int i = 0; i < 1001; ++i) {
           floodCalls(1);
           receive();
         }
         hang();
       }},
      {"a call's number twice",
       [] {
         call(5, "db.find", kNoArguments);
         call(5, "db.find", kNoArguments);
         hang();
       }},
      {"an endless operation",
       [] {
         call(nextCall++, std::string(300, 'x'), kNoArguments);
         hang();
       }},
      {"arguments that are no array",
       [] {
         call(nextCall++, "db.find", std::string(1, '\1'));
         hang();
       }},
      {"arguments that are none",
       [] {
         call(nextCall++, "db.find", "\x63");
         hang();
       }},
      {"too large arguments",
       [] {
         call(nextCall++, "db.find", std::string((2 << 20) + 1, '\1'));
         hang();
       }},
      {"arguments and more",
       [] {
         call(nextCall++, "db.find", kNoArguments + "\1");
         hang();
       }},
      {"ready again",
       [] {
         put(frame(FrameKind::ready, [](Writer& out) {
           out.text("V8");
           out.text("");
         }));
         hang();
       }},
      {"checked what runs",
       [] {
         put(frame(FrameKind::checked, [](Writer& out) {
           out.u64(run);
           out.text("");
           out.text("");
         }));
         hang();
       }},
      {"refused what runs",
       [] {
         refuse(6, 1, 1, "");
         hang();
       }},
      {"more after the end",
       [] {
         doneText("ok");
         log(0, "still here");
       }},
      {"done twice",
       [] {
         doneText("ok");
         sleepFor(20);
         doneText("ok");
       }},
      {"a flood",
       [] {
         const std::string much(1 << 20, '\x21');
         while (true) put(much);
       }},
      {"lines without end", [] {
         while (true) log(0, "x");
       }}};
  if (word == "echo") return done([&](Writer& out) { raw(out, event); });
  const auto found = kWords.find(word);
  found == kWords.end() ? failed(6, "no such word: " + word) : found->second();
}

void takeRun(const std::string& body) {
  Reader in(body);
  run = in.u64();
  ++runs;
  const std::string module(in.text());
  in.u32();
  in.byte();
  if (in.byte() == 1) in.raw();
  const std::string_view rest = std::string_view(body).substr(body.size() - in.left());
  const auto event = mb::clone::wholeValue(rest);
  const auto known = modules.find(module);
  if (!event || known == modules.end()) return failed(6, "not loaded");
  act(known->second, std::string(*event));
}

void takeCheck(const std::string& body) {
  Reader in(body);
  run = in.u64();
  const std::string source(in.text());
  if (source == "hang") hang();
  if (source == "die") ::_exit(1);
  if (source == "bad") return refuse(6, 3, 14, "Unexpected token");
  if (source == "memory") return refuse(2, 0, 0, "out of memory");
  if (source == "no such reason") return refuse(7, 1, 1, "x");
  const bool typescript = in.byte() == 1;
  put(frame(FrameKind::checked, [&](Writer& out) {
    out.u64(run);
    out.text(source + (typescript ? " stripped by " : " by ") + std::to_string(::getpid()));
    out.text("map");
  }));
}

}  // namespace

int main() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  put(frame(FrameKind::ready, [](Writer& out) {
    out.text("fake");
    out.text("nothing at all");
  }));
  while (true) {
    const Received received = receive();
    Reader in(received.body);
    if (received.kind == FrameKind::load) {
      const std::string id(in.text());
      modules[id] = in.text();
    } else if (received.kind == FrameKind::unload) {
      modules.erase(std::string(in.text()));
    } else if (received.kind == FrameKind::run) {
      takeRun(received.body);
    } else if (received.kind == FrameKind::check) {
      takeCheck(received.body);
    }
  }
}
