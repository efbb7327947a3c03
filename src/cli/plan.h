// The plan of an import, as the server returns it, and its text for people.
#pragma once

#include "configuration/bundle.h"
#include "document/shape.h"

namespace mb::cli {

struct PlannedChange {
  std::string section;
  std::string name;
  std::string action;                // create, update, unchanged
  std::optional<doc::Value> before;  // nullopt where nothing exists
  std::optional<doc::Value> after;
  static constexpr auto shape() {
    return doc::shape<PlannedChange>(
        "PlannedChange", doc::field("section", &PlannedChange::section), doc::field("name", &PlannedChange::name),
        doc::field("action", &PlannedChange::action), doc::field("before", &PlannedChange::before),
        doc::field("after", &PlannedChange::after));
  }
};

struct Summary {
  int64_t create = 0;
  int64_t update = 0;
  int64_t unchanged = 0;
  static constexpr auto shape() {
    return doc::shape<Summary>("Summary", doc::field("create", &Summary::create),
                               doc::field("update", &Summary::update), doc::field("unchanged", &Summary::unchanged));
  }
};

struct Plan {
  std::vector<PlannedChange> changes;
  Summary summary;
  std::string digest;  // names this plan when it is applied
  static constexpr auto shape() {
    return doc::shape<Plan>("Plan", doc::field("changes", &Plan::changes), doc::field("summary", &Plan::summary));
  }
  bool empty() const { return summary.create == 0 && summary.update == 0; }
};

// An entry to delete, since the bundle does not have it.
struct PruneEntry {
  std::string section;
  std::string name;
  static constexpr auto shape() {
    return doc::shape<PruneEntry>("Pruned", doc::field("section", &PruneEntry::section),
                                  doc::field("name", &PruneEntry::name));
  }
  bool operator==(const PruneEntry&) const = default;
};

// The `plan` of the response to a dry import or promotion, and its digest. Fails with upstreamFailed where the response
// has no valid plan.
Result<Plan> planOf(const doc::Document& response, std::string digest);
// Each change with its difference, the code of a function line by line, then the entries to delete; "" for an empty
// plan.
std::string describe(const Plan& plan, const std::vector<PruneEntry>& prune, bool colours);
// "1 to create, 2 to update, 3 unchanged, 1 to delete".
std::string summaryOf(const Plan& plan, size_t prune);

// Entries of the pruned sections that are in `server` and not in `bundle`, in the order in which they can be deleted.
std::vector<PruneEntry> toPrune(doc::DocumentView server, doc::DocumentView bundle);
// The admin route that deletes the entry: "/roles/editors".
std::string routeOf(const PruneEntry& pruned);

// Problems of an import by the file that each is in: "/collections/0/schema/type" of a document becomes
// "collections/notes.json" and "/schema/type …". A stored test that fails has the name of its entry for an index.
std::vector<ErrorDetail> byFile(const std::vector<ErrorDetail>& problems, doc::DocumentView document);

}  // namespace mb::cli
