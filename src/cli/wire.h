// The protocol of the command socket between the program and a running server: JSON objects, one a line.
//
//   program  {"version": 1, "command": "backup", "arguments": {"to": "/backups/monday", "with-secret": "true"}}
//   server   {"progress": {"step": "copying", "done": 10, "total": 300}}      any number of times, at least one a
//   second
//            {"outcome": {"exitCode": 0, "text": "…", "result": {…}}}          or
//            {"failure": {"code": "NOT_FOUND", "message": "…"}}               and closes
//
// The program closes the connection to stop the command. A line of the program has at most kMaxRequest bytes, one of
// the server at most kMaxMessage.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "document/shape.h"

namespace mb::cli {

inline constexpr int32_t kProtocolVersion = 1;
inline constexpr size_t kMaxRequest = 64 << 10;
inline constexpr size_t kMaxMessage = 4 << 20;

// Names of options to their values; a flag that is set has "true".
using Arguments = std::map<std::string, std::string>;

struct Request {
  std::string command;
  Arguments arguments;
};

// Progress of a command; a total of 0 is unknown.
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

// The result of a command that completed. `check` exits with 1 where it found problems.
struct Outcome {
  int32_t exitCode = 0;
  std::string text;      // text for people
  doc::Document result;  // the same for scripts
  static constexpr auto shape() {
    return doc::shape<Outcome>("Outcome", doc::field("exitCode", &Outcome::exitCode),
                               doc::field("text", &Outcome::text), doc::field("result", &Outcome::result));
  }
};

// One of several problems and its location, a file for example.
struct FailureDetail {
  std::string path;
  std::string message;
  static constexpr auto shape() {
    return doc::shape<FailureDetail>("FailureDetail", doc::field("path", &FailureDetail::path),
                                     doc::field("message", &FailureDetail::message));
  }
};

// The error of a command that failed. INVALID_PARAM means wrong arguments.
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

// Both end with a newline.
std::string encodeRequest(const Request& request);
std::string encodeMessage(const Message& message);
// Both fail with invalidBody for an invalid line, decodeRequest also for another version.
Result<Request> decodeRequest(std::string_view line);
Result<Message> decodeMessage(std::string_view line);

}  // namespace mb::cli
