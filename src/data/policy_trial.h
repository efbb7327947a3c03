// PolicyTrials says what a request would result in, and why: it runs the evaluators of the request with a trace
// (docs/policy-tests.md, "Explain"). Nothing is written. Pre-hooks, unique indexes and references are not checked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/collections.h"
#include "data/documents.h"
#include "data/policy_sets.h"
#include "policy/trace.h"

namespace mb::data {

// Documents by collection, in place of the store's.
using GivenDocuments = std::map<std::string, std::vector<doc::Document>, std::less<>>;

// The request on trial. The document that it is about is `document`, or the stored (or given) one with the id.
struct Trial {
  std::string collection;
  policy::Operation operation = policy::Operation::read;  // not admin
  std::optional<std::string> id;
  std::optional<doc::Document> document;  // in place of the stored one
  std::optional<doc::Document> filter;    // the caller's, of read and list
  std::optional<doc::Document> body;      // of create and update
  bool replace = false;                   // the update is a replacement
};

// The result: also that of a trial about a file.
struct TrialResult {
  // Whether the request succeeds; for a list about one document, whether it is among the results.
  bool allowed = false;
  bool hidden = false;              // refused as if the document did not exist
  int64_t status = 200;             // of the response
  std::optional<std::string> code;  // of its error
  std::vector<doc::Document> steps;
  std::optional<std::vector<std::string>> notChecked;  // of writes
  static constexpr auto shape() {
    return doc::shape<TrialResult>(
        "PolicyTrial", doc::field("allowed", &TrialResult::allowed), doc::field("hidden", &TrialResult::hidden),
        doc::field("status", &TrialResult::status), doc::field("code", &TrialResult::code),
        doc::field("steps", &TrialResult::steps), doc::field("notChecked", &TrialResult::notChecked));
  }
};

// What takes the place of the project's configuration in a trial. A collection that is named here replaces the saved
// one of that name; sets too.
struct PolicyDrafts {
  struct DraftCollection {
    std::string name;
    doc::Patch<doc::Document> schema;  // absent: as it is
    doc::Patch<doc::Document> policy;  // of the name "*": the default policy
  };
  std::vector<DraftCollection> collections;
  std::vector<PolicySet> sets;
  // The sets have documents given to them, so that they need no index, and the collections may be new.
  bool onGivenDocuments = false;
};

class PolicyTrials {
 public:
  // References outlive this.
  PolicyTrials(const DataDeps& deps, FairPool& pool, const Grants& grants, snapshot::SlotKey<CollectionTable> slot);

  // The project as it would be. Compiles on the pool. Fails with validation, every problem in the details, as the saves
  // do ("/policy/read/filter", "/sets/0/where"; "/collections/<name>/policy/…" for `onGivenDocuments`).
  Task<snapshot::SnapshotPtr> withDrafts(snapshot::SnapshotPtr project, PolicyDrafts drafts) const;
  // The collections that a trial of the operation reads: its own, and those of the sets that rules of the operation
  // name. Fails with notFound (the collection).
  Result<std::vector<std::string>> collectionsRead(const snapshot::ProjectSnapshot& project,
                                                   std::string_view collection, policy::Operation operation) const;
  // `access.project` may have drafts; `given`: null for the store's documents. What the request would fail with is the
  // result; fails with invalidBody or validation for a trial that lacks a part (an update without a body), and as a
  // read of the store does.
  Task<TrialResult> run(const Access& access, Trial trial, const GivenDocuments* given = nullptr) const;

 private:
  const DataDeps& deps_;
  FairPool& pool_;
  const Grants& grants_;
  const snapshot::SlotKey<CollectionTable> slot_;
};

}  // namespace mb::data
