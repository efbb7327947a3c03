#include "store/embedded/faults/fault_files.h"

namespace mb::store::embedded {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using Call = FaultFileSystem::Call;

namespace {

class SequentialFile final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  SequentialFile(FaultFileSystem& system, std::string path, std::unique_ptr<rocksdb::FSSequentialFile> real)
      : FSSequentialFileOwnerWrapper(std::move(real)), system_(system), path_(std::move(path)) {}
  IOStatus Read(size_t n, const IOOptions& options, rocksdb::Slice* result, char* scratch,
                IODebugContext* dbg) override {
    if (IOStatus status = system_.before(Call::read, path_); !status.ok()) return status;
    return FSSequentialFileOwnerWrapper::Read(n, options, result, scratch, dbg);
  }

 private:
  FaultFileSystem& system_;
  const std::string path_;
};

class RandomAccessFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  RandomAccessFile(FaultFileSystem& system, std::string path, std::unique_ptr<rocksdb::FSRandomAccessFile> real)
      : FSRandomAccessFileOwnerWrapper(std::move(real)), system_(system), path_(std::move(path)) {}
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, rocksdb::Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    if (IOStatus status = system_.before(Call::read, path_); !status.ok()) return status;
    return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result, scratch, dbg);
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* dbg) override {
    if (IOStatus status = system_.before(Call::read, path_); !status.ok()) return status;
    return FSRandomAccessFileOwnerWrapper::MultiRead(requests, count, options, dbg);
  }

 private:
  FaultFileSystem& system_;
  const std::string path_;
};

class WritableFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WritableFile(FaultFileSystem& system, std::shared_ptr<FaultFileSystem::FileState> state,
               std::unique_ptr<rocksdb::FSWritableFile> real)
      : FSWritableFileOwnerWrapper(std::move(real)), system_(system), state_(std::move(state)), path_(state_->path) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    if (IOStatus failure = system_.before(Call::write, path_); !failure.ok()) {
      static_cast<void>(append({data.data(), data.size() / 2}, options, dbg));
      return failure;
    }
    return append(data, options, dbg);
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override {
    const auto held = system_.inPower();
    IOStatus status = FSWritableFileOwnerWrapper::Truncate(size, options, dbg);
    if (status.ok()) system_.noteTruncated(*state_, size);
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return sync([&] { return FSWritableFileOwnerWrapper::Sync(options, dbg); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return sync([&] { return FSWritableFileOwnerWrapper::Fsync(options, dbg); });
  }

 private:
  IOStatus append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* dbg) {
    const auto held = system_.inPower();
    IOStatus status = FSWritableFileOwnerWrapper::Append(data, options, dbg);
    if (status.ok()) system_.noteWritten(*state_, data.size());
    return status;
  }
  IOStatus sync(const std::function<IOStatus()>& real) {
    if (IOStatus failure = system_.before(Call::sync, path_); !failure.ok()) return failure;
    system_.waitForSyncs();
    const auto held = system_.inPower();
    // Data that is written during the sync is not covered by it.
    const uint64_t written = state_->written;
    IOStatus status = real();
    if (status.ok() && !system_.lies()) system_.noteSynced(*state_, written);
    return status;
  }

  FaultFileSystem& system_;
  const std::shared_ptr<FaultFileSystem::FileState> state_;
  const std::string path_;  // at the time of opening
};

class Directory final : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(FaultFileSystem& system, std::string path, std::unique_ptr<rocksdb::FSDirectory> real)
      : FSDirectoryWrapper(std::move(real)), system_(system), path_(std::move(path)) {}
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return sync([&] { return FSDirectoryWrapper::Fsync(options, dbg); });
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* dbg,
                               const rocksdb::DirFsyncOptions& how) override {
    return sync([&] { return FSDirectoryWrapper::FsyncWithDirOptions(options, dbg, how); });
  }

 private:
  IOStatus sync(const std::function<IOStatus()>& real) {
    if (IOStatus failure = system_.before(Call::sync, path_); !failure.ok()) return failure;
    const auto held = system_.inPower();
    IOStatus status = real();
    if (status.ok() && !system_.lies()) system_.noteDirectorySynced(path_);
    return status;
  }

  FaultFileSystem& system_;
  const std::string path_;
};

}  // namespace

std::unique_ptr<rocksdb::FSSequentialFile> faultySequentialFile(FaultFileSystem& system, std::string path,
                                                                std::unique_ptr<rocksdb::FSSequentialFile> real) {
  return std::make_unique<SequentialFile>(system, std::move(path), std::move(real));
}
std::unique_ptr<rocksdb::FSRandomAccessFile> faultyRandomAccessFile(FaultFileSystem& system, std::string path,
                                                                    std::unique_ptr<rocksdb::FSRandomAccessFile> real) {
  return std::make_unique<RandomAccessFile>(system, std::move(path), std::move(real));
}
std::unique_ptr<rocksdb::FSWritableFile> faultyWritableFile(FaultFileSystem& system,
                                                            std::shared_ptr<FaultFileSystem::FileState> state,
                                                            std::unique_ptr<rocksdb::FSWritableFile> real) {
  return std::make_unique<WritableFile>(system, std::move(state), std::move(real));
}
std::unique_ptr<rocksdb::FSDirectory> faultyDirectory(FaultFileSystem& system, std::string path,
                                                      std::unique_ptr<rocksdb::FSDirectory> real) {
  return std::make_unique<Directory>(system, std::move(path), std::move(real));
}

}  // namespace mb::store::embedded
