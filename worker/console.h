// The global console: each line is sent to the server, at most clone::kMaxLogLines of a run.
#pragma once

#include <v8.h>

#include <string_view>

#include "clone/frames.h"
#include "guest.h"

namespace mb::worker {

// Whether another line would be sent. If not, the caller need not create it.
bool hasCapacity(const Guest& guest);
// Sends the beginning of a line, up to clone::kMaxLogBytes; nothing without capacity. Runs no guest code.
void sendLine(Guest& guest, clone::LogLevel level, std::string_view line);

// Adds `console` to the native object of the boot scripts.
void addConsole(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);

}  // namespace mb::worker
