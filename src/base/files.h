// Files that are complete and durable under their name, or do not exist. Error messages are complete lines.
#pragma once

#include <filesystem>
#include <functional>

#include "base/descriptor.h"
#include "base/sha256.h"

namespace mb {

// A failure that names the file and the system's error (errno).
std::unexpected<Error> fileError(std::string_view doing, const std::filesystem::path& path);
Result<> syncDirectory(const std::filesystem::path& directory);
// Writes a file that gets its final name only when it is complete and synced. Mode 0600.
Result<> writeDurably(const std::filesystem::path& path, std::string_view text);
// Writes a file that gets its final name only when it is complete; not synced. Mode 0666 less the umask. Does not
// follow a symbolic link in its own name, and replaces one.
Result<> writeWhole(const std::filesystem::path& path, std::string_view text);
// Reads a file of at most `maxBytes` bytes; fails with validation for a larger one.
Result<std::string> readWhole(const std::filesystem::path& path, size_t maxBytes);
// The same without the line breaks at its end, for a file that holds one value.
Result<std::string> readValue(const std::filesystem::path& path, size_t maxBytes);
// Free bytes for this process on the file system of `path` (or of its nearest existing parent).
Result<uint64_t> freeBytes(const std::filesystem::path& path);

struct Sum {
  uint64_t bytes = 0;
  std::string sha256;  // hex
};
// Called with the number of bytes read so far; false stops the work.
using OnBytes = std::function<bool(uint64_t)>;
// Copies into a new file (mode 0600) and syncs it. On failure the new file is removed.
Result<Sum> copyFile(const std::filesystem::path& from, const std::filesystem::path& to, const OnBytes& onBytes);
Result<Sum> sumOf(const std::filesystem::path& path, const OnBytes& onBytes);

// A new file that is written piece by piece and summed while it is written.
class SummedFile {
 public:
  static Result<SummedFile> create(const std::filesystem::path& path);
  Result<> write(std::string_view bytes);
  // Syncs. Must be the last call.
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
