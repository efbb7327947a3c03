// console: lines that go to the server as they come, of a run at most clone::kMaxLogLines.
#pragma once

#include <v8.h>

#include <string_view>

#include "clone/frames.h"
#include "guest.h"

namespace mb::worker {

// Whether a line would still be told. One that would not need not be made.
bool hasCapacity(const Guest& guest);
// Tells the server at least the beginning of a line; nothing where there is no module. No guest code runs.
void tellLine(Guest& guest, clone::LogLevel level, std::string_view line);

// As `console` of what the boot scripts are given.
void addConsole(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);

}  // namespace mb::worker
