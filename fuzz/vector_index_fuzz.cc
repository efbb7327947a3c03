// Arbitrary bytes as the file of a vector index, with a right sum so that they are looked at: no crash, no more memory
// than the bytes stand for, and an index that is taken answers, changes and is saved as any other.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "base/descriptor.h"
#include "base/sha256.h"
#include "vectors/index/vector_index.h"

namespace {

using mb::vectors::Hit;
using mb::vectors::VectorIndex;

void require(bool condition) {
  if (!condition) std::abort();
}

// Through memory that has a path.
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
  std::string text(reinterpret_cast<const char*>(data), size);
  file.fill(text);
  // Without a right sum nothing is taken: an input would have to hold its own.
  require(!VectorIndex::load(file.path()));
  mb::Sha256 sum;
  sum.add(text);
  file.fill(text + sum.finish());
  if (auto loaded = VectorIndex::load(file.path())) use(*loaded->index);
  return 0;
}
