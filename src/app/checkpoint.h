// A checkpoint of the store inside the data directory, while a command reads it.
#pragma once

#include "app/command.h"
#include "store/embedded/backup.h"

namespace mb::app {

class HeldCheckpoint {
 public:
  // Creates and opens one. Fails with a message to print.
  static Result<HeldCheckpoint> make(Deployment& deployment);
  HeldCheckpoint(HeldCheckpoint&&) noexcept = default;
  HeldCheckpoint& operator=(HeldCheckpoint&&) = delete;
  ~HeldCheckpoint();
  const store::StoreImage& image() const { return *image_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  HeldCheckpoint() = default;
  std::filesystem::path path_;
  std::unique_ptr<store::StoreImage> image_;
};

// Removes checkpoints that a killed process left. REQUIRES: the store is open, which only one process can have.
void removeLeftCheckpoints(const std::filesystem::path& directory);

}  // namespace mb::app
