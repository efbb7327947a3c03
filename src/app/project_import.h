// Imports a project from records (project_records.h) into an open deployment. It is not visible before finish().
#pragma once

#include "app/command.h"
#include "app/project_records.h"
#include "base/sha256.h"
#include "data/vector_fields.h"
#include "events/subscription.h"
#include "projects/restoring.h"

namespace mb::app {

// The deployment that a project is moved from. Both outlive the import.
struct MoveSource {
  const Deployment& deployment;
  const MasterSecret& secret;
};

struct ImportOptions {
  std::optional<std::string> slug;  // of a new project; nullopt: restore the same project
  std::string owner;                // address of an account, or ""
  std::filesystem::path from = {};  // the backup, where the bytes of files are
  int64_t documents = 0;            // expected number, for the progress; 0: unknown
  // Of a move, without a slug: values are sealed for this deployment, changes of an owner's database are copied from
  // where they were, and the project arrives suspended.
  std::optional<MoveSource> source = {};
};

struct Imported {
  projects::RestoredProject project;
  StreamEnd counts;
  uint64_t unreadable = 0;  // sealed values that did not open, of a move or a new project
};

class ProjectImport {
 public:
  ProjectImport(Deployment& deployment, ImportOptions options, Progress& progress);
  // Undoes everything unless finish() succeeded.
  ~ProjectImport();
  // The sink of the records.
  Result<> take(std::string_view kind, doc::DocumentView content);
  // After the last record of a move: reads what was imported, and compares its counts and hashes with what was read.
  // Fails with internal, naming what differs.
  Result<> compare();
  // Called after the last record: makes the project live. Fails with validation when the end is missing.
  Result<Imported> finish();

 private:
  struct Pending {
    std::vector<store::WriteTarget> targets;
    std::vector<doc::Document> documents;  // one for each target
    size_t bytes = 0;
  };
  // A collection of the project, as a move has read it.
  struct Section {
    store::CollectionNo number = 0;
    std::string name;
    std::optional<store::ChainHead> chain = {};
    uint64_t documents = 0;
    Sha256 hash = {};  // over their BSON
  };
  Result<> start();
  Result<> takeDatabase(doc::DocumentView content);
  Result<> bringDatabase();
  // What imported values are sealed under. REQUIRES: secret_.
  const MasterSecret& formerSecret() const { return options_.source ? options_.source->secret : *secret_; }
  // `document`, with its sealed values under this deployment's secret, for the project here, and with its id.
  doc::Document resealed(doc::DocumentView document);
  Result<> compareSection(const store::Image& image, Section& section) const;
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
  std::optional<projects::OwnDatabaseRecord> database_;
  std::vector<Section> sections_;  // of a move
  uint64_t unreadable_ = 0;
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
