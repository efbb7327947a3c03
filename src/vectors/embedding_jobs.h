// EmbeddingJobs creates the embeddings of fields in mode auto: it enqueues a job for each change that needs an
// embedding, and runs the jobs. Jobs of a field run one at a time. A run includes other due jobs of its field, so that
// one call of the endpoint carries many texts.
#pragma once

#include "events/dispatcher.h"
#include "vectors/embedder.h"
#include "vectors/embedding_rows.h"
#include "vectors/vector_index_manager.h"

namespace mb::vectors {

inline constexpr std::string_view kEmbeddingKind = "embedding";

// The payload of a job: embeds one document, walks through all documents, or removes the rows of a deleted field.
struct EmbeddingJob {
  std::string project;  // "proj_…"
  std::string field;
  std::string what;         // document, walk, sweep
  std::string document;     // of "document": its id; of "walk": the last id read, "" at the beginning
  std::string fingerprint;  // of "walk"
  static constexpr auto shape() {
    return doc::shape<EmbeddingJob>("EmbeddingJob", doc::field("project", &EmbeddingJob::project),
                                    doc::field("field", &EmbeddingJob::field), doc::field("what", &EmbeddingJob::what),
                                    doc::field("document", &EmbeddingJob::document),
                                    doc::field("fingerprint", &EmbeddingJob::fingerprint));
  }
};

struct EmbeddingJobsDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<VectorTable> slot;
  jobs::Queue& queue;
  events::Dispatcher& dispatcher;
  Embedder& embedder;
  VectorIndexManager& indexes;
  IdGenerator& ids;
};

// The references in EmbeddingJobsDeps outlive it; it outlives the runs of the queue.
class EmbeddingJobs final : public events::Consumer {
 public:
  // Declares the job kind.
  explicit EmbeddingJobs(EmbeddingJobsDeps deps);

  bool follows(const snapshot::ProjectSnapshot& project) const override;
  void jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
               std::vector<events::FollowUp>& jobs) const override;
  Async<void> committed(snapshot::SnapshotPtr project, std::vector<std::string> groups) override;

  // walkOf: the first job of a walk through all documents of the field. sweepOf: removes the rows of a deleted field.
  jobs::JobSpec walkOf(const snapshot::ProjectInfo& project, const VectorField& field) const;
  jobs::JobSpec sweepOf(const snapshot::ProjectInfo& project, const std::string& fieldId) const;

 private:
  // A document that may need an embedding.
  struct Item {
    std::string document;
    std::vector<std::string> jobs;  // other jobs that this run completes with it
    std::string text = {};
    std::string hash = {};           // "" if the document does not exist
    std::vector<float> vector = {};  // set by embed()
    bool needsEmbedding = false;
  };
  struct Batch {
    snapshot::SnapshotPtr project;
    VectorTable::Field target;
    std::vector<Item> items;
    std::optional<jobs::JobSpec> next;  // inserted in the commit
    bool walked = false;                // all documents were read
  };

  Task<> run(jobs::JobRun run);
  Task<> runDocument(jobs::JobRun run, EmbeddingJob job, Batch batch);
  Task<> runWalk(jobs::JobRun run, EmbeddingJob job, Batch batch);
  Task<> runSweep(jobs::JobRun run, EmbeddingJob job);
  Task<> joinEvents(const snapshot::ProjectInfo& project);
  // Loads documents, texts and rows of the items.
  Task<> loadItems(Batch& batch);
  Task<> embed(Batch& batch, store::Deadline deadline);
  Task<> commit(Batch& batch, const jobs::JobRun& run);
  store::Change rowChange(const VectorField& field, const Item& item, const std::optional<doc::Document>& document,
                          const std::optional<doc::Document>& row) const;

  const EmbeddingJobsDeps deps_;
};

}  // namespace mb::vectors
