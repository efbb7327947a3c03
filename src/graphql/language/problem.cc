#include "graphql/language/problem.h"

#include <algorithm>

#include "base/log.h"
#include "document/json.h"

namespace mb::graphql {

namespace {

// Computes line and column of offsets. Continues from the last offset if possible, as sources are long and problems
// many.
class LocationWriter {
 public:
  explicit LocationWriter(std::string_view source) : source_(source) {}

  void write(std::string& out, uint32_t at) {
    if (at < at_) *this = LocationWriter(source_);
    const size_t end = std::min<size_t>(at, source_.size());
    for (; at_ < end; ++at_) pass(static_cast<uint8_t>(source_[at_]));
    out += fmt::format("{{\"line\":{},\"column\":{}}}", line_, column_);
  }

 private:
  // Columns count characters; one beyond the first plane counts as two, as in graphql-js.
  void pass(uint8_t byte) {
    const bool crlf = byte == '\r' && at_ + 1 < source_.size() && source_[at_ + 1] == '\n';
    if (byte == '\n' || (byte == '\r' && !crlf)) {
      ++line_;
      column_ = 1;
    } else if ((byte & 0xC0) != 0x80) {
      column_ += byte >= 0xF0 ? 2 : 1;
    }
  }

  std::string_view source_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t column_ = 1;
};

void writeDetails(std::string& out, const std::vector<ErrorDetail>& details) {
  out += ",\"details\":[";
  for (size_t i = 0; i < details.size(); ++i) {
    if (i > 0) out += ',';
    out += "{\"path\":";
    doc::writeJsonString(out, details[i].path);
    out += ",\"message\":";
    doc::writeJsonString(out, details[i].message);
    out += '}';
  }
  out += ']';
}

void writeProblem(std::string& out, const Problem& problem, LocationWriter& locations) {
  out += "{\"message\":";
  doc::writeJsonString(out, shortened(problem.message));
  if (!problem.at.empty()) {
    out += ",\"locations\":[";
    for (size_t i = 0; i < problem.at.size(); ++i) {
      if (i > 0) out += ',';
      locations.write(out, problem.at[i]);
    }
    out += ']';
  }
  if (!problem.path.empty()) {
    out += ",\"path\":[";
    for (size_t i = 0; i < problem.path.size(); ++i) {
      if (i > 0) out += ',';
      if (const auto* name = std::get_if<std::string>(&problem.path[i])) {
        doc::writeJsonString(out, *name);
      } else {
        out += std::to_string(std::get<size_t>(problem.path[i]));
      }
    }
    out += ']';
  }
  out += ",\"extensions\":{\"code\":";
  doc::writeJsonString(out, meaningOf(problem.code).wire);
  if (!problem.details.empty()) writeDetails(out, problem.details);
  out += "}}";
}

}  // namespace

std::string shortened(std::string message) {
  constexpr size_t kLongest = 1000;
  if (message.size() <= kLongest) return message;
  size_t end = kLongest;
  while (end > 0 && (static_cast<uint8_t>(message[end]) & 0xC0) == 0x80) --end;
  message.resize(end);
  message.shrink_to_fit();
  return message + "…";
}

Problem problemOf(const Error& error, const std::string& requestId) {
  if (meaningOf(error.code()).status >= 500) {
    logError("field of a GraphQL request failed", {{"requestId", requestId},
                                                   {"code", meaningOf(error.code()).wire},
                                                   {"message", error.message()},
                                                   {"cause", error.cause()}});
  }
  return {error.message(), {}, error.code(), {}, error.details()};
}

void writeProblems(std::string& out, const Problems& problems, std::string_view source) {
  LocationWriter locations(source);
  out += '[';
  for (size_t i = 0; i < problems.size(); ++i) {
    if (i > 0) out += ',';
    writeProblem(out, problems[i], locations);
  }
  out += ']';
}

}  // namespace mb::graphql
