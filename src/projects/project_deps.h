// Dependencies of this module.
#pragma once

#include "audit/audit.h"
#include "base/clock.h"
#include "base/id.h"
#include "identity/mailed_links.h"
#include "identity/tables.h"
#include "identity/tokens.h"
#include "identity/users.h"
#include "projects/plan_lookup.h"
#include "projects/project_types.h"
#include "snapshot/snapshot.h"
#include "store/store.h"

namespace mb::projects {

// References outlive the module.
struct ProjectDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  identity::Users& users;
  identity::MailedLinks& links;
  const identity::Tokens& tokens;
  identity::IdentitySlots slots;
  snapshot::SlotKey<ProjectRecord> record;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  mail::Mailer& mailer;
  std::string baseUrl;  // prefix of links in mails
  plans::PlanSlot plan;
  PlanLookup* plans = nullptr;  // null without billing
};

}  // namespace mb::projects
