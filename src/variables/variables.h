// The variables of projects: values that resources name as "${NAME}" and functions read as ctx.variables.NAME, so that
// one configuration serves several environments. Created once by app/, before the modules whose resources name them.
#pragma once

#include "audit/audit.h"
#include "base/clock.h"
#include "policy/caller.h"
#include "store/sealed_fields.h"
#include "variables/variable_use.h"

namespace mb::variables {

inline constexpr size_t kMaxValueBytes = 8 << 10;

// This module's collection of projects, and the field that it seals there.
std::vector<store::SystemCollection> systemCollections();
std::vector<store::SealedField> sealedFields();

struct VariableView {
  std::string name;
  bool secret = false;
  std::optional<std::string> value;  // of a plain one
  bool configured = false;
  static constexpr auto shape() {
    return doc::shape<VariableView>(
        "Variable", doc::field("name", &VariableView::name), doc::field("secret", &VariableView::secret),
        doc::field("value", &VariableView::value), doc::field("configured", &VariableView::configured));
  }
};

// Absent fields are unchanged; a new variable is plain and without a value.
struct VariableBody {
  std::optional<std::string> value;
  std::optional<bool> secret;
  std::optional<bool> moveSecrets;
  static constexpr auto shape() {
    return doc::shape<VariableBody>("VariableBody", doc::field("value", &VariableBody::value),
                                    doc::field("secret", &VariableBody::secret),
                                    doc::field("moveSecrets", &VariableBody::moveSecrets));
  }
};

// The caller, the project and the deadline of a call.
struct Access {
  policy::Caller caller;
  snapshot::SnapshotPtr project;
  store::Deadline deadline;
};

// References outlive the module.
struct VariableDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  const Clock& clock;
  audit::Auditor& auditor;
  const MasterSecret& master;
};

// The routes check variables:read and variables:manage. Every change is audited without values, and applies to each use
// after it returned. Any core.
class Variables {
 public:
  // Adds the module's snapshot slot.
  explicit Variables(VariableDeps deps);
  // At start-up, before any request.
  void add(VariableUser& user) { users_.push_back(&user); }

  std::vector<VariableView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  const VariableTable& table(const snapshot::ProjectSnapshot& project) const { return project.get(slot_); }
  // `project` outlives the result.
  Values valuesOf(const snapshot::ProjectSnapshot& project) const;
  // No variable has a value: for checks without a project.
  Values noValues() const;
  // valuesOf() as an import of `document` leaves it: what its section of variables makes secret is secret.
  Values valuesAfter(const snapshot::ProjectSnapshot& project, doc::DocumentView document) const;

  // The problems that the project's resources would have if `name` were secret; paths are places.
  Problems problemsIfSecret(const snapshot::ProjectSnapshot& project, const std::string& name) const;

  // Creates or changes a variable. Fails with validation: the name, the value, a resource that would become invalid, a
  // secret one that would become plain without a new value, or a new value that moves stored secrets without
  // `moveSecrets`; forbidden for the last where the caller does not hold "*"; conflict past store::kMaxVariables.
  Task<> put(Access access, std::string name, VariableBody body);
  // Fails with notFound; conflict, naming its uses, while it is used.
  Task<> remove(Access access, std::string name);

 private:
  // One attempt; fails with retry if the variable was changed since it was read.
  Task<> putOnce(Access access, std::string name, VariableBody body);
  Result<VariableRecord> changed(const snapshot::ProjectInfo& project, const VariableRecord* before, std::string name,
                                 const VariableBody& body) const;
  Result<> checkUses(const Access& access, const VariableRecord* before, const VariableRecord& after,
                     const VariableBody& body) const;
  store::Write writeOf(const Access& access, std::string action, std::string_view name, doc::Document details) const;

  const VariableDeps deps_;
  VariableTables tables_;
  const snapshot::SlotKey<VariableTable> slot_;
  std::vector<VariableUser*> users_;
};

}  // namespace mb::variables
