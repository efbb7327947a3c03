// A checkpoint of the store inside the data directory, for as long as a command reads it.
#pragma once

#include "app/command.h"
#include "store/embedded/backup.h"

namespace mb::app {

class HeldCheckpoint {
 public:
  // Makes and opens one. Fails with a line to show.
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

// What a process that was killed left behind. Only with the store open, which one process has at a time.
void removeLeftCheckpoints(const std::filesystem::path& directory);

}  // namespace mb::app
