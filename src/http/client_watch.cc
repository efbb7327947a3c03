#include "http/client_watch.h"

namespace mb::http {

void ClientWatch::add(WatchedRequest& request) {
  request.since_ = round_;
  requests_.push_back(request);
  if (!armed_) arm();
}

void ClientWatch::stop() {
  stopped_ = true;
  timer_.cancel();
}

void ClientWatch::arm() {
  if (stopped_) return;
  armed_ = true;
  timer_.expires_after(kInterval);
  // An aborted wait is reported after this object is destroyed.
  timer_.async_wait([this](const boost::system::error_code& aborted) {
    if (!aborted) checkClients();
  });
}

// Requests that were added since the last round have not waited for an interval yet.
void ClientWatch::checkClients() {
  armed_ = false;
  const uint64_t now = round_++;
  for (int i = 0; i < kMaxChecksInARow && !requests_.empty() && requests_.front().since_ < now; ++i) {
    WatchedRequest& request = requests_.front();
    request.since_ = round_;
    requests_.splice(requests_.end(), requests_, requests_.begin());
    request.checkClient();
  }
  if (!requests_.empty()) arm();
}

}  // namespace mb::http
