// A LogTrimmer raises the low-water marks of the change logs past entries that exceed the age or size to keep. The
// log's compaction filter drops the entries below a mark. A mark never passes an entry that a document of
// SystemCollection::logFloor keeps. One thread.
#pragma once

#include "store/change_feed.h"
#include "store/embedded/catalogue.h"

namespace mb::store::embedded {

class LogTrimmer {
 public:
  LogTrimmer(Database& database, const Catalogue& catalogue, const EmbeddedSettings& settings)
      : database_(database), catalogue_(catalogue), settings_(settings) {}

  void run(Timestamp now);

 private:
  struct Held {
    ProjectState* project;
    uint64_t last;   // entries after it must be kept
    uint64_t bytes;  // logged after the low-water mark
  };
  // Where documents keep entries: the lowest position of each project. These three fail if the store cannot be read;
  // then nothing is trimmed.
  Result<std::map<ProjectNo, uint64_t>> floors() const;
  Result<uint64_t> loggedUpTo(ProjectNo project, uint64_t position) const;
  // The highest position in (low-water mark, last] for which `trimmable` holds, or the mark. REQUIRES: trimmable
  // entries precede all others.
  Result<uint64_t> lastTrimmable(const ProjectState& project, uint64_t last,
                                 const std::function<bool(std::string_view entry)>& trimmable) const;
  void raiseMark(ProjectState& project, const Result<uint64_t>& mark);

  Database& database_;
  const Catalogue& catalogue_;
  const EmbeddedSettings& settings_;
};

}  // namespace mb::store::embedded
