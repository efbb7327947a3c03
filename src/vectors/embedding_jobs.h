// Fields in mode auto: which changes ask for an embedding, and the jobs that make it. One job of a field runs at a time
// and takes others of the field along, so that a call of the endpoint carries many texts.
#pragma once

#include "events/dispatcher.h"
#include "vectors/embedder.h"
#include "vectors/embedding_rows.h"
#include "vectors/vector_index_manager.h"

namespace mb::vectors {

inline constexpr std::string_view kEmbeddingKind = "embedding";

// The payload of a job: of one document, of a walk through all documents, or of what is left of a field that is no
// more.
struct EmbeddingJob {
  std::string project;  // "proj_…"
  std::string field;
  std::string what;         // document, walk, sweep
  std::string document;     // of "document": its id; of "walk": the last one seen, "" at the beginning
  std::string fingerprint;  // of "walk"
  static constexpr auto shape() {
    return doc::shape<EmbeddingJob>("EmbeddingJob", doc::field("project", &EmbeddingJob::project),
                                    doc::field("field", &EmbeddingJob::field), doc::field("what", &EmbeddingJob::what),
                                    doc::field("document", &EmbeddingJob::document),
                                    doc::field("fingerprint", &EmbeddingJob::fingerprint));
  }
};

// References outlive it, and it outlives the queue's runs.
class EmbeddingJobs final : public events::Consumer {
 public:
  struct Deps {
    store::DocumentStore& store;
    snapshot::Snapshots& snapshots;
    snapshot::SlotKey<VectorTable> slot;
    jobs::Queue& queue;
    events::Dispatcher& dispatcher;
    Embedder& embedder;
    VectorIndexManager& indexes;
    IdGenerator& ids;
  };
  // Declares the kind of job.
  explicit EmbeddingJobs(Deps deps);

  bool follows(const snapshot::ProjectSnapshot& project) const override;
  void jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
               std::vector<events::FollowUp>& jobs) const override;
  Async<void> committed(snapshot::SnapshotPtr project, std::vector<std::string> groups) override;

  // The first job of a walk through all documents of the field, and one that removes what is left of a field.
  jobs::JobSpec walkOf(const snapshot::ProjectInfo& project, const VectorField& field) const;
  jobs::JobSpec sweepOf(const snapshot::ProjectInfo& project, const std::string& fieldId) const;

 private:
  // A document whose embedding may be asked for.
  struct Item {
    std::string document;
    std::vector<std::string> jobs;  // that are done with it, beside the one that runs
    std::string text = {};
    std::string hash = {};           // "" where the document is gone
    std::vector<float> vector = {};  // once it is made
    bool open = false;               // its text is to be embedded
  };
  struct Batch {
    snapshot::SnapshotPtr project;
    VectorTable::Place place;
    std::vector<Item> items;
    std::optional<jobs::JobSpec> next;  // put in the commit
    bool walked = false;                // all documents were seen
  };

  Task<> run(jobs::JobRun run);
  Task<> runDocument(jobs::JobRun run, EmbeddingJob job, Batch batch);
  Task<> runWalk(jobs::JobRun run, EmbeddingJob job, Batch batch);
  Task<> runSweep(jobs::JobRun run, EmbeddingJob job);
  Task<> joinEvents(const snapshot::ProjectInfo& project);
  // Documents, texts and rows of the items.
  Task<> look(Batch& batch);
  Task<> embed(Batch& batch, store::Deadline deadline);
  Task<> commit(Batch& batch, const jobs::JobRun& run);
  store::Change rowChange(const VectorField& field, const Item& item, const std::optional<doc::Document>& document,
                          const std::optional<doc::Document>& row) const;

  const Deps deps_;
};

}  // namespace mb::vectors
