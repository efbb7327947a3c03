// Imports a project from records (project_records.h) into an open deployment. It is not visible before finish().
#pragma once

#include "app/command.h"
#include "app/project_records.h"
#include "data/vector_fields.h"
#include "events/subscription.h"
#include "projects/restoring.h"

namespace mb::app {

struct ImportOptions {
  std::optional<std::string> slug;  // of a new project; nullopt: restore the same project
  std::string owner;                // address of an account, or ""
  std::filesystem::path from = {};  // the backup, where the bytes of files are
  int64_t documents = 0;            // expected number, for the progress; 0: unknown
};

struct Imported {
  projects::RestoredProject project;
  StreamEnd counts;
};

class ProjectImport {
 public:
  ProjectImport(Deployment& deployment, ImportOptions options, Progress& progress);
  // Undoes everything unless finish() succeeded.
  ~ProjectImport();
  // The sink of the records.
  Result<> take(std::string_view kind, doc::DocumentView content);
  // Called after the last record: makes the project live. Fails with validation when the end is missing.
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
  // The row of the document's vectors, in the batch of the document.
  void addVectorCount(std::string_view id, doc::DocumentView document);
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
  std::vector<data::ManualVectorField> manualVectors_;  // of the current collection
  bool skips_ = false;                                  // the current section is skipped
  bool system_ = false;
  bool verbatim_ = false;  // the current section is chained: its documents must not change
  std::optional<store::CollectionRef> section_;
  doc::Document defaultPolicy_;        // precedes all collections
  events::CollectionNumbers numbers_;  // of the imported collections; followers come after them
  Pending pending_;
  StreamEnd seen_;  // all records, skipped ones included
  std::optional<StreamEnd> end_;
};

// `document` with `to` instead of `from` in each string that is `from`, or a path that begins with "projects/" and
// `from`.
doc::Document withProjectId(doc::DocumentView document, std::string_view from, std::string_view to);

}  // namespace mb::app
