// FileTrials says what a request for a file would result in, and why: it runs the evaluators of the request with a
// trace (docs/policy-tests.md, "Explain"). Nothing is written.
#pragma once

#include "data/policy_trial.h"
#include "storage/files.h"

namespace mb::storage {

struct FileTrial {
  std::string bucket;
  policy::Operation operation = policy::Operation::read;  // not admin
  std::optional<std::string> path;
  std::optional<doc::Document> document;  // the record in place of the stored one (docs/storage.md, "Rules")
  // Of create and update: the new record, {contentType?, size?, metadata?} of it.
  std::optional<doc::Document> body;
};

class FileTrials {
 public:
  explicit FileTrials(const FilesDeps& deps) : deps_(deps) {}

  // The project with these rules of the bucket (null: those that are saved). Fails with validation ("/rules/…"),
  // notFound. Sets are drafted by data::PolicyTrials before.
  Result<snapshot::SnapshotPtr> withDrafts(snapshot::SnapshotPtr project, std::string_view bucket,
                                           const std::optional<doc::Document>& rules) const;
  // The collections of the sets that the operation's rule names.
  Result<std::vector<std::string>> collectionsRead(const snapshot::ProjectSnapshot& project, std::string_view bucket,
                                                   policy::Operation operation) const;
  // As data::PolicyTrials::run().
  Task<data::TrialResult> run(const Access& access, FileTrial trial) const;

 private:
  const FilesDeps& deps_;
};

}  // namespace mb::storage
