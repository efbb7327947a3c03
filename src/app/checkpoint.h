// What a command reads of the whole store: a checkpoint inside the data directory, or on MongoDB the database itself.
#pragma once

#include "app/command.h"
#include "store/embedded/backup.h"

namespace mb::app {

class HeldCheckpoint {
 public:
  // Creates and opens one. On MongoDB it is of one moment while servers run. Fails with a message to print.
  static Result<HeldCheckpoint> make(Deployment& deployment);
  HeldCheckpoint(HeldCheckpoint&&) noexcept = default;
  HeldCheckpoint& operator=(HeldCheckpoint&&) = delete;
  ~HeldCheckpoint();
  const store::Image& image() const { return *image_; }
  // Of the checkpoint's files; "" on MongoDB.
  const std::filesystem::path& path() const { return path_; }
  // StoreImage::check(), or the check of the database.
  Result<store::CheckReport> check(Deployment& deployment, Progress& progress) const {
    return files_ != nullptr ? files_->check(progress) : deployment.store.check();
  }

 private:
  HeldCheckpoint() = default;
  std::filesystem::path path_;
  std::unique_ptr<store::Image> image_;
  const store::StoreImage* files_ = nullptr;  // the same; null on MongoDB
};

// Whether a server runs on the deployment, or was killed so shortly ago that it may still write. Blocks. Fails with
// unavailable.
Result<bool> serversRun(const Deployment& deployment);

// Removes checkpoints that a killed process left. REQUIRES: the store is open, which only one process can have.
void removeLeftCheckpoints(const std::filesystem::path& directory);

}  // namespace mb::app
