// Moves the low-water marks of the change logs: what is older, or more, than is kept. The log's compaction filter drops
// what lies below them. A mark never passes what is still needed. One thread.
#pragma once

#include "store/change_feed.h"
#include "store/embedded/catalogue.h"

namespace mb::store::embedded {

class LogTrimmer {
 public:
  LogTrimmer(Database& database, const Catalogue& catalogue, const EmbeddedSettings& settings)
      : database_(database), catalogue_(catalogue), settings_(settings) {}

  void run(Timestamp now, const KeptAfter& needed);

 private:
  struct Held {
    ProjectState* project;
    uint64_t last;   // no entry behind it may go
    uint64_t bytes;  // logged behind the low-water mark
  };
  // Both fail where the log cannot be read: then nothing is trimmed.
  Result<uint64_t> loggedUpTo(ProjectNo project, uint64_t position) const;
  // The highest position in (low-water mark, last] for which `gone` holds, or the mark; gone entries come before those
  // kept.
  Result<uint64_t> lastGone(const ProjectState& project, uint64_t last,
                            const std::function<bool(std::string_view entry)>& gone) const;
  void raiseMark(ProjectState& project, const Result<uint64_t>& mark);
  uint64_t shareOfTotal(std::vector<Held>& held) const;

  Database& database_;
  const Catalogue& catalogue_;
  const EmbeddedSettings& settings_;
};

}  // namespace mb::store::embedded
