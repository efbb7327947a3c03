#include "realtime/realtime.h"

#include "identity/rate_limiter.h"
#include "realtime/session.h"

namespace mb::realtime {

namespace {

std::vector<BatchReceiver*> receiversOf(const std::vector<std::unique_ptr<CoreHub>>& hubs) {
  std::vector<BatchReceiver*> receivers;
  for (const auto& hub : hubs) receivers.push_back(hub.get());
  return receivers;
}

std::optional<size_t> halfOf(std::optional<size_t> limit) {
  return limit ? std::optional(*limit / 2) : std::nullopt;
}

}  // namespace

RealtimeSettings::RealtimeSettings(Settings& settings) {
  const int64_t max = settings.integer("SERVICE_REALTIME_MAX_CONNECTIONS", 0, 0, 1'000'000,
                                       "maximum of realtime sockets of a project; 0: no limit");
  if (max > 0) maxConnections = static_cast<size_t>(max);
}

struct Realtime::Impl {
  Impl(const RealtimeDeps& deps, const RealtimeSettings& settings)
      : shared{.deps = deps,
               .unknown = std::make_shared<AddressLimiter>(kMaxUnknownPerAddress),
               .connections = std::make_shared<ProjectLimiter>(settings.maxConnections),
               .anonymous = std::make_shared<AddressLimiter>(kMaxAnonymousPerAddress),
               .anonymousOfProject = std::make_shared<ProjectLimiter>(halfOf(settings.maxConnections)),
               .feeds = nullptr,
               .background = {}} {
    for (int core = 0; core < deps.cores.count(); ++core) hubs.push_back(std::make_unique<CoreHub>(shared, core));
    feeds = std::make_unique<Feeds>(deps.feed, deps.cores, receiversOf(hubs));
    shared.feeds = feeds.get();
  }
  Shared shared;
  std::vector<std::unique_ptr<CoreHub>> hubs;
  std::unique_ptr<Feeds> feeds;
};

Realtime::Realtime(const RealtimeDeps& deps, const RealtimeSettings& settings)
    : impl_(std::make_unique<Impl>(deps, settings)) {}

Realtime::~Realtime() = default;

void Realtime::start() {
  impl_->feeds->start();
  for (const auto& hub : impl_->hubs) hub->start();
}

bool Realtime::stop(std::chrono::milliseconds limit) {
  for (const auto& hub : impl_->hubs) hub->stop();
  const bool readersEnded = impl_->feeds->stop(limit);
  return impl_->shared.background.closeAndWait(limit) && readersEnded;
}

Result<std::shared_ptr<http::WebSocketHandler>> Realtime::accept(const std::string& address,
                                                                 std::optional<std::string> project) {
  std::string limited = identity::limitedAddress(address);
  auto permit = impl_->shared.unknown->take(limited);
  if (!permit) {
    return fail(
        Error(ErrorCode::rateLimited, "too many sockets of this address have not authenticated").withRetryAfter(10));
  }
  CoreHub& hub = *impl_->hubs[static_cast<size_t>(Cores::current())];
  return std::make_shared<Session>(hub, *std::move(permit), SocketOrigin{std::move(limited), std::move(project)});
}

int64_t Realtime::openSockets(store::ProjectNo project) const {
  return static_cast<int64_t>(impl_->shared.connections->taken(project));
}

}  // namespace mb::realtime
