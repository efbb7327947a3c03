#include "api/metric_point.h"
#include "app/application.h"
#include "app/secret_rotation.h"
#include "billing/billing_types.h"
#include "data/data.h"
#include "events/dispatcher.h"
#include "functions/functions.h"
#include "integrations/integration_service.h"
#include "jobs/jobs.h"
#include "projects/projects.h"
#include "store/own/pending_writes.h"
#include "variables/variables.h"
#include "vectors/embedding_rows.h"
#include "webhooks/webhooks.h"

namespace mb::app {

std::vector<store::SystemCollection> systemCollections() {
  std::vector<store::SystemCollection> all = {audit::auditCollection(), secretChangeCollection()};
  for (const auto& module :
       {jobs::systemCollections(), identity::systemCollections(), projects::systemCollections(),
        connections::systemCollections(), data::systemCollections(), events::systemCollections(),
        storage::systemCollections(), webhooks::systemCollections(), vectors::systemCollections(),
        integrations::systemCollections(), functions::systemCollections(), variables::systemCollections(),
        billing::systemCollections(), api::systemCollections(), store::own::systemCollections()}) {
    all.insert(all.end(), module.begin(), module.end());
  }
  return all;
}

}  // namespace mb::app
