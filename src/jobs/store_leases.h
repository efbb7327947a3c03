// StoreLeases keeps leases in the store itself, for processes that share one without Redis: a record per lease, which
// names its holder. It ends with the holder's life (store/peers.h), so nothing is renewed.
#pragma once

#include <memory>

#include "base/cores.h"
#include "jobs/leases.h"
#include "store/peers.h"
#include "store/store.h"

namespace mb::jobs {

// In the control project.
inline constexpr store::CollectionNo kLeases = 71;
store::SystemCollection leaseCollection();

class StoreLeases final : public Leases {
 public:
  // References outlive it. `home`: of the work that no caller waits for.
  StoreLeases(store::DocumentStore& store, store::Peers& peers, Executor home);
  ~StoreLeases() override;

  Async<bool> take(std::string id) override;
  // The record is removed soon; until then this process alone can take the lease.
  void release(const std::string& id) override;
  void notify(const std::vector<std::string>& jobIds) override;
  std::shared_ptr<void> listen(std::function<void(std::vector<std::string>)> listener) override;

  void start() override;
  void stop() override;

  // Removes the records of ended holders, and those of this process that it does not hold: what commits with an unknown
  // outcome have left. start() calls it each minute.
  Task<> removeLeft();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace mb::jobs
