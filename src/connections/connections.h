// The registry of connections: credentials for other services, kept for a project or for an organization. It keeps and
// gates them; who uses one makes the calls. Secrets go in and never come out. Never part of an export or of a project's
// backup. Source: contract 2.5, 4.8; decisions 8.
#pragma once

#include <string>
#include <vector>

#include "base/settings.h"
#include "connections/connection_rules.h"
#include "connections/connection_types.h"
#include "projects/projects.h"
#include "store/sealed_fields.h"

namespace mb::connections {

// Of one scope.
inline constexpr int64_t kMaxConnections = 100;

struct ConnectionSettings {
  explicit ConnectionSettings(Settings& settings);
  ConnectionSettings() = default;
  bool on = true;  // SERVICE_CONNECTIONS
};

// Collections of the control project that this module owns (numbers 80 to 84), and what it seals there.
std::vector<store::SystemCollection> systemCollections();
std::vector<store::SealedField> sealedFields();

// An organization's connections are its owner's alone, to see and to change; a project's are seen by its members and
// changed by Owner and Admin. Whoever may not gets notFound, as for what is not there. Changes hold before they are
// answered, and are audited: in the project, or for an organization in the control plane. References outlive it. Any
// core.
class Connections {
 public:
  Connections(const projects::ProjectDeps& deps, const MasterSecret& master) : deps_(deps), master_(master) {}

  // Of the caller's own organization, oldest first.
  Task<std::vector<ConnectionView>> listOwn(projects::By by);
  // Of a project, oldest first, then those of the organization it belongs to.
  Task<std::vector<ConnectionView>> listOf(projects::By by, std::string project);
  // Fail with validation; conflict for a name that the scope has already, or past kMaxConnections.
  Task<ConnectionView> createOwn(projects::By by, NewConnection input);
  Task<ConnectionView> createOf(projects::By by, std::string project, NewConnection input);
  // Kind and scope stay. Fails with validation, conflict (the name).
  Task<> change(projects::By by, std::string id, ConnectionPatch patch);
  Task<> remove(projects::By by, std::string id);

 private:
  struct Place;
  Task<std::string> ownOrganization(projects::By by);
  // Where somebody may change what the scope has. Fails with notFound.
  Task<Place> placeFor(projects::By by, std::string scope);
  Task<std::vector<ConnectionRecord>> recordsOf(std::string scope);
  Task<ConnectionRecord> find(std::string id);
  Task<ConnectionView> create(projects::By by, Place place, NewConnection input);

  const projects::ProjectDeps& deps_;
  const MasterSecret& master_;
};

}  // namespace mb::connections
