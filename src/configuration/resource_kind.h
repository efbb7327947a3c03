// One kind of resource in a configuration document: collections, roles, sign-in providers, and kinds of other modules,
// each in a separate file. Export, import, cloning and promotion use only this interface.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configuration/problems.h"
#include "data/policy_test_runs.h"
#include "document/bson.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"

namespace mb::configuration {

// A named entry of a document, in canonical form (canonical_form.h).
struct Entry {
  std::string name;
  doc::Value value;
};

enum class Action { create, update, unchanged };

// The effect of an import on one entry.
struct Change {
  std::string name;
  Action action = Action::unchanged;
  std::optional<doc::Value> before;  // nullopt where it is created
  doc::Value after;
};

// The caller of an import and its project. A copy of the caller, so that it lives as long as the coroutines that get
// it.
struct Target {
  policy::Caller caller;
  snapshot::SnapshotPtr project;
  store::Deadline deadline;
};

// Those that change something.
std::vector<Change> unfinished(std::vector<Change> changes);

// A project as it would be after an import, for its stored tests.
struct ProjectDraft {
  snapshot::SnapshotPtr project;
  data::PolicyDrafts policies;  // what takes the place of the project's
  data::PolicyTestsByCollection policyTests;
};

class ResourceKind {
 public:
  virtual ~ResourceKind() = default;

  // The name of its section (sections.h).
  virtual std::string_view section() const = 0;

  // All entries of this kind in the project, by name. Without secrets, and without values that are meaningless in
  // another project.
  virtual Task<std::vector<Entry>> entries(snapshot::SnapshotPtr project) = 0;
  // Appends `entries` as the section; by default as an array.
  virtual void append(doc::BsonWriter& out, const std::vector<Entry>& entries) const;

  // The section of a document, and the document.
  struct Source {
    doc::ValueView section;
    doc::DocumentView document;  // the whole, for references to other sections' entries
    snapshot::SnapshotPtr project;
    // A copy of another project's configuration: values that could not be saved now are reported when they are applied.
    bool copied = false;
    // Names of variables that have no value in the project are accepted.
    bool allowMissing = false;
  };
  // Each entry of the section after the import, merged with its current value; never an entry that the section does not
  // name. Adds all problems to `problems`, whose pointers begin at the document; with problems the result is ignored.
  // Must not hold the core for long (CooperativeYielder).
  virtual Task<std::vector<Entry>> merged(Source source, const std::vector<Entry>& current, Problems& problems) = 0;

  // The permissions that a change needs, in addition to config:manage.
  virtual std::vector<std::string> permissionsFor(const Change& change) const = 0;
  // Further conditions for this change beyond permissions. Fails with forbidden.
  virtual Result<> mayApply(const Target& target, const Change& change) const;

  // Puts the changes into the draft; unchanged entries are not passed. The default does nothing, as for kinds that no
  // stored test depends on.
  virtual Result<> draft(ProjectDraft& draft, const std::vector<Change>& changes) const;
  // The stored tests of this kind that fail in `drafted`, a project with the changes, of which unchanged ones are not
  // passed: a pointer and a message each. Only where the project's setting requireTests is on. The default has none.
  virtual Task<std::vector<ErrorDetail>> failingTests(snapshot::SnapshotPtr drafted, std::vector<Change> changes,
                                                      store::Deadline deadline);

  // The approximate size of an entry in the project's stored configuration.
  virtual uint64_t storedBytes(const snapshot::ProjectSnapshot& project, doc::ValueView entry) const;

  // Applies each change through the services that the admin routes use. Unchanged entries are not passed. Changes
  // before a failure stay; the error names the entry.
  virtual Task<> apply(Target target, std::vector<Change> changes) = 0;
};

// Whether `value` can be an entry of a section: an object of acceptable size. Adds a problem otherwise.
bool isEntry(doc::ValueView value, const std::string& pointer, Problems& problems);

// Fails with unavailable once the deadline of an import has passed.
Result<> checkTime(const Target& target);

// `error`, prefixed with the entry that it is about.
Error about(std::string_view thing, const Error& error);

// Yields the core where a loop has held it for some milliseconds.
class CooperativeYielder {
 public:
  Async<void> maybeYield();

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace mb::configuration
