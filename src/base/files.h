// Files that are there whole and on the disk, or not at all. Failures are lines to show.
#pragma once

#include <filesystem>
#include <functional>

#include "base/descriptor.h"
#include "base/sha256.h"

namespace mb {

// A failure that names the file and what the system says (errno).
std::unexpected<Error> fileError(std::string_view doing, const std::filesystem::path& path);
Result<> syncDirectory(const std::filesystem::path& directory);
// Under its final name only when it is whole and on the disk. Mode 0600.
Result<> writeDurably(const std::filesystem::path& path, std::string_view text);
// Under its final name only when it is whole; not synced. Mode 0666 less the umask. Follows no symbolic link in its own
// name, and replaces one.
Result<> writeWhole(const std::filesystem::path& path, std::string_view text);
// A file of at most `most` bytes.
Result<std::string> readWhole(const std::filesystem::path& path, size_t maxBytes);
// Bytes that the file system of `path` (or of its nearest parent that is there) has left for us.
Result<uint64_t> freeBytes(const std::filesystem::path& path);

struct Sum {
  uint64_t bytes = 0;
  std::string sha256;  // hex
};
// Told of bytes as they pass; false ends the work.
using OnBytes = std::function<bool(uint64_t)>;
// Copies into a new file (mode 0600), synced. Leaves nothing behind where it fails.
Result<Sum> copyFile(const std::filesystem::path& from, const std::filesystem::path& to, const OnBytes& onBytes);
Result<Sum> sumOf(const std::filesystem::path& path, const OnBytes& onBytes);

// A new file that is written piece by piece and summed on the way.
class SummedFile {
 public:
  static Result<SummedFile> create(const std::filesystem::path& path);
  Result<> write(std::string_view bytes);
  // Syncs; nothing is written after it.
  Result<Sum> finish();

 private:
  SummedFile(std::filesystem::path path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  Result<> flush();
  std::filesystem::path path_;
  Descriptor file_;
  std::string buffer_;
  std::unique_ptr<Sha256> sum_ = std::make_unique<Sha256>();
  uint64_t bytes_ = 0;
};

}  // namespace mb
