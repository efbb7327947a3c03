// Input: arbitrary bytes, or changes of a saved file, as the file of a vector index. The file gets a valid checksum, so
// that its content is read. Loading must not crash or use more memory than the bytes describe, and a loaded index must
// serve searches, changes and saves.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/sha256.h"
#include "vectors/index/vector_index.h"

namespace {

using mb::vectors::Hit;
using mb::vectors::VectorIndex;

void require(bool condition) {
  if (!condition) std::abort();
}

// A file in memory that has a path.
class File {
 public:
  File() : file_(::memfd_create("index", MFD_CLOEXEC)) { require(file_.open()); }
  std::string path() const { return fmt::format("/proc/self/fd/{}", file_.get()); }
  void fill(std::string_view text) {
    require(::ftruncate(file_.get(), 0) == 0);
    require(::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }

 private:
  mb::Descriptor file_;
};

// The output of save() without its checksum. `count`: 0 for an empty index, 1 for one vector, more for an index with
// removed vectors and free slots.
std::string saved(size_t count) {
  VectorIndex index({.dimensions = 3, .metric = count == 1 ? mb::vectors::Metric::dot : mb::vectors::Metric::cosine});
  for (size_t i = 0; i < count; ++i) {
    const auto at = static_cast<float>(i);
    require(index.put(fmt::format("id{}", i), std::vector<float>{1, at, 40 - at}).has_value());
  }
  for (size_t i = 2; i < count; i += 3) require(index.remove(fmt::format("id{}", i)));
  std::string folder = std::filesystem::temp_directory_path() / "vector_index_fuzz.XXXXXX";
  require(::mkdtemp(folder.data()) != nullptr);
  const std::filesystem::path file = std::filesystem::path(folder) / "index";
  require(index.save(file, "position").has_value());
  std::string text = mb::readWhole(file, 1 << 20).value();
  std::filesystem::remove_all(folder);
  text.resize(text.size() - mb::Sha256().finish().size());
  return text;
}

// The first byte selects whether the rest are the file's bytes, or changes of four bytes each to a saved file: kind of
// change, position (two bytes) and operand.
std::string fileOf(std::string_view input) {
  static const std::vector<std::string> kSaved{saved(0), saved(1), saved(40)};
  if (input.empty()) return {};
  const auto kind = static_cast<unsigned char>(input[0]) % 4U;
  input.remove_prefix(1);
  if (kind == 3) return std::string(input);
  std::string text = kSaved[kind];
  for (; input.size() >= 4 && !text.empty(); input.remove_prefix(4)) {
    const size_t at =
        (static_cast<unsigned char>(input[1]) + 256U * static_cast<unsigned char>(input[2])) % text.size();
    switch (static_cast<unsigned char>(input[0]) % 4U) {
      case 0:
        text[at] = input[3];
        break;
      case 1:
        text[at] = static_cast<char>(text[at] + input[3]);
        break;
      case 2:
        text.insert(at, static_cast<unsigned char>(input[3]), input[3]);
        break;
      default:
        text.erase(at, static_cast<unsigned char>(input[3]));
    }
  }
  return text;
}

void use(VectorIndex& index) {
  std::vector<float> vector(index.options().dimensions, 0.5F);
  const auto before = index.view();
  const auto all = before.exact(vector, {.limit = index.size() + 1});
  require(all && all->size() == index.size() && before.size() == index.size());
  require(before.walk(vector, {.limit = 20}).has_value());
  for (size_t i = 0; i < 80; ++i) {
    vector[0] = static_cast<float>(i);
    require(index.put(fmt::format("new{}", i % 50), vector).has_value());
    if (i < all->size()) require(index.remove((*all)[i].id) || (*all)[i].id.starts_with("new"));
  }
  require(before.exact(vector, {.limit = all->size() + 1})->size() == all->size());
  const auto after = index.view().exact(vector, {.limit = index.size() + 1});
  require(after && after->size() == index.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static File file;
  const std::string text = fileOf({reinterpret_cast<const char*>(data), size});
  file.fill(text);
  // Without a valid checksum the file must be refused.
  require(!VectorIndex::load(file.path()));
  mb::Sha256 sum;
  sum.add(text);
  file.fill(text + sum.finish());
  if (auto loaded = VectorIndex::load(file.path())) use(*loaded->index);
  return 0;
}
