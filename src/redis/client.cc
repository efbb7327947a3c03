#include "redis/client.h"

#include <future>

#include "base/log.h"
#include "redis/connection.h"

namespace mb::redis {

namespace {

using ReplyResumer = Resumer<Result<Reply>>;

constexpr size_t kMaxPending = 1024;
constexpr std::chrono::seconds kSilence{1};
constexpr std::chrono::seconds kStopLimit{3};

std::unexpected<Error> unavailable() {
  return fail(ErrorCode::unavailable, "Redis is unavailable");
}

// Sends commands and matches their replies, in order.
class Pipeline final : public Connection {
 public:
  Pipeline(Executor home, Address address) : Connection(home, std::move(address), "commands") {}

  // Without `resumer` the reply is discarded.
  void submit(const std::vector<std::string>& command, ReplyResumer resumer) {
    if (pending_.size() < kMaxPending && Connection::send(command)) {
      pending_.push_back({std::move(resumer), Clock::now() + kReplyLimit});
    } else if (resumer) {
      resumer.resume(unavailable());
    }
  }

 private:
  struct Pending {
    ReplyResumer resumer;
    Clock::time_point until;
  };

  void onUp() override {}
  void onReply(Reply reply) override {
    if (pending_.empty()) return drop("a reply without a command");
    Pending pending = std::move(pending_.front());
    pending_.pop_front();
    lastReply_ = Clock::now();
    if (!pending.resumer) return;
    if (reply.kind == Reply::Kind::error) {
      pending.resumer.resume(
          fail(Error(ErrorCode::upstreamFailed, "Redis rejected a command").withCause(reply.text.substr(0, 200))));
    } else {
      pending.resumer.resume(std::move(reply));
    }
  }
  void onTick(Clock::time_point now) override {
    if (!pending_.empty() && now > pending_.front().until) return drop("no reply in time");
    if (pending_.empty() && now > lastReply_ + kSilence) submit({"PING"}, {});
  }
  void onDown() override {
    for (Pending& pending : std::exchange(pending_, {})) {
      if (pending.resumer) pending.resumer.resume(unavailable());
    }
  }

  std::deque<Pending> pending_;
  Clock::time_point lastReply_;
};

class Subscription final : public Connection {
 public:
  Subscription(Executor home, Address address, std::string channel,
               std::function<void(std::optional<std::string>)> onMessage)
      : Connection(home, std::move(address), "channel"),
        channel_(std::move(channel)),
        onMessage_(std::move(onMessage)) {}

 private:
  void onUp() override {
    lastReply_ = Clock::now();
    pingSentAt_.reset();
    Connection::send(std::vector<std::string>{"SUBSCRIBE", channel_});
  }
  void onReply(Reply reply) override {
    lastReply_ = Clock::now();
    pingSentAt_.reset();
    if (reply.kind != Reply::Kind::array || reply.items.empty()) return drop("not a channel message");
    const std::string& what = reply.items[0].text;
    if (what == "subscribe") onMessage_(std::nullopt);
    if (what == "message" && reply.items.size() == 3) onMessage_(std::move(reply.items[2].text));
  }
  void onTick(Clock::time_point now) override {
    if (pingSentAt_ && now > *pingSentAt_ + kReplyLimit) return drop("no reply in time");
    if (pingSentAt_ || now < lastReply_ + kSilence) return;
    pingSentAt_ = now;
    Connection::send(std::vector<std::string>{"PING"});
  }
  void onDown() override {}

  const std::string channel_;
  const std::function<void(std::optional<std::string>)> onMessage_;
  Clock::time_point lastReply_;
  std::optional<Clock::time_point> pingSentAt_;
};

}  // namespace

RedisSettings::RedisSettings(Settings& settings) {
  const auto url =
      settings.secret("REDIS_URL", "Redis, for wake-ups and leases between processes: redis://host:6379/0");
  if (!url || url->reveal().empty()) return;
  auto parsed = Address::parse(url->reveal());
  if (parsed) {
    address = *std::move(parsed);
  } else {
    settings.refuse("REDIS_URL", parsed.error().message());
  }
}

struct Client::Impl {
  const Executor home;
  const Address address;
  TaskGroup tasks;
  std::shared_ptr<Pipeline> pipeline;
  std::shared_ptr<Subscription> subscription;
};

Client::Client(Executor home, Address address)
    : impl_(new Impl{home, address, {}, std::make_shared<Pipeline>(home, address), nullptr}) {}

Client::~Client() {
  stop();
}

void Client::subscribe(std::string channel, std::function<void(std::optional<std::string>)> onMessage) {
  impl_->subscription =
      std::make_shared<Subscription>(impl_->home, impl_->address, std::move(channel), std::move(onMessage));
}

void Client::start() {
  impl_->pipeline->start(impl_->tasks);
  if (impl_->subscription) impl_->subscription->start(impl_->tasks);
}

void Client::stop() {
  if (impl_->tasks.running() == 0) return;
  finishSent();
  impl_->pipeline->stop();
  if (impl_->subscription) impl_->subscription->stop();
  if (!impl_->tasks.closeAndWait(kStopLimit)) logWarn("Redis connection did not close in time");
}

// Replies come in order. That to a last command comes once the others were carried out, or fails with the connection.
void Client::finishSent() {
  if (!up()) return;
  const auto replied = std::make_shared<std::promise<void>>();
  asio::post(impl_->home, [pipeline = impl_->pipeline, home = impl_->home, replied] {
    pipeline->submit({"PING"}, ReplyResumer(home, [replied](const Result<Reply>&) { replied->set_value(); }));
  });
  replied->get_future().wait_for(kStopLimit);
}

Task<Reply> Client::call(std::vector<std::string> command) {
  if (!up()) co_return unavailable();
  co_return co_await suspend<Result<Reply>>([&](ReplyResumer resumer) {
    asio::post(impl_->home,
               [pipeline = impl_->pipeline, command = std::move(command), resumer = std::move(resumer)]() mutable {
                 pipeline->submit(command, std::move(resumer));
               });
  });
}

void Client::send(std::vector<std::string> command) {
  if (!up()) return;
  asio::post(impl_->home,
             [pipeline = impl_->pipeline, command = std::move(command)] { pipeline->submit(command, {}); });
}

bool Client::up() const {
  return impl_->pipeline->up();
}

}  // namespace mb::redis
