// The project snapshot: an immutable, shared, compiled copy of a project's whole configuration. Requests take a pointer
// and never re-read configuration. Modules fill typed slots; a change bumps the project's epoch, and the next access
// reloads the snapshot. See docs/architecture.md, "The snapshot", and docs/engine.md, "Caches of authority".
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/cores.h"
#include "base/id.h"
#include "document/shape.h"
#include "store/store.h"

namespace mb::snapshot {

enum class ProjectStatus { active, suspended, deleted };

// A project as the control plane stores it.
struct ProjectInfo {
  store::ProjectNo number = 0;
  ProjectId id;
  std::string slug;
  std::string name;
  ProjectStatus status = ProjectStatus::active;
  doc::Document record;  // the whole stored record, for the modules' own parts of it
};

// Loads a module's slot of the snapshot. load() reads the store and compiles; its failure is that of find(), since what
// the last snapshot grants may have been revoked.
class SlotSource {
 public:
  virtual ~SlotSource() = default;
  virtual Task<std::shared_ptr<const void>> load(ProjectInfo project) = 0;
};

// A typed handle: the index of a module's slot in every snapshot.
template <class T>
struct SlotKey {
  size_t index = 0;
};

class ProjectSnapshot {
 public:
  ProjectSnapshot(ProjectInfo info, uint64_t epoch, std::vector<std::shared_ptr<const void>> slots)
      : info_(std::move(info)), epoch_(epoch), slots_(std::move(slots)) {}
  const ProjectInfo& info() const { return info_; }
  uint64_t epoch() const { return epoch_; }
  template <class T>
  const T& get(SlotKey<T> key) const {
    return *static_cast<const T*>(slots_[key.index].get());
  }
  // The same with another value of one slot: a project as it would be.
  template <class T>
  std::shared_ptr<const ProjectSnapshot> with(SlotKey<T> key, std::shared_ptr<const T> value) const {
    auto changed = std::make_shared<ProjectSnapshot>(*this);
    changed->slots_[key.index] = std::move(value);
    return changed;
  }
  // The same with another record.
  std::shared_ptr<const ProjectSnapshot> withRecord(doc::Document record) const {
    auto changed = std::make_shared<ProjectSnapshot>(*this);
    changed->info_.record = std::move(record);
    return changed;
  }

 private:
  ProjectInfo info_;
  uint64_t epoch_;
  std::vector<std::shared_ptr<const void>> slots_;
};
using SnapshotPtr = std::shared_ptr<const ProjectSnapshot>;

// Looks up projects for Snapshots; implemented by projects/.
class ProjectDirectory {
 public:
  virtual ~ProjectDirectory() = default;
  // By id (proj_…) or slug; deleted ones are not found (nullopt).
  virtual Task<std::optional<ProjectInfo>> find(std::string idOrSlug) = 0;
  virtual Task<std::optional<ProjectInfo>> byNumber(store::ProjectNo number) = 0;
  // The only live root project; nullopt unless there is exactly one.
  virtual Task<std::optional<ProjectInfo>> onlyOne() = 0;
};

// Caches snapshots by project, a pointer per core, at most `capacity` projects in memory. A snapshot is used only while
// its epoch equals store.epoch(); otherwise it is reloaded, once for all concurrent callers.
class Snapshots {
 public:
  Snapshots(store::DocumentStore& store, Cores& cores, size_t capacity);
  ~Snapshots();
  void setDirectory(ProjectDirectory& directory);

  // Call at start-up, before any request.
  template <class T>
  SlotKey<T> addSlot(SlotSource& source) {
    return SlotKey<T>{addSource(source)};
  }

  // The current snapshot, or null when there is no such project or it is deleted. By id or slug.
  Task<SnapshotPtr> find(std::string idOrSlug);
  Task<SnapshotPtr> byNumber(store::ProjectNo number);
  Task<SnapshotPtr> onlyOne();
  // Does not wait: the snapshot where this core has a current one, else null (then call find).
  SnapshotPtr cached(std::string_view id);

 private:
  size_t addSource(SlotSource& source);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::snapshot
