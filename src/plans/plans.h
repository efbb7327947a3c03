// The limits of plans, and the plan in force for a project as its snapshot holds it. Modules that meet a limit take the
// slot; billing/ fills it.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "document/shape.h"
#include "snapshot/snapshot.h"

namespace mb::plans {

enum class Limit : uint8_t {
  maxProjects,           // root projects of a user
  storageBytes,          // of a project: its files, with uploads in progress
  functionRunsPerMonth,  // of a project, in a calendar month (UTC)
  vectors,               // of a project
  realtimeConnections,   // of a project, on each instance of the server
  environmentsPerProject,
};
inline constexpr std::array kAllLimits = {Limit::maxProjects,          Limit::storageBytes,
                                          Limit::functionRunsPerMonth, Limit::vectors,
                                          Limit::realtimeConnections,  Limit::environmentsPerProject};

// The field of Limits: "maxProjects".
std::string_view nameOf(Limit limit);

// Of six members, one for each limit in the order of the enumeration, the one of `limit`.
template <class T, std::same_as<T>... Others>
constexpr T& memberOf(Limit limit, T& first, Others&... others) {
  static_assert(1 + sizeof...(others) == kAllLimits.size());
  T* const members[] = {&first, &others...};
  return *members[static_cast<size_t>(limit)];
}

// null is unlimited.
struct Limits {
  doc::Nullable<int64_t> maxProjects = {};
  doc::Nullable<int64_t> storageBytes = {};
  doc::Nullable<int64_t> functionRunsPerMonth = {};
  doc::Nullable<int64_t> vectors = {};
  doc::Nullable<int64_t> realtimeConnections = {};
  doc::Nullable<int64_t> environmentsPerProject = {};

  std::optional<int64_t>& at(Limit limit);
  const std::optional<int64_t>& at(Limit limit) const { return const_cast<Limits*>(this)->at(limit); }

  static constexpr auto shape() {
    return doc::shape<Limits>("PlanLimits", doc::field("maxProjects", &Limits::maxProjects),
                              doc::field("storageBytes", &Limits::storageBytes),
                              doc::field("functionRunsPerMonth", &Limits::functionRunsPerMonth),
                              doc::field("vectors", &Limits::vectors),
                              doc::field("realtimeConnections", &Limits::realtimeConnections),
                              doc::field("environmentsPerProject", &Limits::environmentsPerProject));
  }
};

// What a project uses of its limits.
struct ProjectUsage {
  int64_t storageBytes = 0;
  int64_t functionRuns = 0;         // of this calendar month (UTC)
  int64_t vectors = 0;              // of documents, and stored embeddings
  int64_t realtimeConnections = 0;  // of this process
  int64_t projects = 0;             // root projects of the organization that the project belongs to
  int64_t environments = 0;         // of the root project

  int64_t at(Limit limit) const {
    return memberOf(limit, projects, storageBytes, functionRuns, vectors, realtimeConnections, environments);
  }

  static constexpr auto shape() {
    return doc::shape<ProjectUsage>(
        "ProjectUsage", doc::field("storageBytes", &ProjectUsage::storageBytes),
        doc::field("functionRuns", &ProjectUsage::functionRuns), doc::field("vectors", &ProjectUsage::vectors),
        doc::field("realtimeConnections", &ProjectUsage::realtimeConnections),
        doc::field("projects", &ProjectUsage::projects), doc::field("environments", &ProjectUsage::environments));
  }
};

// The plan in force for a project, or for a user. Without billing it has no slug, and nothing is limited.
struct PlanInForce {
  std::string slug;  // "free"; "" without billing
  std::string name;  // "Free"
  Limits limits;     // with what was pinned for the payer

  // nullopt: unlimited.
  std::optional<int64_t> max(Limit limit) const { return limits.at(limit); }
};
using PlanSlot = snapshot::SlotKey<PlanInForce>;

// The slot's source without billing: nothing is limited.
class Unlimited final : public snapshot::SlotSource {
 public:
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;
};

// The error of a use that would pass a limit: planLimit, "plan limit: storageBytes: the plan Free allows 1073741824, in
// use are 1073741000". `use` is without what was refused. Of function runs the status is 429, else 403.
Error exceeded(const PlanInForce& plan, Limit limit, int64_t max, int64_t use);

}  // namespace mb::plans
