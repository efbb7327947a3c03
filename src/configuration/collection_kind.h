// Collections: schema, policy with its tests, and indexes of each, and the project's default policy under the name "*".
#pragma once

#include <map>

#include "configuration/resource_kind.h"
#include "data/collections.h"
#include "introspection/introspection.h"

namespace mb::configuration {

class CollectionKind final : public ResourceKind {
 public:
  CollectionKind(data::Collections& collections, snapshot::SlotKey<data::CollectionTable> slot,
                 snapshot::Snapshots& snapshots, const introspection::Introspection* introspection)
      : collections_(collections), slot_(slot), snapshots_(snapshots), introspection_(introspection) {}

  std::string_view section() const override { return "collections"; }
  Task<std::vector<Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<Entry>> merged(Source source, const std::vector<Entry>& current, Problems& problems) override;
  std::vector<std::string> permissionsFor(const Change& change) const override;
  Result<> draft(ProjectDraft& draft, const std::vector<Change>& changes) const override;
  // Creates all collections before any schema is set, and sets all schemas and policies before any index.
  Task<> apply(Target target, std::vector<Change> changes) override;

 private:
  using Pointers = std::map<std::string, std::string, std::less<>>;

  // Adds a problem for each index that cannot be made in the database of the project's owner; `pointers`: of the
  // entries, by name.
  Task<> checkOwnDatabase(snapshot::SnapshotPtr project, const std::vector<Entry>& current,
                          const std::vector<Entry>& merged, const Pointers& pointers, Problems& problems) const;
  Task<> configure(Target target, const Change& change);
  Task<> setDefault(Target target, const Change& change);
  Task<> setIndexes(Target target, const Change& change);
  Task<> refresh(Target& target) const;

  data::Collections& collections_;
  const snapshot::SlotKey<data::CollectionTable> slot_;
  snapshot::Snapshots& snapshots_;
  const introspection::Introspection* const introspection_;  // null: no project has a database of its own
};

}  // namespace mb::configuration
