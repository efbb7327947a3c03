// The file of an index, in little-endian order:
//
//   magic "MBVINDEX", version u32, metric u32, dimensions u32, m u32, efConstruction u32, efSearch u32,
//   entry slot u32, root slot u32, slots u32, bytes of the position u32, position
//   a slot: state u8 (0 free, 1 live, 2 removed); where it is not free: level u8, bytes of the id u16 (0 of a removed
//   one), id,
//     for each level from 0 its list (count u16, slots u32...), the vector as f32
//   SHA-256 of all before it, as 64 hex digits
//
// A file is trusted only if its checksum is correct; memory allocated before that check is bounded by the file's size.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/sha256.h"
#include "vectors/index/graph_walk.h"

namespace mb::vectors {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied from memory as they are");

constexpr std::string_view kMagic = "MBVINDEX";
constexpr uint32_t kVersion = 1;
constexpr size_t kMaxPositionBytes = 64 << 10;
constexpr size_t kSumBytes = 64;
constexpr size_t kPiece = 1 << 20;

enum State : uint8_t { kFree = 0, kLive = 1, kRemoved = 2 };

// Writes to a temporary file, which finish() renames to its final name.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& file) : path_(file), partial_(file.string() + ".partial") {}
  ~Writer() {
    if (file_.open() && !named_) ::unlink(partial_.c_str());
  }

  Result<> open() {
    ::unlink(partial_.c_str());  // left by a crash
    file_ = Descriptor(::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    return file_.open() ? Result<>() : fileError("write", path_);
  }
  void bytes(const void* data, size_t size) {
    buffer_.append(static_cast<const char*>(data), size);
    if (buffer_.size() >= kPiece) flush();
  }
  template <class T>
  void number(T value) {
    bytes(&value, sizeof value);
  }
  // Writes the checksum. Call finish() after it.
  Result<> sum() {
    flush();
    buffer_ = sum_.finish();
    writeOut();
    errno = failed_;
    return failed_ == 0 ? Result<>() : fileError("write", path_);
  }
  // Syncs the file and renames it to its final name.
  Result<> finish() {
    if (::fsync(file_.get()) != 0) return fileError("write", path_);
    if (::rename(partial_.c_str(), path_.c_str()) != 0) return fileError("write", path_);
    named_ = true;
    return syncDirectory(path_.parent_path().empty() ? "." : path_.parent_path());
  }

 private:
  void flush() {
    sum_.add(buffer_);
    writeOut();
  }
  void writeOut() {
    std::string_view left = buffer_;
    while (!left.empty() && failed_ == 0) {
      const ssize_t written = ::write(file_.get(), left.data(), left.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        failed_ = written < 0 ? errno : EIO;
        break;
      }
      left.remove_prefix(static_cast<size_t>(written));
    }
    buffer_.clear();
  }

  std::filesystem::path path_;
  std::filesystem::path partial_;
  Descriptor file_;
  Sha256 sum_;
  std::string buffer_;
  int failed_ = 0;  // errno of the first failure
  bool named_ = false;
};

// Reads a file in pieces of kPiece bytes. After a failure failed() is true, and all reads return zeros.
class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about{};
    if (!file.open() || ::fstat(file.get(), &about) != 0) return fileError("read", path);
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    const auto size = static_cast<size_t>(about.st_size);
    return std::unique_ptr<Reader>(new Reader(std::move(file), size < kSumBytes ? 0 : size - kSumBytes));
  }

  bool failed() const { return failed_; }
  // Bytes before the checksum that were not read yet.
  size_t left() const { return left_; }
  void bytes(void* into, size_t size) {
    if (failed_ || size > left_) {
      failed_ = true;
      std::fill_n(static_cast<char*>(into), size, char{0});
      return;
    }
    left_ -= size;
    take(static_cast<char*>(into), size);
  }
  template <class T>
  T number() {
    T value{};
    bytes(&value, sizeof value);
    return value;
  }
  // Whether everything was read and the checksum is correct. Call it once.
  bool whole() {
    if (failed_ || left_ > 0) return false;
    const std::string wanted = sum_.finish();
    std::string found(kSumBytes, '\0');
    take(found.data(), found.size());
    return !failed_ && found == wanted;
  }

 private:
  Reader(Descriptor file, size_t left) : file_(std::move(file)), left_(left), unsummed_(left) {}

  void take(char* into, size_t size) {
    while (size > 0) {
      if (at_ == buffer_.size() && !refill()) {
        failed_ = true;
        std::fill_n(into, size, char{0});
        return;
      }
      const size_t part = std::min(size, buffer_.size() - at_);
      std::memcpy(into, buffer_.data() + at_, part);
      at_ += part;
      into += part;
      size -= part;
    }
  }
  bool refill() {
    buffer_.resize(kPiece);
    ssize_t got = 0;
    do {
      got = ::read(file_.get(), buffer_.data(), buffer_.size());
    } while (got < 0 && errno == EINTR);
    buffer_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    at_ = 0;
    const size_t summed = std::min(buffer_.size(), unsummed_);
    sum_.add(std::string_view(buffer_).substr(0, summed));
    unsummed_ -= summed;
    return got > 0;
  }

  Descriptor file_;
  size_t left_;
  size_t unsummed_;
  Sha256 sum_;
  std::string buffer_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

// Reads and writes the private members of a Graph.
class GraphFile {
 public:
  static void write(const Graph& graph, std::string_view position, Writer& out);
  // Null if the file does not hold a valid graph. Fails with unavailable if out of memory.
  static Result<std::shared_ptr<Graph>> read(Reader& in, std::string& position);

 private:
  static void writeSlot(const Graph& graph, Slot slot, Writer& out);
  static Result<bool> readSlot(Graph& graph, Reader& in);
  static bool finalize(Graph& graph, Slot entry, Slot root);
  static bool finalizeSlot(Graph& graph, Slot slot);
};

void GraphFile::write(const Graph& graph, std::string_view position, Writer& out) {
  out.bytes(kMagic.data(), kMagic.size());
  out.number(kVersion);
  out.number(static_cast<uint32_t>(graph.options_.metric));
  for (const size_t option :
       {graph.options_.dimensions, graph.options_.m, graph.options_.efConstruction, graph.options_.efSearch}) {
    out.number(static_cast<uint32_t>(option));
  }
  out.number(graph.entry_.load(std::memory_order_relaxed));
  out.number(graph.root_.load(std::memory_order_relaxed));
  out.number(static_cast<uint32_t>(graph.slots_.count()));
  out.number(static_cast<uint32_t>(position.size()));
  out.bytes(position.data(), position.size());
  for (Slot slot = 0; slot < graph.slots_.count(); ++slot) writeSlot(graph, slot, out);
}

void GraphFile::writeSlot(const Graph& graph, Slot slot, Writer& out) {
  const Node& node = graph.slots_.node(slot);
  const bool removed = graph.isRemoved(slot);
  out.number<uint8_t>(!node.linked ? kFree : removed ? kRemoved : kLive);
  if (!node.linked) return;
  out.number(node.level);
  const uint16_t idBytes = removed ? 0 : static_cast<uint16_t>(node.idBytes);
  out.number(idBytes);
  out.bytes(node.id, idBytes);
  for (int level = 0; level <= node.level; ++level) {
    const std::vector<Slot> list = Graph::read(graph.listOf(slot, level));
    out.number(static_cast<uint16_t>(list.size()));
    out.bytes(list.data(), list.size() * sizeof(Slot));
  }
  out.bytes(graph.slots_.vector(slot), graph.options_.dimensions * sizeof(float));
}

Result<std::shared_ptr<Graph>> GraphFile::read(Reader& in, std::string& position) {
  std::array<char, 8> magic{};
  in.bytes(magic.data(), magic.size());
  if (std::string_view(magic.data(), magic.size()) != kMagic || in.number<uint32_t>() != kVersion) return nullptr;
  const auto metric = in.number<uint32_t>();
  IndexOptions options{.dimensions = in.number<uint32_t>(), .metric = static_cast<Metric>(metric)};
  options.m = in.number<uint32_t>();
  options.efConstruction = in.number<uint32_t>();
  options.efSearch = in.number<uint32_t>();
  const auto entry = in.number<uint32_t>();
  const auto root = in.number<uint32_t>();
  const auto slots = in.number<uint32_t>();
  const auto positionBytes = in.number<uint32_t>();
  if (in.failed() || metric > static_cast<uint32_t>(Metric::euclidean) || !checkOptions(options)) return nullptr;
  // Each slot takes at least a byte, so no memory is allocated for more slots than the file can hold.
  if (positionBytes > kMaxPositionBytes || positionBytes > in.left() || slots > in.left()) return nullptr;
  position.resize(positionBytes);
  in.bytes(position.data(), position.size());

  auto graph = std::make_shared<Graph>(options);
  for (uint32_t slot = 0; slot < slots; ++slot) {
    TRY(const bool good, readSlot(*graph, in));
    if (!good) return nullptr;
  }
  if (!in.whole() || !finalize(*graph, entry, root)) return nullptr;
  return graph;
}

Result<bool> GraphFile::readSlot(Graph& graph, Reader& in) {
  const auto state = in.number<uint8_t>();
  const size_t floats = graph.options_.dimensions * sizeof(float);
  if (in.failed() || state > kRemoved || (state != kFree && in.left() < floats)) return false;
  const Slot slot = graph.slots_.grow();
  if (slot == kNoSlot) return fail(ErrorCode::unavailable, "out of memory for the index");
  if (state == kFree) {
    graph.free_.push_back(slot);
    return true;
  }
  const auto level = in.number<uint8_t>();
  const auto idBytes = in.number<uint16_t>();
  if (level > kMaxLevel || idBytes > kMaxIdBytes || (idBytes == 0) != (state == kRemoved)) return false;
  std::string id(idBytes, '\0');
  in.bytes(id.data(), id.size());
  if (!graph.furnish(slot, id, level)) return fail(ErrorCode::unavailable, "out of memory for the index");
  for (int at = 0; at <= level; ++at) {
    const Graph::List list = graph.listOf(slot, at);
    std::vector<Slot> others(in.number<uint16_t>());
    if (others.size() > list.capacity) return false;
    in.bytes(others.data(), others.size() * sizeof(Slot));
    for (size_t i = 0; i < others.size(); ++i) {
      if (others[i] == kNoSlot) return false;
      list.links[i].store(others[i], std::memory_order_relaxed);
    }
  }
  float* vector = graph.slots_.vector(slot);
  std::fill_n(vector, padded(graph.options_.dimensions), 0.0F);
  in.bytes(vector, floats);
  if (state == kRemoved) graph.markRemoved(slot, 0);
  return !in.failed();
}

// Derives from the slots what is not in the file; false if the slots are inconsistent.
bool GraphFile::finalize(Graph& graph, Slot entry, Slot root) {
  const size_t count = graph.slots_.count();
  for (const Slot start : {entry, root}) {
    if (start != kNoSlot && (start >= count || !graph.slots_.node(start).linked)) return false;
    if (start == kNoSlot && graph.linked_ > graph.removed_.size()) return false;
  }
  for (Slot slot = 0; slot < count; ++slot) {
    if (graph.slots_.node(slot).linked && !finalizeSlot(graph, slot)) return false;
  }
  graph.entry_.store(entry, std::memory_order_release);
  graph.growTree(root);
  return true;
}

bool GraphFile::finalizeSlot(Graph& graph, Slot slot) {
  Node& node = graph.slots_.node(slot);
  const std::span<const float> vector(graph.slots_.vector(slot), graph.options_.dimensions);
  if (!checkVector(graph.options_, vector)) return false;
  for (int level = 0; level <= node.level; ++level) {
    std::vector<Slot> others = Graph::read(graph.listOf(slot, level));
    std::ranges::sort(others);
    if (std::ranges::adjacent_find(others) != others.end()) return false;
    for (const Slot other : others) {
      if (other >= graph.slots_.count() || other == slot) return false;
      const Node& neighbour = graph.slots_.node(other);
      if (!neighbour.linked || neighbour.level < level) return false;
    }
  }
  if (graph.isRemoved(slot)) return true;
  node.added.store(0, std::memory_order_relaxed);
  const std::string_view id = graph.idOf(slot);
  if (graph.ids_.find(id)) return false;
  graph.ids_.set(id, slot);
  graph.live_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

Result<> Graph::save(const std::filesystem::path& file, std::string_view position) const {
  if (position.size() > kMaxPositionBytes) {
    return fail(ErrorCode::validation, fmt::format("a position must have at most {} bytes", kMaxPositionBytes));
  }
  Writer out(file);
  RETURN_IF_ERROR(out.open());
  {
    const std::lock_guard lock(writer_);
    GraphFile::write(*this, position, out);
  }
  RETURN_IF_ERROR(out.sum());
  return out.finish();
}

Result<std::shared_ptr<Graph>> Graph::load(const std::filesystem::path& file, std::string& position) {
  TRY(const std::unique_ptr<Reader> in, Reader::open(file));
  TRY(std::shared_ptr<Graph> graph, GraphFile::read(*in, position));
  if (!graph) return fail(ErrorCode::validation, fmt::format("{} is corrupt or of another version", file.string()));
  return graph;
}

}  // namespace mb::vectors
