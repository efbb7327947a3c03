#include "vectors/index/vector_index.h"

#include <cmath>

#include "vectors/index/graph.h"

namespace mb::vectors {

namespace {

Result<> checkBounds(std::string_view name, size_t value, size_t min, size_t max) {
  if (value >= min && value <= max) return {};
  return fail(ErrorCode::validation, fmt::format("{} must be {} to {}", name, min, max));
}

// A bound at which the distance of two vectors still fits a float.
constexpr double kMaxSquaredLength = 1e36;

}  // namespace

Result<> checkOptions(const IndexOptions& options) {
  RETURN_IF_ERROR(checkBounds("dimensions", options.dimensions, 1, kMaxDimensions));
  RETURN_IF_ERROR(checkBounds("m", options.m, 2, kMaxM));
  RETURN_IF_ERROR(checkBounds("efConstruction", options.efConstruction, 4, 4000));
  return checkBounds("efSearch", options.efSearch, 1, 10'000);
}

Result<> checkVector(const IndexOptions& options, std::span<const float> vector) {
  if (vector.size() != options.dimensions) {
    return fail(ErrorCode::validation,
                fmt::format("the vector must have {} dimensions, not {}", options.dimensions, vector.size()));
  }
  double squared = 0;
  for (const float value : vector) {
    if (!std::isfinite(value)) return fail(ErrorCode::validation, "the vector must have finite numbers only");
    squared += double{value} * value;
  }
  if (options.metric != Metric::cosine && squared > kMaxSquaredLength) {
    return fail(ErrorCode::validation, "the vector must not be longer than 1e18");
  }
  return {};
}

View::View(View&& other) noexcept
    : graph_(std::move(other.graph_)),
      epoch_(std::exchange(other.epoch_, nullptr)),
      asOf_(other.asOf_),
      size_(other.size_) {}

View& View::operator=(View&& other) noexcept {
  std::swap(graph_, other.graph_);
  std::swap(epoch_, other.epoch_);
  std::swap(asOf_, other.asOf_);
  std::swap(size_, other.size_);
  return *this;
}

View::~View() {
  if (epoch_ != nullptr) Epochs::leave(epoch_);
}

std::optional<Slot> View::slotOf(std::string_view id) const {
  return graph_->slotOf(id);
}

SlotSet View::slotsOf(std::span<const std::string> ids) const {
  SlotSet slots;
  for (const std::string& id : ids) {
    if (const std::optional<Slot> slot = slotOf(id)) slots.add(*slot);
  }
  return slots;
}

std::string_view View::idOf(Slot slot) const {
  return graph_->idOf(slot);
}

Result<std::vector<Hit>> View::nearest(std::span<const float> query, const Search& search) const {
  return graph_->scanIsCheaper(search, size_) ? exact(query, search) : walk(query, search);
}

Result<std::vector<Hit>> View::exact(std::span<const float> query, const Search& search) const {
  return graph_->scan(query, search, asOf_);
}

Result<std::vector<Hit>> View::walk(std::span<const float> query, const Search& search) const {
  return graph_->walk(query, search, asOf_);
}

VectorIndex::VectorIndex(const IndexOptions& options) : graph_(std::make_shared<Graph>(options)) {}
VectorIndex::VectorIndex(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}
VectorIndex::~VectorIndex() = default;

const IndexOptions& VectorIndex::options() const {
  return graph_->options();
}

Result<> VectorIndex::put(std::string_view id, std::span<const float> vector) {
  return graph_->put(id, vector);
}

bool VectorIndex::remove(std::string_view id) {
  return graph_->remove(id);
}

View VectorIndex::view() const {
  uint64_t asOf = 0;
  size_t size = 0;
  Epoch* epoch = graph_->enter(asOf, size);
  return {graph_, epoch, asOf, size};
}

size_t VectorIndex::size() const {
  return graph_->size();
}

size_t VectorIndex::bytes() const {
  return graph_->bytes();
}

size_t VectorIndex::memoryFor(const IndexOptions& options, size_t vectors, size_t idBytes) {
  // One in m vectors has another list of m links on the level above, and so on.
  const size_t upper = options.m * sizeof(Link) / (options.m - 1);
  return vectors * (Slots::strideOf(options.dimensions, 2 * options.m) + upper + idBytes + IdTable::kEntryBytes);
}

Result<> VectorIndex::save(const std::filesystem::path& file, std::string_view position) const {
  return graph_->save(file, position);
}

Result<VectorIndex::Loaded> VectorIndex::load(const std::filesystem::path& file) {
  std::string position;
  TRY(std::shared_ptr<Graph> graph, Graph::load(file, position));
  return Loaded{std::unique_ptr<VectorIndex>(new VectorIndex(std::move(graph))), std::move(position)};
}

}  // namespace mb::vectors
