// The host's side of ctx.db, ctx.storage, ctx.integrations and ctx.lookup. All arguments come from a worker: they are
// untrusted and validated. See docs/functions.md, "Documents: `ctx.db`" and "Lookups in pre-hooks: `ctx.lookup`".
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>

#include "data/service_documents.h"
#include "functions/call_log.h"
#include "functions/file_calls.h"
#include "integrations/integrations.h"
#include "workers/workers.h"

namespace mb::functions {

// The backend of a bridge: the project itself, or the scratch database and stubs of a stored test.
class Host : public data::CollectionFinder {
 public:
  // Like integrations::Caller::call.
  virtual Task<doc::Value> integrate(std::string name, std::string op, doc::Document arguments,
                                     integrations::CallOptions options) = 0;
  virtual Task<FileHost> files() = 0;
};

// References outlive the host.
struct ProjectHostDeps {
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<data::CollectionTable> collections;
  integrations::Caller& integrations;
  storage::Files* const& files;  // null where the deployment has no files
};

// Reads the project's state at each call: calls fail once the project is suspended or deleted.
class ProjectHost final : public Host {
 public:
  // True once a call was refused because the project is suspended. Any thread.
  using Refusal = std::shared_ptr<std::atomic<bool>>;
  ProjectHost(ProjectHostDeps deps, ProjectId project, Refusal refused)
      : deps_(deps), project_(std::move(project)), refused_(std::move(refused)) {}

  Task<data::CollectionPtr> find(std::string name) override;
  Task<doc::Value> integrate(std::string name, std::string op, doc::Document arguments,
                             integrations::CallOptions options) override;
  Task<FileHost> files() override;

 private:
  Task<snapshot::SnapshotPtr> current();
  const ProjectHostDeps deps_;
  const ProjectId project_;
  const Refusal refused_;
};

// The bridge of one run. All calls are on one core.
//
//   db.find(collection, filter?, {limit?, skip?, sort?}?)             the documents, at most 1,000
//   db.findOne(collection, filter?, {skip?, sort?}?)                  the document, or null
//   db.count(collection, filter?)                                     a number
//   db.insertOne(collection, document)                                the document as it is stored
//   db.updateMany(collection, filter, update, {arrayFilters?}?)       {matchedCount, modifiedCount}
//   db.deleteMany(collection, filter)                                 {deletedCount}
//   integrations.call(name, op, arguments?)                           the operation's result
//   storage.…                                                         file_calls.h
//
// Of the kind lookup, which changes nothing, in their place:
//
//   lookup.get(collection, id)                                        the document, or null
//   lookup.findOne(collection, filter?)                               the document, or null
class RunBridge final : public workers::Bridge {
 public:
  struct Run {
    store::Actor actor;
    store::Deadline deadline;
    bool logged = true;      // whether its writes are in the change log
    std::string trace = {};  // of its writes and calls
    clone::BridgeKind kind = clone::BridgeKind::full;
    std::shared_ptr<CallLog> calls = {};  // null: its calls are not logged
  };
  // `documents` outlives the bridge.
  RunBridge(std::unique_ptr<Host> host, data::ServiceDocuments& documents, Run run)
      : host_(std::move(host)), documents_(documents), run_(std::move(run)) {}

  Task<doc::Value> call(std::string operation, doc::Document arguments) override;
  void settled() override { aborted_.request_stop(); }
  clone::BridgeKind kind() const override { return run_.kind; }

 private:
  Task<doc::Value> execute(std::string operation, doc::Document arguments);
  Task<doc::Value> find(doc::Document arguments, bool one);
  Task<doc::Value> get(doc::Document arguments);
  Task<doc::Value> lookUp(doc::Document arguments);
  Task<doc::Value> first(std::string collection, doc::Document filter);
  Task<doc::Value> count(doc::Document arguments);
  Task<doc::Value> insertOne(doc::Document arguments);
  Task<doc::Value> updateMany(doc::Document arguments);
  Task<doc::Value> deleteMany(doc::Document arguments);
  Task<doc::Value> integrate(doc::Document arguments);
  Task<doc::Value> callStorage(std::string operation, doc::Document arguments);
  static Task<doc::Value> unknown();
  data::ServiceAccess access() {
    return {*host_, run_.actor, run_.deadline, aborted_.get_token(), run_.logged, run_.trace};
  }

  const std::unique_ptr<Host> host_;
  data::ServiceDocuments& documents_;
  const Run run_;
  std::stop_source aborted_;
};

}  // namespace mb::functions
