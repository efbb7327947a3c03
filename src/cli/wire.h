// What the program and a running server say to each other over the command socket: JSON objects, one a line.
//
//   program  {"version": 1, "command": "backup", "arguments": {"to": "/backups/monday", "with-secret": "true"}}
//   server   {"progress": {"step": "copying", "done": 10, "total": 300}}      any number of times, at least one a
//   second
//            {"outcome": {"exitCode": 0, "text": "…", "result": {…}}}          or
//            {"failure": {"code": "NOT_FOUND", "message": "…"}}               and closes
//
// The program closes to have the command stopped. A line of the program has at most kMaxRequest bytes, one of the
// server at most kMaxMessage.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "document/shape.h"

namespace mb::cli {

inline constexpr int32_t kProtocolVersion = 1;
inline constexpr size_t kMaxRequest = 64 << 10;
inline constexpr size_t kMaxMessage = 4 << 20;

// Names of options to their values; a switch that is on has "true".
using Arguments = std::map<std::string, std::string>;

struct Request {
  std::string command;
  Arguments arguments;
};

// How far a command is; a total of 0 is not known.
struct Step {
  std::string step;
  int64_t done = 0;
  int64_t total = 0;
  static constexpr auto shape() {
    return doc::shape<Step>("Step", doc::field("step", &Step::step), doc::field("done", &Step::done),
                            doc::field("total", &Step::total));
  }
  bool operator==(const Step&) const = default;
};

// How a command ended that did what it was to do. `check` exits with 1 where it found something.
struct Outcome {
  int32_t exitCode = 0;
  std::string text;      // lines for people
  doc::Document result;  // the same for scripts
  static constexpr auto shape() {
    return doc::shape<Outcome>("Outcome", doc::field("exitCode", &Outcome::exitCode),
                               doc::field("text", &Outcome::text), doc::field("result", &Outcome::result));
  }
};

// One of several things that are wrong, and where: a file, say.
struct FailureDetail {
  std::string path;
  std::string message;
  static constexpr auto shape() {
    return doc::shape<FailureDetail>("FailureDetail", doc::field("path", &FailureDetail::path),
                                     doc::field("message", &FailureDetail::message));
  }
};

// How a command ended that failed. INVALID_PARAM means that it was called wrongly.
struct Failure {
  std::string code;
  std::string message;
  std::optional<std::vector<FailureDetail>> details = {};
  static constexpr auto shape() {
    return doc::shape<Failure>("Failure", doc::field("code", &Failure::code), doc::field("message", &Failure::message),
                               doc::field("details", &Failure::details));
  }
  int exitCode() const { return code == "INVALID_PARAM" ? 2 : 1; }
};
Failure failureOf(const Error& error);

using Message = std::variant<Step, Outcome, Failure>;

// With the newline at their end.
std::string encodeRequest(const Request& request);
std::string encodeMessage(const Message& message);
// Each fails with invalidBody for a line that is none of those, decodeRequest also for another version.
Result<Request> decodeRequest(std::string_view line);
Result<Message> decodeMessage(std::string_view line);

}  // namespace mb::cli
