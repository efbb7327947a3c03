// Looks into an owner's database: which collections it has, what is in them, and whether they can be used. Imports
// collections, and gives their documents ids. Created once by app/.
#pragma once

#include <functional>
#include <memory>

#include "data/collections.h"
#include "identity/project_access.h"
#include "introspection/backfill.h"
#include "introspection/collection_claims.h"
#include "introspection/index_plan.h"
#include "introspection/reading.h"
#include "introspection/report.h"
#include "store/own/databases.h"

namespace mb::introspection {

struct ImportBody {
  std::optional<std::string> name = {};
  std::optional<doc::Value> schema = {};  // an object, or false for none
  std::optional<bool> preImages = {};
  static constexpr auto shape() {
    return doc::shape<ImportBody>("IntrospectionImport", doc::field("name", &ImportBody::name),
                                  doc::field("schema", &ImportBody::schema),
                                  doc::field("preImages", &ImportBody::preImages));
  }
};

struct ImportWarning {
  std::string code;
  std::string message;
  static constexpr auto shape() {
    return doc::shape<ImportWarning>("ImportWarning", doc::field("code", &ImportWarning::code),
                                     doc::field("message", &ImportWarning::message));
  }
};

struct ImportReport {
  std::string collection;  // its name here
  std::string verdict;
  std::vector<ImportWarning> warnings;
  static constexpr auto shape() {
    return doc::shape<ImportReport>("ImportedCollection", doc::field("collection", &ImportReport::collection),
                                    doc::field("verdict", &ImportReport::verdict),
                                    doc::field("warnings", &ImportReport::warnings));
  }
};

struct BackfillBody {
  std::optional<int64_t> limit;
  static constexpr auto shape() {
    return doc::shape<BackfillBody>("BackfillBody", doc::field("limit", &BackfillBody::limit));
  }
};

// References outlive the module.
struct IntrospectionDeps {
  std::function<std::shared_ptr<store::own::Database>(store::ProjectNo)> database;  // null without one
  data::Collections& collections;
  store::DocumentStore& store;
  audit::Auditor& auditor;
};

// Every call fails with notFound where the project has no database of its own, and with unavailable while that cannot
// be reached. `collection` is a name there; notFound if it does not exist. The routes check the permissions
// introspect:read and introspect:manage; import() and backfill() fail with forbidden without collections:manage. Any
// core.
class Introspection {
 public:
  using Access = identity::ProjectAccess;

  explicit Introspection(IntrospectionDeps deps);

  Task<std::vector<Candidate>> list(Access access) const;
  // `sample`: at most this many documents, up to kMaxSample.
  Task<Report> report(Access access, std::string collection, size_t sample) const;
  // Makes it a collection of the project, with the schema that its documents have unless the body says otherwise.
  // Writes nothing to the database unless `preImages` is true. Fails with validation (name, schema), conflict (imported
  // already, name taken, incompatible: with the problems as details).
  Task<ImportReport> import(Access access, std::string collection, ImportBody body);
  // A call of backfillIds(), and once no document is without an id, the unique index. Fails with validation (the
  // limit), conflict (incompatible, documents with the same id, another call for the collection runs).
  Task<BackfillReport> backfill(Access access, std::string collection, BackfillBody body);

  // What would keep indexes from being made in the database, in the order of `planned`, as far as it can be found
  // within some seconds (index_plan.h); none in a project without a database of its own.
  Task<std::vector<IndexProblem>> indexProblems(snapshot::SnapshotPtr project,
                                                std::vector<PlannedIndexes> planned) const;
  // Adds the indexes that the database has besides those of the project, and marks all. No effect in a project without
  // a database of its own; while that cannot be reached, nothing is added. `collection`: its name here.
  Task<> addServerIndexes(Access access, std::string collection, std::vector<data::IndexView>& indexes) const;
  // The error of a drop of an index that the project does not have: conflict where the database has it, else `missing`.
  Async<Error> refusalOfDrop(Access access, std::string collection, std::string index, Error missing) const;
  // Drops collections in the database. Fails with invalidParam in a project without one, and with forbidden unless the
  // caller is an Owner.
  Result<data::Collections::DropData> dropper(Access access) const;

 private:
  using DatabasePtr = std::shared_ptr<store::own::Database>;
  using Claim = CollectionClaims::Claim;

  Result<DatabasePtr> databaseOf(const Access& access) const;
  // The indexes there that were not made here.
  Task<std::vector<data::IndexView>> serverIndexes(const Access& access, DatabasePtr database,
                                                   const std::string& collection) const;
  // Entered once the documents were changed.
  Task<> audit(const Access& access, const std::string& collection, const BackfillReport& report) const;
  // Fails with conflict where another call holds the collection.
  Result<Claim> claim(const Access& access, const std::string& collection) const;
  // Fails with conflict: imported already, or `name` is taken here.
  Result<> checkFree(const Access& access, const std::string& collection, const std::string& name) const;

  const IntrospectionDeps deps_;
  // Several processes may run the same call: a backfill then changes no document twice.
  const std::shared_ptr<CollectionClaims> claims_;
};

}  // namespace mb::introspection
