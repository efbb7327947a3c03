// Copies the change streams of databases of projects' owners into the change logs of these projects, so that
// subscribers, webhooks and functions follow what others change there. Created once by app/.
//
// Each project whose database has change streams has one follower among all processes (jobs/leases.h). One commit holds
// the entries of events and the token of the stream behind them, so a crash neither loses nor doubles any. Changes that
// were made here are logged as their pending writes say (store/own/pending_writes.h), others with the actor kind
// `external`. Where the stream cannot continue, one commit holds a gap, an audit entry and the token of a new stream.
#pragma once

#include <memory>

#include "audit/audit.h"
#include "base/cores.h"
#include "base/periodic_task.h"
#include "jobs/leases.h"
#include "store/main_store.h"
#include "store/own/databases.h"

namespace mb::own_changes {

// References outlive the copier.
struct CopierDeps {
  store::MainStore& store;
  store::own::Databases& databases;
  audit::Auditor& auditor;
  const Clock& clock;
  Cores& cores;
  jobs::Leases* leases;  // shared by the processes of one store; null if this is the only one
};

struct Followers;

class Copier {
 public:
  explicit Copier(CopierDeps deps);
  ~Copier();  // stop()

  // Finds new databases each second, until stopPasses().
  void start(const Executor& executor, TaskGroup& tasks);
  // Never blocks.
  void stopPasses();
  // Ends the followers; blocks for as long as a call to a database may last. Not from a core.
  void stop();

 private:
  Async<void> look();

  const std::shared_ptr<Followers> followers_;
  PeriodicTask passes_;
};

// For a project of a store that was restored from a backup and that no server has open: the copying begins with the
// changes from then on, and says that those since the backup were missed. Without effect where nothing was copied.
Task<> restartCopying(store::DocumentStore& store, store::ProjectNo project);

}  // namespace mb::own_changes
