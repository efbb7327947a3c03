#include "program.h"

#include <fcntl.h>
#include <malloc.h>

#include <cstdlib>
#include <cstring>

#include "api/native.h"
#include "console.h"
#include "sandbox.h"

namespace mb::worker {

namespace {

using clone::FrameKind;

constexpr int kSocket = 3;

void keepUncaught(v8::Local<v8::Message>, v8::Local<v8::Value> thrown) {
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  Guest& guest = Guest::of(isolate);
  if (guest.uncaught.IsEmpty()) guest.uncaught.Reset(isolate, thrown);
}

clone::BridgeKind bridgeKind(clone::Reader& body) {
  const uint8_t kind = body.byte();
  if (kind > static_cast<uint8_t>(clone::BridgeKind::lookup)) body.fail();
  return static_cast<clone::BridgeKind>(kind);
}

void wellFormed(const clone::Reader& body) {
  if (body.failed()) endProcess(kEndedByBreach, "a frame with malformed fields");
}

}  // namespace

Realms Program::makeRealms(v8::Isolate* isolate, Extra extra) {
  const v8::HandleScope scope(isolate);
  const v8::Local<v8::ObjectTemplate> native = v8::ObjectTemplate::New(isolate);
  addText(isolate, native);
  addUrl(isolate, native);
  addCrypto(isolate, native);
  addClone(isolate, native);
  addCalls(isolate, native);
  addConsole(isolate, native);
  const v8::Local<v8::ObjectTemplate> global = v8::ObjectTemplate::New(isolate);
  addTimers(isolate, global);
  if (extra != nullptr) extra(isolate, global);
  return Realms(isolate, native, global);
}

Program::Program(Wire& wire, Watchdog& watchdog, Engine& engine, Extra extra)
    : wire_(wire),
      entered_(engine.isolate()),
      handles_(engine.isolate()),
      guest_(wire),
      realms_(makeRealms(engine.isolate(), extra)),
      runner_(engine, watchdog, guest_, modules_, realms_, [this](Incoming& frame) { handleAnyTime(frame); }),
      checker_(engine, guest_, realms_, runner_) {
  guest_.installIn(engine.isolate());
  engine.isolate()->AddMessageListener(keepUncaught);
  Rejections::watch(engine.isolate());
  engine.isolate()->SetHostImportModuleDynamicallyCallback(refuseDynamicImport);
  engine.onLastWords([this] { lastWords(); });
}

void Program::sendReady(std::string_view confinement) {
  clone::Writer frame = wire_.begin(FrameKind::ready);
  frame.text(std::string("V8 ") + Engine::name());
  frame.text(confinement);
  wire_.end();
  wire_.flush();
}

void Program::serve() {
  for (;;) {
    std::optional<Incoming> frame = wire_.receive(std::nullopt);
    if (frame) handle(*frame);
  }
}

void Program::handle(Incoming& frame) {
  clone::Reader& body = frame.body;
  if (frame.kind == FrameKind::run) {
    RunCommand command;
    command.run = running_ = body.u64();
    command.module = body.text();
    command.timeout = std::chrono::milliseconds(body.u32());
    command.bridge = bridgeKind(body);
    if (body.byte() == 1) command.rawBody = body.raw();
    wellFormed(body);
    runner_.run(std::move(command), body);
    running_ = 0;
  } else if (frame.kind == FrameKind::check) {
    checking_ = true;
    const uint64_t run = running_ = body.u64();
    const std::string source(body.text());
    const bool typescript = body.byte() == 1;
    const bool runs = body.byte() == 1;
    wellFormed(body);
    checker_.check(run, source, typescript, runs);
    running_ = 0;
    checking_ = false;
  } else {
    handleAnyTime(frame);
  }
}

// Frames that may arrive during a run, too.
void Program::handleAnyTime(Incoming& frame) {
  clone::Reader& body = frame.body;
  if (frame.kind == FrameKind::load) {
    std::string id(body.text());
    std::string source(body.text());
    std::string map(body.text());
    wellFormed(body);
    if (!modules_.load(std::move(id), std::move(source), std::move(map)))
      endProcess(kEndedByBreach, "too many modules");
  } else if (frame.kind == FrameKind::unload) {
    const std::string id(body.text());
    wellFormed(body);
    modules_.unload(id);
  } else if (frame.kind != FrameKind::answer) {  // a reply to a run that is over is ignored
    endProcess(kEndedByBreach, "an unexpected frame");
  }
}

// The engine is about to end the process, since it is out of memory. The buffer holds only whole frames.
void Program::lastWords() {
  if (running_ == 0) return;
  clone::Writer frame = wire_.begin(checking_ ? FrameKind::refused : FrameKind::failed);
  frame.u64(running_);
  if (!checking_) frame.u64(0);  // no CPU time
  frame.byte(static_cast<uint8_t>(clone::FailReason::outOfMemory));
  if (checking_) frame.u64(0);  // no position
  frame.text("out of memory: a run has 64 MiB");
  if (!checking_) frame.text("");
  wire_.end();
  wire_.flush();
}

int runProgram(int count, char** words, Program::Extra extra) {
  const bool jit = count == 2 && std::strcmp(words[1], "--jit") == 0;
  if (count > 1 && !jit) endProcess(kEndedByBreach, "the only option is --jit; it is started by manybase");
  const int flags = fcntl(kSocket, F_GETFL);
  if (flags < 0 || fcntl(kSocket, F_SETFL, flags & ~O_NONBLOCK) != 0)
    endProcess(kEndedByBreach, "it is started by manybase, with a socket as descriptor 3");
  clearenv();
  setenv("TZ", "UTC", 1);
  mallopt(M_ARENA_MAX, 1);

  std::string confinement = leaveHost();
  Watchdog watchdog;
  warmCrypto();
  Engine engine(jit);
  watchdog.watch(engine.isolate());
  Wire wire(kSocket);
  Program program(wire, watchdog, engine, extra);
  confinement = lockDown(kSocket, jit) + confinement;
  program.sendReady(confinement);
  program.serve();
}

}  // namespace mb::worker
