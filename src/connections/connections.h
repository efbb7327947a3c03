// The registry of connections: credentials for other services, of a project or an organization. It stores them and
// checks access; the modules that use a connection make the calls. Secrets are never returned, and never part of an
// export or of a project's backup.
#pragma once

#include <string>
#include <vector>

#include "base/settings.h"
#include "connections/connection_rules.h"
#include "connections/connection_types.h"
#include "projects/projects.h"
#include "store/sealed_fields.h"

namespace mb::connections {

// Limit of one scope.
inline constexpr int64_t kMaxConnections = 100;

struct ConnectionSettings {
  explicit ConnectionSettings(Settings& settings);
  ConnectionSettings() = default;
  bool on = true;  // SERVICE_CONNECTIONS
};

// Collections of the control project that this module owns (numbers 80 to 84), and what it seals there.
std::vector<store::SystemCollection> systemCollections();
std::vector<store::SealedField> sealedFields();

// Only an organization's owner can see and change its connections; a project's are visible to its members and changed
// by Owner and Admin. Other callers get notFound, as for a connection that does not exist. Changes are durable before
// the call returns, and are audited: in the project, or for an organization in the control plane. References outlive
// it. Any core.
class Connections {
 public:
  Connections(const projects::ProjectDeps& deps, const MasterSecret& master) : deps_(deps), master_(master) {}

  // Those of the caller's organization, oldest first.
  Task<std::vector<ConnectionView>> listOwn(projects::By by);
  // Those of a project, oldest first, then those of its organization while its owner is an Owner of the root project.
  Task<std::vector<ConnectionView>> listOf(projects::By by, std::string project);
  // Fail with validation; conflict for a name that exists in the scope, or past kMaxConnections.
  Task<ConnectionView> createOwn(projects::By by, NewConnection input);
  Task<ConnectionView> createOf(projects::By by, std::string project, NewConnection input);
  // Kind and scope cannot change. Fails with validation, conflict (the name).
  Task<> change(projects::By by, std::string id, ConnectionPatch patch);
  Task<> remove(projects::By by, std::string id);

 private:
  struct Scope;
  Task<std::string> ownOrganization(projects::By by);
  // The scope, if the caller may change its connections. Fails with notFound.
  Task<Scope> editableScope(projects::By by, std::string scope);
  Task<std::vector<ConnectionRecord>> recordsOf(std::string scope);
  Task<ConnectionRecord> find(std::string id);
  Task<ConnectionView> create(projects::By by, Scope editable, NewConnection input);

  const projects::ProjectDeps& deps_;
  const MasterSecret& master_;
};

}  // namespace mb::connections
