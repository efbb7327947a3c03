// A LiveIndex is the index of one field in memory, shared by its manager and by searches.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>

#include "base/async_condition.h"
#include "base/task.h"
#include "vectors/index/vector_index.h"
#include "vectors/vector_table.h"

namespace mb::vectors {

// Which field, of which collection and project.
struct FieldPlace {
  store::ProjectNo project = 0;
  store::CollectionNo collection = 0;
  VectorFieldPtr field;
};

enum class IndexState { loading, building, ready, failed, ended };
std::string_view stateName(IndexState state);

// The options that an index of the field is built with; search options are not part of it.
IndexOptions optionsOf(const FieldConfig& config);

class LiveIndex {
 public:
  LiveIndex(FieldPlace of, const std::filesystem::path& directory);

  const FieldPlace place;
  const IndexOptions options;
  const std::filesystem::path file;

  // ---- any thread
  IndexState state() const { return state_; }
  uint64_t position() const { return position_; }  // the change log position that the index has reached
  // Counts a commit of embeddings by this process, and wakes the manager's coroutine.
  void embedded();
  uint64_t commits() const { return commits_; }  // so counted
  // Whether it contains the changes up to a position, and the first `commits` commits of embeddings.
  bool contains(uint64_t position, uint64_t commits) const { return position_ >= position && applied_ >= commits; }
  // Whether it is neither being loaded nor built.
  bool settled() const;
  AsyncCondition changed;  // for predicates over state(), position() and contains()

  std::atomic<uint64_t> done{0};  // documents that a build has read, of `expected`
  std::atomic<uint64_t> expected{0};
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> vectors{0};
  std::atomic<int64_t> lastUsedMs{0};  // of the steady clock; 0: never searched
  std::atomic<bool> ending{false};
  std::atomic<bool> dropped{false};  // its file is deleted too

  std::shared_ptr<VectorIndex> index() const;
  void setIndex(std::shared_ptr<VectorIndex> index);
  std::string problem() const;
  // Sets the problem, and the state to failed.
  void failWith(std::string problem);
  std::chrono::steady_clock::time_point failedAt() const;

  // Wakes the manager's coroutine of this index.
  void wake();
  // For the manager's coroutine: waits until wake(); returns at once if wake() was called since the last wait.
  Async<void> waitForWake();

  std::atomic<uint64_t> unsaved{0};        // changes
  std::atomic<int64_t> unsavedSinceMs{0};  // 0: nothing is unsaved
  std::atomic<int64_t> noSaveBeforeMs{0};  // set by a failed save

  // ---- only for the manager's coroutine
  void setState(IndexState state);
  void setPosition(uint64_t position);
  void setApplied(uint64_t commits);
  std::string seq;  // of the last EmbeddingRow that the index contains

 private:
  std::atomic<IndexState> state_{IndexState::loading};
  std::atomic<uint64_t> position_{0};
  std::atomic<uint64_t> commits_{0};
  std::atomic<uint64_t> applied_{0};
  mutable std::mutex mutex_;
  std::shared_ptr<VectorIndex> index_;
  std::string problem_;
  std::chrono::steady_clock::time_point failedAt_;
  bool woken_ = false;
  Resumer<bool> waiting_;
};
using LiveIndexPtr = std::shared_ptr<LiveIndex>;

int64_t steadyMs();

}  // namespace mb::vectors
