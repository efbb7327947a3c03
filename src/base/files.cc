#include "base/files.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace mb {

namespace {

constexpr size_t kPiece = 1 << 20;

Result<> writeAll(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fileError("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// The next piece of a file; empty at its end.
Result<std::string_view> readPiece(int fd, std::string& buffer, const std::filesystem::path& path) {
  buffer.resize(kPiece);
  ssize_t got = 0;
  do {
    got = ::read(fd, buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fileError("read", path);
  return std::string_view(buffer).substr(0, static_cast<size_t>(got));
}

Result<Descriptor> openToRead(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.open()) return fileError("read", path);
  return file;
}

// Reads a file piece by piece, passes the pieces to `take` and sums them.
template <class Take>
Result<Sum> pass(const std::filesystem::path& from, const OnBytes& onBytes, const Take& take) {
  TRY(const Descriptor file, openToRead(from));
  // The file is read once: it must not evict hot pages of other files from the page cache.
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  Sha256 sum;
  Sum out;
  std::string buffer;
  while (true) {
    TRY(const std::string_view piece, readPiece(file.get(), buffer, from));
    if (piece.empty()) break;
    sum.add(piece);
    RETURN_IF_ERROR(take(piece));
    ::posix_fadvise(file.get(), static_cast<off_t>(out.bytes), static_cast<off_t>(piece.size()), POSIX_FADV_DONTNEED);
    out.bytes += piece.size();
    if (!onBytes(piece.size())) return fail(ErrorCode::unavailable, "stopped");
  }
  out.sha256 = sum.finish();
  return out;
}

}  // namespace

std::unexpected<Error> fileError(std::string_view doing, const std::filesystem::path& path) {
  const ErrorCode code = errno == ENOENT ? ErrorCode::notFound : ErrorCode::internal;
  return fail(code, fmt::format("cannot {} {}: {}", doing, path.string(), std::generic_category().message(errno)));
}

Result<> syncDirectory(const std::filesystem::path& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.open() || ::fsync(opened.get()) != 0) return fileError("sync", directory);
  return {};
}

Result<> writeDurably(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path partial = path.string() + ".partial";
  {
    const Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.open()) return fileError("write", path);
    RETURN_IF_ERROR(writeAll(file.get(), text, path));
    if (::fsync(file.get()) != 0) return fileError("write", path);
  }
  if (::rename(partial.c_str(), path.c_str()) != 0) return fileError("write", path);
  return syncDirectory(path.parent_path().empty() ? "." : path.parent_path());
}

Result<> writeWhole(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path partial = path.string() + ".partial";
  ::unlink(partial.c_str());  // left behind by a killed process
  {
    const Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file.open()) return fileError("write", path);
    RETURN_IF_ERROR(writeAll(file.get(), text, path));
  }
  if (::rename(partial.c_str(), path.c_str()) != 0) return fileError("write", path);
  return {};
}

Result<std::string> readWhole(const std::filesystem::path& path, size_t maxBytes) {
  TRY(const Descriptor file, openToRead(path));
  std::string text;
  std::string buffer;
  while (true) {
    TRY(const std::string_view piece, readPiece(file.get(), buffer, path));
    if (piece.empty()) return text;
    text += piece;
    if (text.size() > maxBytes) return fail(ErrorCode::validation, fmt::format("{} is too large", path.string()));
  }
}

Result<std::string> readValue(const std::filesystem::path& path, size_t maxBytes) {
  TRY(std::string text, readWhole(path, maxBytes));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

Result<uint64_t> freeBytes(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::path at = std::filesystem::absolute(path, failed);
  while (at.has_relative_path() && !std::filesystem::exists(at, failed)) at = at.parent_path();
  struct statvfs space{};
  if (::statvfs(at.c_str(), &space) != 0) return fileError("read the free space of", at);
  return uint64_t{space.f_bavail} * space.f_frsize;
}

Result<Sum> copyFile(const std::filesystem::path& from, const std::filesystem::path& to, const OnBytes& onBytes) {
  const Descriptor file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.open()) return fileError("write", to);
  auto sum = pass(from, onBytes, [&](std::string_view piece) { return writeAll(file.get(), piece, to); });
  if (sum && ::fsync(file.get()) == 0) return sum;
  if (sum) sum = fileError("write", to);
  ::unlink(to.c_str());
  return sum;
}

Result<Sum> sumOf(const std::filesystem::path& path, const OnBytes& onBytes) {
  return pass(path, onBytes, [](std::string_view) { return Result<>(); });
}

Result<SummedFile> SummedFile::create(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.open()) return fileError("write", path);
  return SummedFile(path, std::move(file));
}

Result<> SummedFile::write(std::string_view bytes) {
  buffer_ += bytes;
  return buffer_.size() < kPiece ? Result<>() : flush();
}

Result<> SummedFile::flush() {
  RETURN_IF_ERROR(writeAll(file_.get(), buffer_, path_));
  sum_->add(buffer_);
  bytes_ += buffer_.size();
  buffer_.clear();
  return {};
}

Result<Sum> SummedFile::finish() {
  RETURN_IF_ERROR(flush());
  if (::fsync(file_.get()) != 0) return fileError("write", path_);
  return Sum{bytes_, sum_->finish()};
}

}  // namespace mb
