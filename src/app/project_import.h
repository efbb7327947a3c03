// A project out of records (project_records.h) into a deployment that is open. Nobody sees it before finish().
#pragma once

#include "app/command.h"
#include "app/project_records.h"
#include "events/subscription.h"
#include "projects/restoring.h"

namespace mb::app {

struct ImportOptions {
  std::optional<std::string> slug;  // of a new project; nullopt: the same project again
  std::string owner;                // address of an account, or ""
  std::filesystem::path from = {};  // the backup, where the bytes of files are
  int64_t documents = 0;            // expected, for the progress; 0: not known
};

struct Imported {
  projects::RestoredProject project;
  StreamEnd counts;
};

class ProjectImport {
 public:
  ProjectImport(Deployment& deployment, ImportOptions options, Progress& progress);
  // Undoes everything where finish() did not come.
  ~ProjectImport();
  // The sink of the records.
  Result<> take(std::string_view kind, doc::DocumentView content);
  // After the last record: makes the project live. Fails with validation when the end is missing.
  Result<Imported> finish();

 private:
  struct Pending {
    std::vector<store::WriteTarget> targets;
    std::vector<doc::Document> documents;  // one for each target
    size_t bytes = 0;
  };
  Result<> start();
  Result<> takeSystem(doc::DocumentView content);
  Result<> takeCollection(doc::DocumentView content);
  Result<> takeDocument(doc::DocumentView content);
  Result<> flush();

  Deployment& deployment_;
  const ImportOptions options_;
  Progress& progress_;
  projects::Restoring restoring_;
  std::optional<MasterSecret> secret_;
  projects::RestoreOptions project_;
  bool formatSeen_ = false;
  bool projectSeen_ = false;
  bool started_ = false;
  bool skips_ = false;  // the section under way
  bool system_ = false;
  bool verbatim_ = false;  // the section under way is chained: nothing in it may change
  std::optional<store::CollectionRef> section_;
  doc::Document defaultPolicy_;        // comes before all collections
  events::CollectionNumbers numbers_;  // of the collections that came; followers come after them
  Pending pending_;
  StreamEnd seen_;  // all, those that were left out too
  std::optional<StreamEnd> end_;
};

// `document` with each string that is `from`, or a path that begins with "projects/" and it, telling of `to` instead.
doc::Document withProjectId(doc::DocumentView document, std::string_view from, std::string_view to);

}  // namespace mb::app
