#include "store/own/database.h"

#include <algorithm>
#include <array>

namespace mb::store::own {

namespace {

constexpr std::string_view kTakesNoWrites = "the project's database takes no writes at present";
constexpr std::string_view kTooSlow = "the project's database takes too long: try again";

// Codes of a server that is not the primary, shuts down or recovers, and of a user without the right.
constexpr std::array kNoWrites = {13, 10058, 10107, 13435, 13436};
constexpr std::array kAway = {6, 7, 89, 91, 189, 9001, 11600, 11602};

}  // namespace

Error unreachable() {
  return Error(ErrorCode::unavailable, std::string(kUnreachable)).withRetryAfter(kRetryAfter);
}

Database::Database(ProjectNo project, DatabaseConfig config, FairPool& threads, const HostGuard& guard)
    : project_(project),
      config_(std::move(config)),
      key_(std::to_string(project)),
      threads_(threads),
      connections_(std::make_shared<Connections>(config_.address, guard)) {}

Database::~Database() {
  connections_->stop();
}

Error Database::failed(const mongo::CommandError& error) {
  // The driver's text may hold addresses and names.
  const auto say = [&error](std::string_view message) {
    return Error(ErrorCode::unavailable, std::string(message))
        .withRetryAfter(kRetryAfter)
        .withCause(fmt::format("code {}", error.code));
  };
  if (std::ranges::find(kNoWrites, error.code) != kNoWrites.end()) return say(kTakesNoWrites);
  if (error.isTime()) return say(kTooSlow);
  if (error.code < 0 || std::ranges::find(kAway, error.code) != kAway.end()) {
    connections_->breaker().fail(std::chrono::steady_clock::now());
  }
  return say(kUnreachable);
}

void Database::closeIdle() {
  connections_->closeIdle(Connections::Time::max());
}

void Database::closeUnused() {
  connections_->closeIdle(std::chrono::steady_clock::now() - kIdleTime);
}

}  // namespace mb::store::own
