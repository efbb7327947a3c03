// A Write names its documents, the inserts in the same commit, and its conditions; a WriteCallback computes the
// changes. Rules: docs/engine.md, "Writing".
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "document/bson.h"
#include "store/change_entry.h"
#include "store/store_types.h"

namespace mb::store {

// The access of a write to a document that it names.
enum class Access : uint8_t {
  write,  // may change it: locked exclusively from the read to the commit
  hold,   // reads it, and needs it unchanged until the commit: locked shared
  peek,   // reads it; other writes may change it before the commit
};

// A document of one Write; PreImages and Changes are indexed by it. Created by Write only.
class Target {
 public:
  size_t position() const { return position_; }

 private:
  friend class Write;
  explicit Target(size_t position) : position_(position) {}
  size_t position_;
};

struct WriteTarget {
  CollectionRef collection;
  std::string id;  // the document's `id` field
  // True for an id that IdGenerator created for this write. The store skips the existence read.
  bool idIsNew = false;
  Access access = Access::write;
};

inline constexpr size_t kMaxHeldBytes = 16 << 20;

struct Insert {
  CollectionRef collection;
  doc::Document document;
  // If a document with this id exists, the write fails with conflict, or keeps that document.
  enum class IfPresent : uint8_t { fail, keep } ifPresent = IfPresent::fail;
  // As WriteTarget::idIsNew.
  bool idIsNew = false;

  std::string id() const { return std::string(document.view().stringOr("id")); }
};
std::vector<std::string> idsOf(const std::vector<Insert>& inserts);

// A condition on documents outside the write, checked under the write's locks: no document of the collection, other
// than `except`, holds `value` at `path`. It is safe only if each writer of such a value holds a document that this
// write changes. An index on the path keeps it cheap.
struct Absence {
  std::string name;  // of the Violation in the write's error
  CollectionRef collection;
  std::string path;
  doc::Value value;
  std::string except = {};  // the id of a document that may hold it; "" for none
};

// The change of one document.
struct Change {
  enum class Kind { keep, put, remove } kind = Kind::keep;
  doc::Document after;  // of put; its `id` is the target's
  // Whether a put over an existing document is a "replace" instead of an "update" in the change log.
  bool replaces = false;

  static Change keep() { return {}; }
  static Change put(doc::Document document) { return {Kind::put, std::move(document), false}; }
  static Change replace(doc::Document document) { return {Kind::put, std::move(document), true}; }
  static Change remove() { return {Kind::remove, {}, false}; }
};

// The documents of a write as read under its locks; nullopt for one that does not exist.
class PreImages {
 public:
  // `versions`: of the documents, in the same order; 0 for one that does not exist.
  PreImages(std::span<const std::optional<doc::Document>> documents, std::span<const DocumentVersion> versions)
      : documents_(documents), versions_(versions) {}

  const std::optional<doc::Document>& operator[](Target target) const { return documents_[target.position()]; }
  DocumentVersion version(Target target) const { return versions_[target.position()]; }
  std::span<const std::optional<doc::Document>> all() const { return documents_; }

 private:
  std::span<const std::optional<doc::Document>> documents_;
  std::span<const DocumentVersion> versions_;
};

// The changes that a callback computes. Targets without a change stay as they are.
class Changes {
 public:
  explicit Changes(size_t targets) : changes_(targets) {}

  // Stores `after`; an update in the change log if the document existed.
  void put(Target target, doc::Document after) { changes_[target.position()] = Change::put(std::move(after)); }
  // The same, as a replacement in the change log.
  void replace(Target target, doc::Document after) { changes_[target.position()] = Change::replace(std::move(after)); }
  // No effect if the document does not exist.
  void remove(Target target) { changes_[target.position()] = Change::remove(); }
  void set(Target target, Change change) { changes_[target.position()] = std::move(change); }

  std::vector<Change>& all() { return changes_; }

 private:
  std::vector<Change> changes_;
};

// Computes the changes from the documents under the write's locks, on the caller's core. Must not wait. On error
// nothing is written and the error is the write's result.
//
// A store may run it several times, each time with the current documents and no changes yet; only the last run counts.
// So it takes its inputs by value or by reference to const, and reports only through its result (writeReturning).
using WriteCallback = std::move_only_function<Result<>(const PreImages& before, Changes& changes) const>;

// A document that is named twice keeps its position, with the stronger of both accesses. Name the targets in statements
// before the write is moved into a call: the order in which arguments are evaluated is not defined.
class Write {
 public:
  explicit Write(WriteOptions writeOptions) : options(std::move(writeOptions)) {}

  // A document that the callback may change.
  Target change(CollectionRef collection, std::string id) { return name({collection, std::move(id)}); }
  Target change(WriteTarget target) { return name(std::move(target)); }
  std::vector<Target> change(std::vector<WriteTarget> targets);
  // A document that does not exist: its id was created by IdGenerator for this write.
  Target create(CollectionRef collection, std::string id) { return name({collection, std::move(id), true}); }
  // A document that is read and stays unchanged until the commit. The held documents of a write's user collections have
  // at most kMaxHeldBytes together; above that the write fails with payloadTooLarge.
  Target hold(CollectionRef collection, std::string id) {
    return name({collection, std::move(id), false, Access::hold});
  }
  Target hold(WriteTarget target) { return hold(target.collection, std::move(target.id)); }
  // A document that is read; other writes may change it before the commit.
  Target peek(CollectionRef collection, std::string id) {
    return name({collection, std::move(id), false, Access::peek});
  }

  // Inserts the document in the same commit if the callback changes a document, or if there is no callback.
  void insert(Insert document) { inserts_.push_back(std::move(document)); }
  void insert(std::vector<Insert> documents);

  // Adds a change of a document of a user collection that another database holds to the change log of `project`, in the
  // same commit. All of one write are of one project, whose log the write then writes. The store sets the position, the
  // time and the trace.
  void log(ProjectNo project, ChangeEntry change) {
    loggedProject_ = project;
    logged_.push_back(std::move(change));
  }

  // Fails the write with conflict and a Violation of kind condition if such a document exists.
  void require(Absence condition) { conditions_.push_back(std::move(condition)); }

  // By Target::position().
  const std::vector<WriteTarget>& targets() const { return targets_; }
  std::vector<WriteTarget> takeTargets() { return std::move(targets_); }
  std::vector<Insert> takeInserts() { return std::move(inserts_); }
  std::vector<ChangeEntry> takeLogged() { return std::move(logged_); }
  // The project of the changes given to log(), else of its first document, whose change log it writes; 0 without any.
  ProjectNo project() const {
    if (loggedProject_ != 0) return loggedProject_;
    if (!targets_.empty()) return targets_.front().collection.project;
    return inserts_.empty() ? 0 : inserts_.front().collection.project;
  }
  const std::vector<Absence>& conditions() const { return conditions_; }

  WriteOptions options;

 private:
  Target name(WriteTarget target);
  std::optional<size_t> find(const WriteTarget& target);

  std::vector<WriteTarget> targets_;
  std::vector<Insert> inserts_;
  std::vector<Absence> conditions_;
  std::vector<ChangeEntry> logged_;
  ProjectNo loggedProject_ = 0;
  // The positions of the targets, from kMaxSearched targets on.
  std::map<std::tuple<ProjectNo, CollectionNo, std::string>, size_t> positions_;
};

// A callback that removes those of the documents that exist.
WriteCallback removing(std::vector<Target> targets);

// Fails with internal if there are more notices, or longer keys, than a write may have.
Result<> checkNotices(const std::vector<Notice>& notices);

// The errors of a write that a unique index, a condition or the limit of a counter refused.
Error uniqueViolation(const std::string& index, size_t target);
Error conditionViolation(const Absence& condition);
Error limitViolation(const std::string& counter, int64_t max);
// The error of a write that holds more than kMaxHeldBytes.
Error heldTooLarge();
// The unique index that refused a write; null if it failed for another reason.
const Violation* indexViolation(const Error& error);
// The condition that refused a write; null if it failed for another reason.
const Violation* refusedCondition(const Error& error);

struct WriteOutcome {
  uint64_t position = 0;  // of the write's last entry in the change log; 0 if it has none
  // By Target::position(), of the documents that the write stored, 0 for others; empty if it stored none with a
  // version.
  std::vector<DocumentVersion> versions = {};

  DocumentVersion version(Target target) const { return versions.empty() ? 0 : versions[target.position()]; }
};

}  // namespace mb::store
