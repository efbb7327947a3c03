// The settings of a project that belong to its configuration. The others, such as allowedOrigins, stay with the
// project.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "configuration/listed_kind.h"
#include "projects/claim_dependent.h"
#include "projects/project_types.h"

namespace mb::configuration {

// The claims of the project's own in its tokens after an import, and those that the import removes.
struct ClaimChange {
  std::vector<std::string> after;
  std::vector<std::string> removed;
};
ClaimChange claimChange(const ResourceKind::Source& source);

// The project's setting requireTests.
bool requiresTests(const snapshot::ProjectInfo& project);

// Its entries are the settings by name. The section is an object: {"tokenClaims": […], "profileFields": […],
// "requireTests": true}. A setting that it names is replaced as a whole, and removed by an empty list or false.
class SettingsKind final : public ListedKind {
 public:
  // As projects::Projects::configure.
  using Writer = std::function<Task<>(snapshot::SnapshotPtr project, projects::SettingsPatch patch, policy::Caller by,
                                      store::Deadline deadline)>;

  // As projects::Projects::claimUses.
  using ClaimUses =
      std::function<Task<std::vector<projects::ClaimUse>>(snapshot::SnapshotPtr, std::vector<std::string> claims)>;

  SettingsKind(Writer write, ClaimUses claimUses) : write_(std::move(write)), claimUses_(std::move(claimUses)) {}

  std::string_view section() const override { return "settings"; }
  Task<std::vector<Entry>> entries(snapshot::SnapshotPtr project) override;
  void append(doc::BsonWriter& out, const std::vector<Entry>& entries) const override;
  // A claim that is removed must not be used by what the document leaves as it is, such as a policy.
  Task<std::vector<Entry>> merged(Source source, const std::vector<Entry>& current, Problems& problems) override;
  Result<> draft(ProjectDraft& draft, const std::vector<Change>& changes) const override;
  // Settings are part of the project's record, not of its stored configuration.
  uint64_t storedBytes(const snapshot::ProjectSnapshot&, doc::ValueView) const override { return 0; }

 private:
  policy::RequiredPermission permission() const override { return "auth:config:write"; }
  Task<> applyOne(Target target, Change change) override;
  Task<> checkRemoved(const Source& source, std::vector<std::string> removed, Problems& problems) const;

  const Writer write_;
  const ClaimUses claimUses_;
};

}  // namespace mb::configuration
