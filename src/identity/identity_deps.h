// The module's dependencies.
#pragma once

#include <string>

#include "audit/audit.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/crypto.h"
#include "base/id.h"
#include "mail/mail.h"
#include "snapshot/snapshot.h"
#include "store/store.h"
#include "variables/variables.h"

namespace mb::identity {

// References outlive the module.
struct IdentityDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  Cores& cores;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  const MasterSecret& master;
  mail::Mailer& mailer;
  std::string baseUrl;  // the issuer of tokens, and the prefix of links in mails
  variables::Variables& variables;
};

}  // namespace mb::identity
