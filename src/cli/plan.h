// What an import would change, as the server plans it, and as people see it.
#pragma once

#include "configuration/bundle.h"
#include "document/shape.h"

namespace mb::cli {

struct PlannedChange {
  std::string section;
  std::string name;
  std::string action;                // create, update, unchanged
  std::optional<doc::Value> before;  // nullopt where there is nothing
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
  std::string digest;  // what applying it names
  static constexpr auto shape() {
    return doc::shape<Plan>("Plan", doc::field("changes", &Plan::changes), doc::field("summary", &Plan::summary));
  }
  bool empty() const { return summary.create == 0 && summary.update == 0; }
};

// What is to be deleted, since the bundle has it no more.
struct Pruned {
  std::string section;
  std::string name;
  static constexpr auto shape() {
    return doc::shape<Pruned>("Pruned", doc::field("section", &Pruned::section), doc::field("name", &Pruned::name));
  }
  bool operator==(const Pruned&) const = default;
};

// The `plan` of the answer of a dry import or promotion, and its digest. Fails with upstreamFailed where it is none.
Result<Plan> planOf(const doc::Document& answer, std::string digest);
// Each change with its difference, then what is pruned; "" where there is nothing.
std::string describe(const Plan& plan, const std::vector<Pruned>& prune, bool colours);
// "1 to create, 2 to update, 3 unchanged, 1 to delete".
std::string summaryOf(const Plan& plan, size_t prune);

// What is in `server` and not in `bundle` of the sections that are pruned, in the order in which it can be deleted.
std::vector<Pruned> toPrune(doc::DocumentView server, doc::DocumentView bundle);
// The admin route that deletes it: "/roles/editors".
std::string routeOf(const Pruned& pruned);

// Problems of an import with the file that each is in: "/collections/0/schema/type" of a document becomes
// "collections/notes.json" and "/schema/type …".
std::vector<ErrorDetail> byFile(const std::vector<ErrorDetail>& problems, doc::DocumentView document);

}  // namespace mb::cli
