// A FaultFileSystem is a file system for tests, between RocksDB and the real one. It can fail one call, be full, delay
// its syncs, and at a "power cut" lose unsynced data: bytes of files, and directory entries.
#pragma once

#include <rocksdb/file_system.h>

#include <array>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <shared_mutex>
#include <string>
#include <vector>

namespace mb::store::embedded {

class FaultFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using IOStatus = rocksdb::IOStatus;
  // `trash` is a directory of the same real file system, outside of the database: removed files are kept there until
  // their removal is synced.
  explicit FaultFileSystem(std::filesystem::path trash);
  const char* Name() const override { return "FaultFileSystem"; }

  // The number of calls that open, read, write, sync, rename, link, remove, list or measure files.
  uint64_t calls() const { return calls_; }
  // Fails that call (from 1), once; a failed write has written half of its data.
  void failCall(uint64_t number) { failAt_ = number; }
  // The failed call, such as "sync 000012.log"; empty if none failed.
  std::string failed() const;
  // Cuts the power at that call: unsynced data is lost, completely or in part depending on `seed`, and the process ends
  // with exit code kPowerCut.
  void cutPowerAt(uint64_t number, uint64_t seed);
  static constexpr int kPowerCut = 99;
  // From now on syncs succeed without effect, as on a lying disk.
  void lieAboutSyncs() { lies_ = true; }
  bool lies() const { return lies_; }
  // The result of GetFreeSpace; nullopt: the real one.
  void setFreeSpace(std::optional<uint64_t> bytes);
  // While true, syncs of files block.
  void holdSyncs(bool hold);

  IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* out, rocksdb::IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* out,
                               rocksdb::IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* out, rocksdb::IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* out, rocksdb::IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* out, rocksdb::IODebugContext* dbg) override;
  IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* out, rocksdb::IODebugContext* dbg) override;
  IOStatus GetChildren(const std::string& path, const rocksdb::IOOptions& options, std::vector<std::string>* out,
                       rocksdb::IODebugContext* dbg) override;
  IOStatus GetFileSize(const std::string& path, const rocksdb::IOOptions& options, uint64_t* out,
                       rocksdb::IODebugContext* dbg) override;
  IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* dbg) override;
  IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* dbg) override;
  IOStatus LinkFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                    rocksdb::IODebugContext* dbg) override;
  IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options, uint64_t* out,
                        rocksdb::IODebugContext* dbg) override;

  // ---- for its files
  enum class Call { open, read, write, sync, rename, link, remove, list, size };
  struct FileState {
    std::string path;
    uint64_t written = 0;
    uint64_t synced = 0;
  };
  // Counts the call and injects the requested fault. REQUIRES: no lock is held.
  IOStatus before(Call call, const std::string& path);
  // Held while a call runs on the real file system; excludes a power cut.
  std::shared_lock<std::shared_mutex> inPower() { return std::shared_lock(power_); }
  void waitForSyncs();
  void noteWritten(FileState& file, uint64_t size);
  void noteTruncated(FileState& file, uint64_t size);
  void noteSynced(FileState& file, uint64_t size);
  void noteDirectorySynced(const std::string& path);

 private:
  // A directory change that is not synced yet.
  struct Entry {
    enum class Kind { created, renamed, removed } kind;
    std::string directory;
    std::string path;
    std::string from;   // of a rename
    std::string saved;  // where the former file at `path` is kept; empty if there was no file
  };
  std::shared_ptr<FileState> track(const std::string& path, uint64_t size);
  std::string saveAway(const std::string& path);
  void note(Entry entry);
  [[noreturn]] void cutPower();
  void loseBytes(const FileState& file);
  void undo(const Entry& entry);

  const std::filesystem::path trash_;
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> failAt_{0};
  std::atomic<uint64_t> cutAt_{0};
  std::atomic<bool> lies_{false};
  std::mt19937_64 chance_;
  std::shared_mutex power_;

  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable syncsFlow_;
  bool holdSyncs_ = false;
  std::optional<uint64_t> freeSpace_;
  std::string failed_;
  uint64_t saved_ = 0;
  std::map<std::string, std::shared_ptr<FileState>> files_;  // files written through this object, by path
  std::vector<Entry> entries_;                               // oldest first
};

}  // namespace mb::store::embedded
