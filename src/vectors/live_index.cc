#include "vectors/live_index.h"

namespace mb::vectors {

namespace {

Metric metricOf(const FieldConfig& config) {
  if (config.metric == "dot") return Metric::dot;
  if (config.metric == "euclidean") return Metric::euclidean;
  return Metric::cosine;
}

// The name contains the options, so that a file is never loaded with other options.
std::string fileName(const VectorField& field, const IndexOptions& options) {
  return fmt::format("{}-{}-{}-{}-{}.hnsw", field.id, static_cast<int>(options.metric), options.dimensions, options.m,
                     options.efConstruction);
}

}  // namespace

std::string_view stateName(IndexState state) {
  switch (state) {
    case IndexState::loading:
      return "loading";
    case IndexState::building:
      return "building";
    case IndexState::ready:
      return "ready";
    case IndexState::failed:
      return "failed";
    case IndexState::ended:
      break;
  }
  return "unloaded";
}

IndexOptions optionsOf(const FieldConfig& config) {
  IndexOptions options;
  options.dimensions = static_cast<size_t>(config.dimensions);
  options.metric = metricOf(config);
  if (config.index && config.index->m) options.m = static_cast<size_t>(*config.index->m);
  if (config.index && config.index->efConstruction) {
    options.efConstruction = static_cast<size_t>(*config.index->efConstruction);
  }
  return options;
}

int64_t steadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

LiveIndex::LiveIndex(FieldPlace of, const std::filesystem::path& directory)
    : place(std::move(of)),
      options(optionsOf(place.field->config)),
      file(directory / std::to_string(place.project) / fileName(*place.field, options)) {}

bool LiveIndex::settled() const {
  const IndexState state = state_;
  return state != IndexState::loading && state != IndexState::building;
}

void LiveIndex::setState(IndexState state) {
  if (state_.exchange(state) != state) changed.notifyAll();
}

void LiveIndex::setPosition(uint64_t position) {
  if (position_.exchange(position) != position) changed.notifyAll();
}

void LiveIndex::setApplied(uint64_t commits) {
  if (applied_.exchange(commits) != commits) changed.notifyAll();
}

void LiveIndex::embedded() {
  // An index of a field in mode manual reads no embeddings, so that it would never contain them.
  if (place.field->automatic) ++commits_;
  wake();
}

std::shared_ptr<VectorIndex> LiveIndex::index() const {
  const std::scoped_lock lock(mutex_);
  return index_;
}

void LiveIndex::setIndex(std::shared_ptr<VectorIndex> index) {
  const std::scoped_lock lock(mutex_);
  index_ = std::move(index);
}

std::string LiveIndex::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

void LiveIndex::failWith(std::string problem) {
  {
    const std::scoped_lock lock(mutex_);
    problem_ = std::move(problem);
    failedAt_ = std::chrono::steady_clock::now();
  }
  setState(IndexState::failed);
}

std::chrono::steady_clock::time_point LiveIndex::failedAt() const {
  const std::scoped_lock lock(mutex_);
  return failedAt_;
}

void LiveIndex::wake() {
  const std::scoped_lock lock(mutex_);
  woken_ = true;
  if (!waiting_) return;
  Resumer<bool> resumer = std::move(waiting_);
  waiting_ = {};
  resumer.resume(true);
}

Async<void> LiveIndex::waitForWake() {
  co_await suspend<bool>([this](Resumer<bool> resumer) {
    const std::scoped_lock lock(mutex_);
    if (woken_) {
      resumer.resume(true);
    } else {
      waiting_ = std::move(resumer);
    }
  });
  const std::scoped_lock lock(mutex_);
  woken_ = false;
}

}  // namespace mb::vectors
