#include "app/settings_section.h"

#include "configuration/settings_kind.h"
#include "projects/projects.h"

namespace mb::app {

std::unique_ptr<configuration::ResourceKind> settingsSection(projects::Projects& projects) {
  return std::make_unique<configuration::SettingsKind>(
      [&projects](snapshot::SnapshotPtr project, mb::projects::SettingsPatch patch, policy::Caller by,
                  store::Deadline deadline) {
        return projects.configure(std::move(project), std::move(patch), std::move(by), deadline);
      },
      [&projects](snapshot::SnapshotPtr project, std::vector<std::string> claims) {
        return projects.claimUses(std::move(project), std::move(claims));
      });
}

}  // namespace mb::app
