#include "store/mongo/connection_pool.h"

namespace mb::store::mongo {

ConnectionPool::ConnectionPool(std::string uri, int threads, Connection::SessionStarted started)
    : uri_(std::move(uri)),
      started_(std::move(started)),
      pool_("mongo", threads, {.waitingOfProject = 1024, .waiting = 4096}) {}

std::unique_ptr<Connection> ConnectionPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto taken = std::move(idle_.back());
      idle_.pop_back();
      return taken;
    }
  }
  return std::make_unique<Connection>(uri_, started_);
}

void ConnectionPool::giveBack(std::unique_ptr<Connection> connection) {
  connection->abort();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
}

Error ConnectionPool::late() {
  return Error(ErrorCode::unavailable, "the database takes too long: try again");
}

bool ConnectionPool::submit(ProjectNo project, std::move_only_function<void(Connection&)> job) {
  return pool_.submit(std::to_string(project), [this, job = std::move(job)]() mutable {
    const Lease lease(*this);
    job(*lease.connection);
  });
}

}  // namespace mb::store::mongo
