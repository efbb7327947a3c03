// The messages between server and worker over the worker's one socket. A frame is a u32 (little-endian: the number of
// bytes that follow), a byte for its kind, and fields in the encoding of format.h; "value" is a tagged value. Uses the
// standard library only, since the worker compiles it too.
#pragma once

#include <cstdint>
#include <string_view>

namespace mb::clone {

enum class FrameKind : uint8_t {
  // ---- server to worker
  load = 1,    // text module, text source (JavaScript, an ES module), text map ("" or a source map, version 3, as JSON)
  unload = 2,  // text module
  // u64 run, text module, u32 timeoutMs, byte bridge (BridgeKind), byte 1 and raw bytes (ctx.request.rawBody) or
  // byte 0, value event, value context (what becomes ctx)
  run = 3,
  answer = 4,  // u32 call, byte 1, value result; or u32 call, byte 0, text code, text message
  // u64 run, text source, byte typescript (0 or 1), byte runs. With runs 0 a default export is checked without
  // evaluating anything; with runs 1 the module is evaluated, and its default export must be a function.
  check = 5,
  // ---- worker to server
  ready = 32,   // text engine ("V8 10.2…"), text confinement (the active measures as words,
                // separated by spaces: "seccomp no-new-privs jitless user namespaces …")
  log = 33,     // byte level (LogLevel), text message
  call = 34,    // u32 call, text operation ("db.find", "integrations.call"), value arguments (an array)
  done = 35,    // u64 run, u64 CPU in microseconds, value result
  failed = 36,  // u64 run, u64 CPU in microseconds, byte reason (FailReason), text message, text stack (of the source's
                // own lines and columns)
  checked = 37,  // u64 run, text code (what is to run), text map
  refused = 38,  // u64 run, byte reason (FailReason), u32 line, u32 column (from 1; 0: unknown), text message
};

// The functions of ctx that call the host.
enum class BridgeKind : uint8_t {
  none = 0,
  full = 1,    // ctx.db, ctx.storage and ctx.integrations
  lookup = 2,  // ctx.lookup
};

enum class LogLevel : uint8_t { log = 0, info = 1, warn = 2, error = 3, debug = 4 };

enum class FailReason : uint8_t {
  threw = 0,         // or its promise was rejected
  timedOut = 1,      // stopped by the worker's own timer
  outOfMemory = 2,   // heap or buffers; the worker must be replaced
  neverSettles = 3,  // the handler waits for a promise that cannot settle any more
  notCloneable = 4,  // a result or argument that cannot be passed (a function, a symbol, too deep)
  tooLarge = 5,      // a result past kMaxResultBytes
  notLoadable = 6,   // the module does not compile, throws, or has no default export that is a function
};

// Whether the JS module of a run that failed so can serve the next run: false where it was interrupted, perhaps between
// two of its states.
constexpr bool leavesModuleUsable(FailReason reason) {
  switch (reason) {
    case FailReason::threw:
    case FailReason::neverSettles:
    case FailReason::notCloneable:
    case FailReason::tooLarge:
      return true;
    case FailReason::timedOut:
    case FailReason::outOfMemory:
    case FailReason::notLoadable:
      return false;
  }
  return false;
}

// Both sides keep these bounds; a worker that breaks one counts as compromised, and the server kills it.
inline constexpr uint32_t kMaxFrameBytes = (16u << 20) + (64u << 10);
inline constexpr uint32_t kMaxRunFrameBytes = 2 * kMaxFrameBytes;  // which may hold a request's body twice
inline constexpr uint32_t kMaxResultBytes = 6u << 20;
inline constexpr uint32_t kMaxLogLines = 200;                            // of a run; the worker drops later ones
inline constexpr uint32_t kMaxLogBytes = 8u << 10;                       // of a line, truncated at a character
inline constexpr uint32_t kMaxCalls = 1000;                              // of a run, in all
inline constexpr uint32_t kMaxLookups = 5;                               // of a run with BridgeKind::lookup, in all
inline constexpr uint32_t kMaxCallsAtOnce = 16;                          // further ones wait in the worker
inline constexpr uint32_t kMaxCallBytes = 2u << 20;                      // of one call's arguments
inline constexpr uint32_t kMaxFileCallBytes = (8u << 20) + (64u << 10);  // of those of ctx.storage.write
inline constexpr uint32_t kMaxBridgeBytes = 64u << 20;                   // of a run: arguments and results together

constexpr uint32_t maxCallBytes(std::string_view operation) {
  return operation == "storage.write" ? kMaxFileCallBytes : kMaxCallBytes;
}

constexpr uint32_t maxCallsOf(BridgeKind kind) {
  switch (kind) {
    case BridgeKind::none:
      return 0;
    case BridgeKind::full:
      return kMaxCalls;
    case BridgeKind::lookup:
      return kMaxLookups;
  }
  return 0;
}

}  // namespace mb::clone
