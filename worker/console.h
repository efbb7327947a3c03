// console: lines that go to the server as they come, of a run at most clone::kMostLogLines.
#pragma once

#include <v8.h>

namespace mb::worker {

// As `console` of what the boot scripts are given.
void addConsole(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);

}  // namespace mb::worker
