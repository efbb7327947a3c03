// One kind of thing that a configuration document holds: collections, roles, sign-in providers, and whatever later
// modules add, each in a file of its own. Export, import, cloning and promotion know of nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configuration/problems.h"
#include "document/bson.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"

namespace mb::configuration {

// Something that has a name, as the document shows it, in canonical form (canonical_shape.h).
struct Entry {
  std::string name;
  doc::Value value;
};

enum class Action { create, update, unchanged };

// What an import makes of one entry.
struct Change {
  std::string name;
  Action action = Action::unchanged;
  std::optional<doc::Value> before;  // none where it is created
  doc::Value after;
};

// Who imports, and where to. A copy of the caller, so that it lives as long as the coroutines it is given to.
struct Target {
  policy::Caller caller;
  snapshot::SnapshotPtr project;
  store::Deadline deadline;
};

class ResourceKind {
 public:
  virtual ~ResourceKind() = default;

  // Which section it is (sections.h).
  virtual std::string_view section() const = 0;

  // Everything of this kind in the project, by name. No secrets, and nothing that another project does not mean.
  virtual Task<std::vector<Entry>> entries(snapshot::SnapshotPtr project) = 0;
  // Appends `entries` as the section; an array of them, unless the kind says otherwise.
  virtual void append(doc::BsonWriter& out, const std::vector<Entry>& entries) const;

  // The section of a document, and what it stands in.
  struct Source {
    doc::ValueView section;
    doc::DocumentView document;  // the whole, for what names other sections' entries
    snapshot::SnapshotPtr project;
    // Another project's shape as it is there: what could not be saved today is reported where it is applied.
    bool copied = false;
  };
  // What each entry of the section would be after the import, merged with what stands; never one that the section does
  // not name. Adds all that is wrong to `problems`, whose pointers begin at the document; what it then gives counts for
  // nothing. Must not hold the core for long (CooperativeYielder).
  virtual Task<std::vector<Entry>> merged(Source source, const std::vector<Entry>& current, Problems& problems) = 0;

  // The permissions that a change takes, beside config:manage.
  virtual std::vector<std::string> permissionsFor(const Change& change) const = 0;
  // Whether the caller may make this change, where that is more than a permission. Fails with forbidden.
  virtual Result<> mayApply(const policy::Caller& caller, const Change& change) const;

  // About how many bytes of the project's configuration an entry takes once it is stored.
  virtual uint64_t storedBytes(const snapshot::ProjectSnapshot& project, doc::ValueView entry) const;

  // Makes each `before` its `after` through the services that the admin routes use. Unchanged ones are not given. What
  // was done before a failure stays; the error names the entry.
  virtual Task<> apply(Target target, std::vector<Change> changes) = 0;
};

// Whether `value` can be an entry of a section: an object of a bearable size. Adds a problem otherwise.
bool isEntry(doc::ValueView value, const std::string& pointer, Problems& problems);

// Fails with unavailable once the time of an import is over.
Result<> checkTime(const Target& target);

// `error`, with the thing it happened to in front.
Error about(std::string_view thing, const Error& error);

// Lets others have the core where a loop has held it for some milliseconds.
class CooperativeYielder {
 public:
  Async<void> maybeYield();

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace mb::configuration
