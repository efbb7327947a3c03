#include "jobs/redis_leases.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <unordered_set>

#include "base/task_group.h"

namespace mb::jobs {

namespace {

using namespace std::chrono_literals;

constexpr auto kRenewEvery = 10s;
constexpr std::string_view kLeaseMs = "30000";
constexpr size_t kIdsInMessage = 100;
constexpr size_t kMaxMessageBytes = 64 << 10;
constexpr auto kStopLimit = 3s;

// Takes a free lease, and renews a lease of this process, also if Redis has lost it since.
constexpr std::string_view kTake =
    "local h=redis.call('GET',KEYS[1]) if h and h~=ARGV[1] then return 0 end "
    "redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[2]) return 1";
constexpr std::string_view kRelease =
    "if redis.call('GET',KEYS[1])==ARGV[1] then return "
    "redis.call('DEL',KEYS[1]) end return 0";

// The lines of a message: the sender's instance, then the ids.
std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

struct RedisLeases::Shared {
  Shared(redis::Client& c, Executor h, RedisLeasesConfig cfg) : client(c), home(h), config(std::move(cfg)), timer(h) {}

  std::string keyOf(const std::string& jobId) const { return config.space + ":lease:" + jobId; }
  std::string channel() const { return config.space + ":wake"; }
  std::vector<std::string> takeCommand(const std::string& jobId) const {
    return {"EVAL", std::string(kTake), "1", keyOf(jobId), config.instance, std::string(kLeaseMs)};
  }

  // On the home core.
  void onMessage(std::optional<std::string> message);
  static Async<void> renew(std::shared_ptr<Shared> self);

  redis::Client& client;
  const Executor home;
  const RedisLeasesConfig config;
  TaskGroup tasks;
  asio::steady_timer timer;
  std::atomic<bool> stopping = false;
  std::mutex mutex;
  std::unordered_set<std::string> held;  // bounded by the number of runs
  std::shared_ptr<std::function<void(std::vector<std::string>)>> listener;
};

void RedisLeases::Shared::onMessage(std::optional<std::string> message) {
  std::vector<std::string> ids;
  if (message && message->size() <= kMaxMessageBytes) {
    ids = linesOf(*message);
    if (ids.empty() || ids[0] == config.instance) return;
    ids.erase(ids.begin());
  }
  // Called without the mutex, which the listener may need for other calls of the leases.
  std::shared_ptr<std::function<void(std::vector<std::string>)>> current;
  {
    const std::lock_guard lock(mutex);
    current = listener;
  }
  if (current) (*current)(std::move(ids));
}

Async<void> RedisLeases::Shared::renew(std::shared_ptr<Shared> self) {
  while (!self->stopping) {
    self->timer.expires_after(kRenewEvery);
    if (self->stopping) co_return;
    boost::system::error_code ignored;
    co_await self->timer.async_wait(asio::redirect_error(useAwaitable, ignored));
    std::vector<std::string> ids;
    {
      const std::lock_guard lock(self->mutex);
      ids.assign(self->held.begin(), self->held.end());
    }
    for (const std::string& id : ids) self->client.send(self->takeCommand(id));
  }
}

RedisLeases::RedisLeases(redis::Client& client, Executor home, RedisLeasesConfig config)
    : shared_(std::make_shared<Shared>(client, home, std::move(config))) {
  client.subscribe(shared_->channel(),
                   [shared = shared_](std::optional<std::string> message) { shared->onMessage(std::move(message)); });
}

RedisLeases::~RedisLeases() {
  RedisLeases::stop();
}

void RedisLeases::start() {
  shared_->tasks.spawn(shared_->home, Shared::renew(shared_));
}

void RedisLeases::stop() {
  if (shared_->stopping.exchange(true) || shared_->tasks.running() == 0) return;
  asio::post(shared_->home, [shared = shared_] { shared->timer.cancel(); });
  shared_->tasks.closeAndWait(kStopLimit);
}

Async<bool> RedisLeases::take(std::string id) {
  auto shared = shared_;
  const auto reply = co_await shared->client.call(shared->takeCommand(id));
  const bool mine = reply ? reply->kind == redis::Reply::Kind::integer && reply->integer == 1 : shared->config.alone;
  if (!mine) co_return false;
  const std::lock_guard lock(shared->mutex);
  shared->held.insert(std::move(id));
  co_return true;
}

void RedisLeases::release(const std::string& id) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->held.erase(id);
  }
  shared_->client.send({"EVAL", std::string(kRelease), "1", shared_->keyOf(id), shared_->config.instance});
}

void RedisLeases::notify(const std::vector<std::string>& jobIds) {
  size_t at = 0;
  do {
    std::string message = shared_->config.instance;
    for (const size_t end = std::min(at + kIdsInMessage, jobIds.size()); at < end; ++at) message += '\n' + jobIds[at];
    shared_->client.send({"PUBLISH", shared_->channel(), std::move(message)});
  } while (at < jobIds.size());
}

std::shared_ptr<void> RedisLeases::listen(std::function<void(std::vector<std::string>)> listener) {
  auto added = std::make_shared<std::function<void(std::vector<std::string>)>>(std::move(listener));
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->listener = added;
  }
  return {added.get(), [shared = shared_, added](void*) {
            const std::lock_guard lock(shared->mutex);
            if (shared->listener == added) shared->listener.reset();
          }};
}

}  // namespace mb::jobs
