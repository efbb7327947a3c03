// Further effects of an upload, in the same commit. Implemented by functions/.
#pragma once

#include "jobs/jobs.h"
#include "storage/storage_types.h"

namespace mb::storage {

class FileFollower {
 public:
  virtual ~FileFollower() = default;
  // Called before the commit that publishes the file, which `by` uploads. Returns the jobs to insert in it. Any core.
  virtual Task<std::vector<store::Insert>> fileUploaded(store::ProjectNo project, std::string bucket, FileRecord file,
                                                        store::Actor by) = 0;
};

}  // namespace mb::storage
