#include "store/own/database.h"

#include <algorithm>
#include <array>

namespace mb::store::own {

namespace {

constexpr std::string_view kTakesNoWrites = "the project's database takes no writes at present";
constexpr std::string_view kTooSlow = "the project's database takes too long: try again";

// Codes of a server that is not the primary, shuts down or recovers, and of a user without the right.
constexpr std::array kNoWrites = {13, 10058, 10107, 13435, 13436};
// Codes by which a lost right or capability shows: Unauthorized, IllegalOperation (no transactions), and
// OperationNotSupportedInTransaction.
constexpr std::array kRightLost = {13, 20, 263};
constexpr std::array kAway = {6, 7, 89, 91, 189, 9001, 11600, 11602};

bool isOneOf(const auto& codes, const mongo::CommandError& error) {
  return std::ranges::find(codes, error.code) != codes.end();
}

// The driver's text may hold addresses and names.
Error errorOf(const mongo::CommandError& error, std::string_view message) {
  return Error(ErrorCode::unavailable, std::string(message))
      .withRetryAfter(kRetryAfter)
      .withCause(fmt::format("code {}", error.code));
}

}  // namespace

Error unreachable() {
  return Error(ErrorCode::unavailable, std::string(kUnreachable)).withRetryAfter(kRetryAfter);
}

Database::Database(ProjectNo project, DatabaseConfig config, FairPool& threads, const HostGuard& guard,
                   std::function<void()> changed)
    : project_(project),
      config_(std::move(config)),
      key_(std::to_string(project)),
      threads_(threads),
      connections_(std::make_shared<Connections>(config_.address, guard)),
      changed_(std::move(changed)) {}

Database::~Database() {
  connections_->stop();
}

Error Database::failed(const mongo::CommandError& error) {
  if (!isOneOf(kNoWrites, error)) return failedToRead(error);
  refusesWrites_ = true;
  changed_();
  return errorOf(error, kTakesNoWrites);
}

Error Database::failedToRead(const mongo::CommandError& error) {
  if (error.isTime()) return errorOf(error, kTooSlow);
  if (isOneOf(kRightLost, error)) changed_();
  if (error.code < 0 || isOneOf(kAway, error)) connections_->breaker().fail(std::chrono::steady_clock::now());
  return errorOf(error, kUnreachable);
}

void Database::wrote() {
  if (refusesWrites_.load(std::memory_order_relaxed) && refusesWrites_.exchange(false)) changed_();
}

void Database::closeIdle() {
  connections_->closeIdle(Connections::Time::max());
}

void Database::closeUnused() {
  connections_->closeIdle(std::chrono::steady_clock::now() - kIdleTime);
}

}  // namespace mb::store::own
