#include "store/own/connections.h"

#include <algorithm>

namespace mb::store::own {

namespace {

Connections::Time now() {
  return std::chrono::steady_clock::now();
}

bool responds(mongo::Connection& connection, const std::string& database) {
  doc::BsonWriter command;
  command.appendInt32("ping", 1);
  return connection.run(database, command.finish()).has_value();
}

}  // namespace

mongo::AddressCheck checkOf(const Address& address, const HostGuard& guard) {
  return [&guard, hasTls = address.hasTls](const sockaddr* candidate, socklen_t size) {
    return guard.permits(candidate, size) && (hasTls || guard.isListed(candidate, size));
  };
}

std::unique_ptr<mongo::Connection> Connections::take() {
  if (stopped_) return nullptr;
  Idle taken;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      taken = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (taken.connection && !breaker_.isOpen() && now() - taken.since < kTrustTime) return std::move(taken.connection);
  if (!taken.connection) taken.connection = make();
  if (!responds(*taken.connection, address_.database)) {
    breaker_.fail(now());
    return nullptr;
  }
  breaker_.succeed();
  return std::move(taken.connection);
}

std::unique_ptr<mongo::Connection> Connections::make() const {
  return std::make_unique<mongo::Connection>(address_.uri, checkOf(address_, guard_));
}

void Connections::giveBack(std::unique_ptr<mongo::Connection> connection) {
  connection->abort();
  if (stopped_) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back({std::move(connection), now()});
}

void Connections::closeIdle(Time before) {
  // Destroyed without the lock, since that waits for the server.
  std::vector<Idle> closed;
  const std::lock_guard lock(mutex_);
  const auto kept = std::ranges::find_if(idle_, [before](const Idle& idle) { return idle.since >= before; });
  closed.assign(std::move_iterator(idle_.begin()), std::move_iterator(kept));
  idle_.erase(idle_.begin(), kept);
}

bool Connections::hasIdle() const {
  const std::lock_guard lock(mutex_);
  return !idle_.empty();
}

}  // namespace mb::store::own
