// The check of a database: change logs against the heads of their projects, and counts against documents.
#pragma once

#include "store/main_store.h"
#include "store/mongo/project_states.h"
#include "store/mongo/transaction.h"

namespace mb::store::mongo {

// Servers may write at the same time. Blocks; for one thread.
class StoreCheck {
 public:
  // All outlive it.
  StoreCheck(Connection& connection, const Names& names, const ProjectStates& states)
      : connection_(connection), names_(names), states_(states) {}

  // What could not be read is a problem of the report.
  CheckReport run();

 private:
  using Rows = std::vector<doc::Document>;
  struct Compared {
    CollectionStats counted;
    CollectionStats is;
    std::vector<std::string> corrupt;
  };
  // Runs a command inside or outside a transaction.
  using Run = std::function<Outcome<doc::Document>(const std::string& database, doc::DocumentView command)>;

  Outcome<> checkProject(ProjectNo project);
  Outcome<> checkLog(ProjectNo project);
  Outcome<> compareLog(ProjectNo project);
  Outcome<> checkCount(ProjectNo project, CollectionNo collection);
  // Without a transaction, whose time the server limits: nullopt where the count changed while documents were read.
  Outcome<std::optional<Compared>> compareSettled(ProjectNo project, CollectionNo collection);
  Outcome<Compared> compareInTransaction(ProjectNo project, CollectionNo collection);
  Outcome<> readDocuments(const Run& run, ProjectNo project, CollectionNo collection, Compared& into) const;
  Outcome<Rows> rows(const Run& run, std::string_view collection, doc::DocumentView command) const;
  // Whether a collection and its project are there still.
  Outcome<bool> exists(ProjectNo project, CollectionNo collection) const;
  Outcome<doc::Document> read(const std::string& database, doc::DocumentView command) const {
    return connection_.read(database, command);
  }
  void add(std::string problem);

  Connection& connection_;
  const Names& names_;
  const ProjectStates& states_;
  CheckReport report_;
};

}  // namespace mb::store::mongo
