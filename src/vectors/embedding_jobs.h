// EmbeddingJobs creates the embeddings of fields in mode auto: it enqueues a job for each change that needs an
// embedding, and runs the jobs. Jobs of a field run one at a time. A run includes other due jobs of its field, so that
// one call of the endpoint carries many texts.
//
// A plan may limit the project's vectors. The endpoint is called only for texts whose vectors then fit; a vector that
// replaces one always does. The job of a document without space ends, and one job of its field remains: a walk through
// all documents that waits for space and checks every 30 seconds.
#pragma once

#include <algorithm>

#include "data/vector_quota.h"
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
  // Of "walk": it is for the documents that an earlier one had no space for, and does nothing without space.
  std::optional<bool> held = {};
  static constexpr auto shape() {
    return doc::shape<EmbeddingJob>(
        "EmbeddingJob", doc::field("project", &EmbeddingJob::project), doc::field("field", &EmbeddingJob::field),
        doc::field("what", &EmbeddingJob::what), doc::field("document", &EmbeddingJob::document),
        doc::field("fingerprint", &EmbeddingJob::fingerprint), doc::field("held", &EmbeddingJob::held));
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
  const Clock& clock;
  const data::VectorQuota& quota;
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

  // walkOf: the first job of a walk through all documents of the field; `held`: EmbeddingJob::held. sweepOf: removes
  // the rows of a deleted field.
  jobs::JobSpec walkOf(const snapshot::ProjectInfo& project, const VectorField& field, bool held = false) const;
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
    bool hasVector = false;  // stored, of an earlier text or config
    bool held = false;       // the plan has no space for its vector
    bool adds() const { return needsEmbedding && !hasVector; }
    bool frees() const { return hasVector && text.empty(); }
  };
  struct Batch {
    snapshot::SnapshotPtr project;
    VectorTable::Field target;
    std::vector<Item> items;
    std::optional<EmbeddingJob> next;  // the walk's next job, inserted in the commit
    bool walked = false;               // all documents were read
    bool stopsAtHeld = false;          // a walk that waits for space at the first such document
    bool stopped = false;              // at a document without space: the job stays
    int64_t lastRow = 0;               // highestNumber() before the commit
    bool holds() const { return std::ranges::any_of(items, &Item::held); }
  };

  // The job that continues the walk.
  jobs::JobSpec nextWalk(const snapshot::ProjectInfo& project, const EmbeddingJob& job) const;
  Task<> run(jobs::JobRun run);
  Task<> runDocument(jobs::JobRun run, EmbeddingJob job, Batch batch);
  Task<> runWalk(jobs::JobRun run, EmbeddingJob job, Batch batch);
  // Of a walk that waits for space: whether it continues now. Else it has ended or was put off.
  Task<bool> continuesNow(const jobs::JobRun& run, const EmbeddingJob& job, const Batch& batch);
  void putOff(const jobs::JobRun& run, const EmbeddingJob& job) const;
  // Clears WalkRow::held.
  Task<> beginWalk(const Batch& batch);
  Task<> runSweep(jobs::JobRun run, EmbeddingJob job);
  Task<> joinEvents(const snapshot::ProjectInfo& project);
  // Loads documents, texts and rows of the items.
  Task<> loadItems(Batch& batch);
  // Marks the items, in their order, whose vectors the plan has no space for, or ends the batch before the first.
  Task<> holdBack(Batch& batch);
  static void holdBeyond(Batch& batch, int64_t space);
  Task<> embed(Batch& batch, store::Deadline deadline);
  // Commits the batch. Where its vectors do not fit any more, those that do.
  Task<> commitWithin(Batch& batch, const jobs::JobRun& run);
  Task<> commit(const Batch& batch, const jobs::JobRun& run);
  // A row that is put gets the next number after `last`.
  static store::Change rowChange(const VectorField& field, const Item& item,
                                 const std::optional<doc::Document>& document, const std::optional<doc::Document>& row,
                                 int64_t& last);

  const EmbeddingJobsDeps deps_;
};

}  // namespace mb::vectors
