#include "identity/attempt_guard.h"

#include <fmt/format.h>

namespace mb::identity {

namespace {

constexpr int64_t kWindowMs = 15LL * 60 * 1000;

}  // namespace

Result<> AttemptGuard::begin(std::string_view account) {
  const int64_t now = clock_.now().ms;
  const std::lock_guard lock(mutex_);
  std::vector<int64_t>* failures = accounts_.find(account);
  if (failures == nullptr) failures = &accounts_.put(std::string(account), {});
  std::erase_if(*failures, [now](int64_t at) { return at + kWindowMs <= now; });
  if (failures->size() >= max_) {
    const int64_t waitMs = failures->front() + kWindowMs - now;
    return fail(
        Error(ErrorCode::rateLimited, fmt::format("too many failed {} for this account, try again later", what_))
            .withRetryAfter(static_cast<int>((waitMs + 999) / 1000)));
  }
  failures->push_back(now);
  return {};
}

void AttemptGuard::refundAttempt(std::string_view account) {
  const std::lock_guard lock(mutex_);
  std::vector<int64_t>* failures = accounts_.find(account);
  if (failures == nullptr || failures->empty()) return;
  failures->pop_back();
  if (failures->empty()) accounts_.erase(account);
}

void AttemptGuard::clear(std::string_view account) {
  const std::lock_guard lock(mutex_);
  accounts_.erase(account);
}

}  // namespace mb::identity
