// A Program is a worker with all its parts. It handles the frames of its server.
#pragma once

#include "checker.h"
#include "engine.h"
#include "guest.h"
#include "modules.h"
#include "realm.h"
#include "runner.h"
#include "watchdog.h"
#include "wire.h"

namespace mb::worker {

class Program {
 public:
  // `extra` adds natives to those of the boot scripts, for tests; may be null.
  using Extra = void (*)(v8::Isolate*, v8::Local<v8::ObjectTemplate> global);
  Program(Wire& wire, Watchdog& watchdog, Engine& engine, Extra extra);

  void sendReady(std::string_view confinement);
  [[noreturn]] void serve();

 private:
  static Realms makeRealms(v8::Isolate* isolate, Extra extra);
  void handle(Incoming& frame);
  void handleAnyTime(Incoming& frame);
  void lastWords();

  Wire& wire_;
  v8::Isolate::Scope entered_;
  v8::HandleScope handles_;
  Guest guest_;
  Modules modules_;
  Realms realms_;
  Runner runner_;
  Checker checker_;
  uint64_t running_ = 0;  // the current run or check, for lastWords()
  bool checking_ = false;
};

// The body of main(); `extra` is what a test adds.
int runProgram(int count, char** words, Program::Extra extra);

}  // namespace mb::worker
