#include "functions/call_log.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace mb::functions {

namespace {

constexpr size_t kMaxNameBytes = 64;

// Text that has the form of a collection's, an integration's or an operation's name. Other text was meant as something
// else and may be a part of a document: it is left out.
std::string nameIn(doc::DocumentView arguments, size_t at) {
  const auto value = arguments.find(doc::arrayKey(at));
  if (!value || value->type() != doc::BsonType::string) return {};
  const std::string_view text = value->asString();
  const auto belongs = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (text.size() > kMaxNameBytes || !std::ranges::all_of(text, belongs)) return {};
  return std::string(text);
}

// In milliseconds, to a tenth.
double between(CallLog::Time from, CallLog::Time to) {
  const std::chrono::duration<double, std::milli> time = to - from;
  return std::max(0.0, std::round(time.count() * 10) / 10);
}

// nullopt for an operation that is not logged.
std::optional<RunCall> callOf(std::string_view operation, doc::DocumentView arguments) {
  RunCall call;
  call.name = nameIn(arguments, 0);
  if (operation == "integrations.call") {
    call.kind = "integration";
    call.detail = nameIn(arguments, 1);
    return call;
  }
  call.kind = "db";
  for (const std::string_view known : {"db.find", "db.findOne", "db.count", "db.insertOne", "db.updateMany",
                                       "db.deleteMany", "lookup.get", "lookup.findOne"}) {
    if (operation != known) continue;
    call.detail = known.substr(known.find('.') + 1);
    return call;
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> CallLog::begin(std::string_view operation, doc::DocumentView arguments, Time at) {
  if (entries_.size() >= kMaxCalls) return std::nullopt;
  std::optional<RunCall> call = callOf(operation, arguments);
  if (!call) return std::nullopt;
  const size_t bytes = call->name.size() + call->detail.size();
  if (bytes_ + bytes > kMaxCallBytes) return std::nullopt;
  bytes_ += bytes;
  call->outcome = "unfinished";
  entries_.push_back({*std::move(call), at});
  return entries_.size() - 1;
}

void CallLog::end(size_t call, const Error* error, Time at) {
  Entry& entry = entries_[call];
  entry.ended = true;
  entry.call.ms = between(entry.begun, at);
  entry.call.outcome = error == nullptr ? "ok" : std::string(meaningOf(error->code()).wire);
}

std::vector<RunCall> CallLog::calls(Time at) const {
  std::vector<RunCall> all;
  all.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    RunCall& call = all.emplace_back(entry.call);
    if (!entry.ended) call.ms = between(entry.begun, at);
  }
  return all;
}

}  // namespace mb::functions
