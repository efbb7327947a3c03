#include "storage/local_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/log.h"
#include "base/sha256.h"

namespace mb::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIncoming = "incoming";
constexpr int kBlobFolders = 256;
// Bytes that an upload buffers before they are written; most files are smaller and need one write.
constexpr size_t kBuffer = 256 << 10;
// Limit of unsynced bytes, so that the last sync of a large file takes no longer than the others.
constexpr uint64_t kSyncEvery = 32 << 20;

std::string folderName(int number) {
  return fmt::format("{:02x}", number);
}

std::unexpected<Error> diskError(std::string_view doing, const fs::path& path) {
  const int reason = errno;
  Error error = fileError(doing, path).error().clone();
  const bool full = reason == ENOSPC || reason == EDQUOT || reason == EMFILE || reason == ENFILE;
  return fail(
      Error(full ? ErrorCode::unavailable : ErrorCode::internal,
            full ? "the server has no space for this file: try again later" : "something went wrong on the server")
          .withCause(error.message()));
}

// Creates the folder. Returns whether it was missing.
Result<bool> makeFolder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return true;
  if (errno != EEXIST) return fileError("make", path);
  return false;
}

}  // namespace

fs::path blobPath(std::string_view name) {
  return fs::path(kBlobsFolder) / name.substr(name.find('-') + 1, 2) / name;
}

Result<> makeBlobFolders(const fs::path& directory) {
  RETURN_IF_ERROR(makeFolder(directory));
  RETURN_IF_ERROR(makeFolder(directory / kBlobsFolder));
  bool missed = false;
  for (int i = 0; i < kBlobFolders; ++i) {
    TRY(const bool made, makeFolder(directory / kBlobsFolder / folderName(i)));
    missed = missed || made;
  }
  const auto sync = [&]() -> Result<> {
    RETURN_IF_ERROR(syncDirectory(directory / kBlobsFolder));
    RETURN_IF_ERROR(syncDirectory(directory));
    return syncDirectory(directory.parent_path());
  };
  // No sync is needed if all folders exist: the last one is created once the others are durable.
  if (missed) RETURN_IF_ERROR(sync());
  TRY(const bool first, makeFolder(directory / kIncoming));
  return first ? sync() : Result<>();
}

// Runs on the pool, except write() and finish() themselves; one call at a time.
class LocalStore::Writer final : public BlobWriter {
 public:
  Writer(LocalStore& store, BlobName name)
      : store_(store), name_(std::move(name)), coming_(store.directory_ / kIncoming / name_) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  // Removes an unfinished file; if that fails, the next start removes it.
  ~Writer() override {
    if (!made_ || finished_) return;
    store_.pool_.submit([path = coming_] { ::unlink(path.c_str()); });
  }

  Task<> write(std::string_view piece) override {
    buffer_.append(piece);
    if (buffer_.size() < kBuffer) co_return Result<>();
    co_return co_await store_.pool_.run([this] { return flush(); });
  }

  // The destructor removes the file.
  Task<> abandon() override { co_return Result<>(); }
  Task<std::string> finish() override {
    co_return co_await store_.pool_.run([this] { return publish(); });
  }

 private:
  Result<> flush() {
    if (!made_) {
      file_ = Descriptor(::open(coming_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
      if (!file_.open()) return diskError("make", coming_);
      made_ = true;
    }
    sum_.add(buffer_);
    for (size_t at = 0; at < buffer_.size();) {
      const ssize_t put = ::write(file_.get(), buffer_.data() + at, buffer_.size() - at);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return diskError("write", coming_);
      at += static_cast<size_t>(put);
    }
    unsynced_ += buffer_.size();
    buffer_.clear();
    if (unsynced_ >= kSyncEvery) RETURN_IF_ERROR(sync());
    return {};
  }

  Result<> sync() {
    if (::fdatasync(file_.get()) != 0) return diskError("sync", coming_);
    unsynced_ = 0;
    return {};
  }

  Result<std::string> publish() {
    RETURN_IF_ERROR(flush());
    RETURN_IF_ERROR(sync());
    const fs::path final = store_.directory_ / blobPath(name_);
    if (::rename(coming_.c_str(), final.c_str()) != 0) return diskError("make", final);
    finished_ = true;
    RETURN_IF_ERROR(syncDirectory(final.parent_path()));
    return sum_.finish();
  }

  LocalStore& store_;
  const BlobName name_;
  const fs::path coming_;
  Descriptor file_;
  std::string buffer_;
  Sha256 sum_;
  uint64_t unsynced_ = 0;
  bool made_ = false;
  bool finished_ = false;
};

Result<std::unique_ptr<LocalStore>> LocalStore::open(fs::path directory) {
  RETURN_IF_ERROR(makeBlobFolders(directory));
  std::error_code failed;
  for (const auto& left : fs::directory_iterator(directory / kIncoming, failed)) {
    std::error_code ignored;
    fs::remove(left.path(), ignored);
  }
  if (failed) {
    return fail(ErrorCode::internal, fmt::format("cannot read {}: {}", directory.string(), failed.message()));
  }
  return std::unique_ptr<LocalStore>(new LocalStore(std::move(directory)));
}

std::unique_ptr<BlobWriter> LocalStore::create(BlobName name) {
  return std::make_unique<Writer>(*this, std::move(name));
}

Task<std::shared_ptr<const Descriptor>> LocalStore::open(BlobName name) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto* found = open_.find(name)) co_return *found;
  }
  const fs::path path = directory_ / blobPath(name);
  CO_TRY(auto file, co_await pool_.run([path]() -> Result<std::shared_ptr<const Descriptor>> {
    auto opened = std::make_shared<Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (opened->open()) return std::shared_ptr<const Descriptor>(std::move(opened));
    if (errno == ENOENT) return fail(ErrorCode::notFound, "the blob does not exist");
    return diskError("open", path);
  }));
  const std::lock_guard lock(mutex_);
  open_.put(std::move(name), file);
  co_return file;
}

class LocalStore::Source final : public BlobSource {
 public:
  Source(LocalStore& store, BlobName name, uint64_t offset, uint64_t length)
      : store_(store), name_(std::move(name)), at_(offset), left_(length) {}

  Task<std::string_view> read() override {
    if (left_ == 0) co_return std::string_view();
    if (!file_) {
      CO_TRY(file_, co_await store_.open(name_));
    }
    co_return co_await store_.pool_.run([this] { return next(); });
  }

 private:
  Result<std::string_view> next() {
    piece_.resize(std::min<uint64_t>(left_, kBuffer));
    const ssize_t got = ::pread(file_->get(), piece_.data(), piece_.size(), static_cast<off_t>(at_));
    if (got == 0) errno = EIO;  // shorter than its record says: pread() does not set errno then
    if (got <= 0) return diskError("read", blobPath(name_));
    piece_.resize(static_cast<size_t>(got));
    at_ += piece_.size();
    left_ -= piece_.size();
    return std::string_view(piece_);
  }

  LocalStore& store_;
  const BlobName name_;
  std::shared_ptr<const Descriptor> file_;
  uint64_t at_;
  uint64_t left_;
  std::string piece_;
};

std::shared_ptr<BlobSource> LocalStore::source(BlobName name, uint64_t offset, uint64_t length) {
  return std::make_shared<Source>(*this, std::move(name), offset, length);
}

Task<> LocalStore::remove(std::vector<BlobName> names) {
  {
    const std::lock_guard lock(mutex_);
    for (const BlobName& name : names) open_.erase(name);
  }
  co_return co_await pool_.run([this, names = std::move(names)]() -> Result<> {
    for (const BlobName& name : names) {
      const fs::path path = directory_ / blobPath(name);
      if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fileError("remove", path);
    }
    return {};
  });
}

Task<BlobPage> LocalStore::list(std::string from) {
  co_return co_await pool_.run([this, from = std::move(from)]() -> Result<BlobPage> {
    const int number = from.empty() ? 0 : std::stoi(from, nullptr, 16);
    BlobPage page;
    const fs::path folder = directory_ / kBlobsFolder / folderName(number);
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      std::error_code gone;
      const uint64_t size = entry.file_size(gone);
      if (!gone) page.blobs.push_back({entry.path().filename().string(), size});
    }
    if (failed) return fail(ErrorCode::internal, fmt::format("cannot read {}: {}", folder.string(), failed.message()));
    if (number + 1 < kBlobFolders) page.next = folderName(number + 1);
    return page;
  });
}

}  // namespace mb::storage
