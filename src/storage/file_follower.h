// What else follows from an upload, in the same commit. Implemented by functions/.
#pragma once

#include "jobs/jobs.h"
#include "storage/storage_types.h"

namespace mb::storage {

class FileFollower {
 public:
  virtual ~FileFollower() = default;
  // Before the commit in which the file comes to be what it is: the jobs that go along. Any core.
  virtual Task<std::vector<store::Insert>> fileUploaded(store::ProjectNo project, std::string bucket,
                                                        FileRecord file) = 0;
};

}  // namespace mb::storage
