// The parts of the server that follow from its settings and its machine alone.
#pragma once

#include <filesystem>

#include "app/application.h"
#include "billing/accounts.h"
#include "jobs/leases.h"
#include "storage/blob_store.h"

namespace mb::app {

int coreCount();
// The maximum number of workers.
int workerCount(const workers::WorkerSettings& settings);
// The executable, next to the server's own.
std::filesystem::path workerProgram();
// Whether no setting implies that other machines reach the server.
bool isLocalOnly(const AllSettings& settings);
// Null without Redis.
std::unique_ptr<redis::Client> redisOf(const redis::RedisSettings& settings, Cores& cores);
// Null where this process needs none: the store is its own, and there is no Redis.
std::unique_ptr<jobs::Leases> leasesOver(redis::Client* redis, store::MainStore& store, Cores& cores,
                                         const MasterSecret& master);
// Null where files are not stored locally.
Result<std::unique_ptr<storage::BlobStore>> blobsOf(const AllSettings& settings);
// With what other servers on the same database must know of the place of files.
StoreSettings storeSettingsOf(const AllSettings& settings);
// The source of the plans in force: without billing nothing is limited.
std::unique_ptr<snapshot::SlotSource> planSourceOf(const billing::BillingSettings& settings,
                                                   store::DocumentStore& store, billing::Accounts& accounts);

}  // namespace mb::app
