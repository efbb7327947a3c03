#include "store/embedded/faults/fault_file_system.h"

#include <unistd.h>

#include "store/embedded/faults/fault_files.h"

namespace mb::store::embedded {

namespace fs = std::filesystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

constexpr std::array kCallNames = {"open", "read", "write", "sync", "rename", "link", "remove", "list", "size"};
constexpr uint64_t kSector = 512;

std::string directoryOf(const std::string& path) {
  return fs::path(path).lexically_normal().parent_path().string();
}

}  // namespace

FaultFileSystem::FaultFileSystem(fs::path trash) : FileSystemWrapper(FileSystem::Default()), trash_(std::move(trash)) {
  fs::create_directories(trash_);
}

std::string FaultFileSystem::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void FaultFileSystem::cutPowerAt(uint64_t number, uint64_t seed) {
  chance_.seed(seed);
  cutAt_ = number;
}

void FaultFileSystem::setFreeSpace(std::optional<uint64_t> bytes) {
  const std::lock_guard lock(mutex_);
  freeSpace_ = bytes;
}

void FaultFileSystem::holdSyncs(bool hold) {
  const std::lock_guard lock(mutex_);
  holdSyncs_ = hold;
  syncsFlow_.notify_all();
}

void FaultFileSystem::waitForSyncs() {
  std::unique_lock lock(mutex_);
  syncsFlow_.wait(lock, [this] { return !holdSyncs_; });
}

IOStatus FaultFileSystem::before(Call call, const std::string& path) {
  const uint64_t number = ++calls_;
  if (number == cutAt_) cutPower();
  if (number != failAt_) return IOStatus::OK();
  const std::string name = fs::path(path).filename().string();
  const std::lock_guard lock(mutex_);
  failed_ = std::string(kCallNames[static_cast<size_t>(call)]) + " " + name;
  return IOStatus::IOError("injected failure", failed_);
}

// ---- unsynced changes

std::shared_ptr<FaultFileSystem::FileState> FaultFileSystem::track(const std::string& path, uint64_t size) {
  const std::lock_guard lock(mutex_);
  auto& state = files_[path];
  state = std::make_shared<FileState>(FileState{path, size, size});
  return state;
}

void FaultFileSystem::noteWritten(FileState& file, uint64_t size) {
  const std::lock_guard lock(mutex_);
  file.written += size;
}

void FaultFileSystem::noteTruncated(FileState& file, uint64_t size) {
  const std::lock_guard lock(mutex_);
  file.written = size;
  file.synced = std::min(file.synced, size);
}

void FaultFileSystem::noteSynced(FileState& file, uint64_t size) {
  const std::lock_guard lock(mutex_);
  file.synced = std::max(file.synced, size);
}

void FaultFileSystem::note(Entry entry) {
  const std::lock_guard lock(mutex_);
  entries_.push_back(std::move(entry));
}

void FaultFileSystem::noteDirectorySynced(const std::string& path) {
  const std::string directory = directoryOf(path + "/entry");
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) {
    if (entry.directory != directory) return false;
    if (!entry.saved.empty()) {
      fs::remove(entry.saved);
      files_.erase(entry.saved);
    }
    return true;
  });
}

std::string FaultFileSystem::saveAway(const std::string& path) {
  const std::lock_guard lock(mutex_);
  std::string saved = (trash_ / std::to_string(++saved_)).string();
  if (::rename(path.c_str(), saved.c_str()) != 0) return {};
  if (const auto known = files_.extract(path); !known.empty()) {
    known.mapped()->path = saved;
    files_[saved] = known.mapped();
  }
  return saved;
}

void FaultFileSystem::loseBytes(const FileState& file) {
  if (file.written <= file.synced) return;
  const auto upTo = [this](uint64_t max) { return std::uniform_int_distribution<uint64_t>(0, max)(chance_); };
  const uint64_t unsynced = file.written - file.synced;
  const uint64_t kinds = upTo(3);
  const uint64_t kept = kinds == 0 ? 0 : kinds == 1 ? unsynced : upTo(unsynced);
  if (::truncate(file.path.c_str(), static_cast<off_t>(file.synced + kept)) != 0) return;
  if (kinds != 3 || kept == 0) return;
  // A sector that was lost while later ones were written.
  const uint64_t at = file.synced + upTo(kept - 1);
  const std::string hole(std::min(kSector, file.synced + kept - at), '\0');
  FILE* out = std::fopen(file.path.c_str(), "r+b");
  if (!out) return;
  std::fseek(out, static_cast<long>(at), SEEK_SET);
  std::fwrite(hole.data(), 1, hole.size(), out);
  std::fclose(out);
}

void FaultFileSystem::undo(const Entry& entry) {
  switch (entry.kind) {
    case Entry::Kind::created:
      ::unlink(entry.path.c_str());
      break;
    case Entry::Kind::renamed:
      ::rename(entry.path.c_str(), entry.from.c_str());
      break;
    case Entry::Kind::removed:
      break;
  }
  if (!entry.saved.empty()) ::rename(entry.saved.c_str(), entry.path.c_str());
}

void FaultFileSystem::cutPower() {
  // From now on no call reaches the real file system.
  power_.lock();
  mutex_.lock();
  for (const auto& [_, file] : files_) loseBytes(*file);
  // Directories keep the order of their changes: either all unsynced ones are lost, or the last of them.
  const bool all = chance_() % 2 == 0;
  const size_t keep = all ? 0 : chance_() % (entries_.size() + 1);
  while (entries_.size() > keep) {
    undo(entries_.back());
    entries_.pop_back();
  }
  ::_exit(kPowerCut);
}

// ---- calls

IOStatus FaultFileSystem::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSSequentialFile>* out, IODebugContext* dbg) {
  if (IOStatus status = before(Call::open, path); !status.ok()) return status;
  const auto held = inPower();
  IOStatus status = target()->NewSequentialFile(path, options, out, dbg);
  if (status.ok()) *out = faultySequentialFile(*this, path, std::move(*out));
  return status;
}

IOStatus FaultFileSystem::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                              std::unique_ptr<rocksdb::FSRandomAccessFile>* out, IODebugContext* dbg) {
  if (IOStatus status = before(Call::open, path); !status.ok()) return status;
  const auto held = inPower();
  IOStatus status = target()->NewRandomAccessFile(path, options, out, dbg);
  if (status.ok()) *out = faultyRandomAccessFile(*this, path, std::move(*out));
  return status;
}

IOStatus FaultFileSystem::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* out, IODebugContext* dbg) {
  if (IOStatus status = before(Call::open, path); !status.ok()) return status;
  const auto held = inPower();
  std::string saved;
  if (fs::exists(path)) saved = saveAway(path);
  IOStatus status = target()->NewWritableFile(path, options, out, dbg);
  if (!status.ok()) return status;
  note({Entry::Kind::created, directoryOf(path), path, {}, std::move(saved)});
  *out = faultyWritableFile(*this, track(path, 0), std::move(*out));
  return status;
}

IOStatus FaultFileSystem::ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                             std::unique_ptr<rocksdb::FSWritableFile>* out, IODebugContext* dbg) {
  if (IOStatus status = before(Call::open, path); !status.ok()) return status;
  const auto held = inPower();
  const bool existed = fs::exists(path);
  IOStatus status = target()->ReopenWritableFile(path, options, out, dbg);
  if (!status.ok()) return status;
  if (!existed) note({Entry::Kind::created, directoryOf(path), path, {}, {}});
  *out = faultyWritableFile(*this, track(path, fs::file_size(path)), std::move(*out));
  return status;
}

IOStatus FaultFileSystem::ReuseWritableFile(const std::string& path, const std::string& old,
                                            const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSWritableFile>* out, IODebugContext* dbg) {
  // The default implementation of the interface.
  if (IOStatus status = RenameFile(old, path, options.io_options, dbg); !status.ok()) return status;
  return NewWritableFile(path, options, out, dbg);
}

IOStatus FaultFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                       std::unique_ptr<rocksdb::FSDirectory>* out, IODebugContext* dbg) {
  if (IOStatus status = before(Call::open, path); !status.ok()) return status;
  const auto held = inPower();
  IOStatus status = target()->NewDirectory(path, options, out, dbg);
  if (status.ok()) *out = faultyDirectory(*this, path, std::move(*out));
  return status;
}

IOStatus FaultFileSystem::GetChildren(const std::string& path, const IOOptions& options, std::vector<std::string>* out,
                                      IODebugContext* dbg) {
  if (IOStatus status = before(Call::list, path); !status.ok()) return status;
  const auto held = inPower();
  return target()->GetChildren(path, options, out, dbg);
}

IOStatus FaultFileSystem::GetFileSize(const std::string& path, const IOOptions& options, uint64_t* out,
                                      IODebugContext* dbg) {
  if (IOStatus status = before(Call::size, path); !status.ok()) return status;
  const auto held = inPower();
  return target()->GetFileSize(path, options, out, dbg);
}

IOStatus FaultFileSystem::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* dbg) {
  if (IOStatus status = before(Call::remove, path); !status.ok()) return status;
  const auto held = inPower();
  if (!fs::exists(path)) return target()->DeleteFile(path, options, dbg);
  std::string saved = saveAway(path);
  if (saved.empty()) return IOStatus::IOError("cannot be removed", path);
  note({Entry::Kind::removed, directoryOf(path), path, {}, std::move(saved)});
  return IOStatus::OK();
}

IOStatus FaultFileSystem::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                     IODebugContext* dbg) {
  if (IOStatus status = before(Call::rename, to); !status.ok()) return status;
  const auto held = inPower();
  std::string saved;
  if (fs::exists(to)) saved = saveAway(to);
  IOStatus status = target()->RenameFile(from, to, options, dbg);
  if (!status.ok()) {
    if (!saved.empty()) fs::rename(saved, to);
    return status;
  }
  note({Entry::Kind::renamed, directoryOf(to), to, from, std::move(saved)});
  const std::lock_guard lock(mutex_);
  if (const auto known = files_.extract(from); !known.empty()) {
    known.mapped()->path = to;
    files_[to] = known.mapped();
  }
  return status;
}

IOStatus FaultFileSystem::LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                                   IODebugContext* dbg) {
  if (IOStatus status = before(Call::link, to); !status.ok()) return status;
  const auto held = inPower();
  IOStatus status = target()->LinkFile(from, to, options, dbg);
  if (status.ok()) note({Entry::Kind::created, directoryOf(to), to, {}, {}});
  return status;
}

IOStatus FaultFileSystem::GetFreeSpace(const std::string& path, const IOOptions& options, uint64_t* out,
                                       IODebugContext* dbg) {
  {
    const std::lock_guard lock(mutex_);
    if (freeSpace_) {
      *out = *freeSpace_;
      return IOStatus::OK();
    }
  }
  return target()->GetFreeSpace(path, options, out, dbg);
}

}  // namespace mb::store::embedded
