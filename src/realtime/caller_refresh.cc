#include "realtime/caller_refresh.h"

#include <algorithm>
#include <boost/asio/deferred.hpp>
#include <exception>
#include <unordered_map>

#include "realtime/session.h"

namespace mb::realtime {

namespace {

// Credentials that one coroutine looks up before it yields the core.
constexpr size_t kLookupsPerYield = 16;

using Sessions = std::vector<std::shared_ptr<Session>>;

// The lookups of one call, shared by the coroutines that make them; all on one core. A waiting caller is owned by it
// and does not own it: if a forced stop destroys the others, the last one destroys the caller too.
struct Refresh {
  std::vector<Sessions> byCredential;
  size_t next = 0;
  size_t running = 0;  // coroutines besides the caller's
  std::exception_ptr failure;
  Resumer<std::exception_ptr> caller;  // waits for the others to end
};

std::vector<Sessions> groupByCredential(Sessions sessions) {
  std::vector<Sessions> groups;
  std::unordered_map<std::string_view, size_t> known;
  for (std::shared_ptr<Session>& session : sessions) {
    const auto [at, isNew] = known.try_emplace(session->credential(), groups.size());
    if (isNew) groups.emplace_back();
    groups[at->second].push_back(std::move(session));
  }
  return groups;
}

Async<void> lookUpRest(std::shared_ptr<Refresh> refresh) {
  while (refresh->next < refresh->byCredential.size()) {
    Sessions sharing = std::move(refresh->byCredential[refresh->next++]);
    co_await Session::refreshTogether(std::move(sharing));
    if (refresh->next % kLookupsPerYield == 0) co_await asio::post(asio::deferred);
  }
}

Async<void> help(std::shared_ptr<Refresh> refresh) {
  try {
    co_await lookUpRest(refresh);
  } catch (...) {
    refresh->failure = std::current_exception();
  }
  if (--refresh->running == 0 && refresh->caller) refresh->caller.resume(refresh->failure);
}

}  // namespace

Async<void> refreshCallers(CoreHub* hub, std::vector<std::shared_ptr<Session>> sessions) {
  auto refresh = std::make_shared<Refresh>();
  refresh->byCredential = groupByCredential(std::move(sessions));
  const size_t lookups = std::min(refresh->byCredential.size(), kMaxLookups);
  for (size_t i = 1; i < lookups; ++i) {
    // spawn() fails only during shutdown: the caller's coroutine then makes all lookups.
    ++refresh->running;
    if (!hub->shared().background.spawn(hub->executor(), help(refresh))) --refresh->running;
  }
  try {
    co_await lookUpRest(refresh);
  } catch (...) {
    refresh->failure = std::current_exception();
  }
  if (refresh->running > 0) {
    // Rethrows the failure that resumes it.
    co_await suspend<std::exception_ptr>([&refresh](Resumer<std::exception_ptr> caller) {
      const std::shared_ptr<Refresh> shared = std::move(refresh);
      shared->caller = std::move(caller);
    });
  } else if (refresh->failure) {
    std::rethrow_exception(refresh->failure);
  }
}

}  // namespace mb::realtime
