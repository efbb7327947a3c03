// The whole server: modules are built in order and stopped in reverse. Only this module knows all others.
#pragma once

#include <chrono>
#include <memory>

#include "api/api_settings.h"
#include "api/routes.h"
#include "api/service_routes.h"
#include "app/app_settings.h"
#include "app/store_choice.h"
#include "audit/audit.h"
#include "billing/settings.h"
#include "connections/connections.h"
#include "http/server.h"
#include "identity/identity.h"
#include "identity/oauth.h"
#include "integrations/bot_provider.h"
#include "mail/mail.h"
#include "outbound/client.h"
#include "projects/instance.h"
#include "projects/own_databases.h"
#include "realtime/realtime.h"
#include "redis/client.h"
#include "storage/storage.h"
#include "vectors/vector_settings.h"
#include "workers/workers.h"

namespace mb::app {

// The settings of all modules, loaded together so that all errors are reported at once.
struct AllSettings {
  explicit AllSettings(Settings& settings);
  AppSettings app;
  audit::AuditSettings audit;
  http::ServerSettings http;
  api::ApiSettings api;
  StoreSettings store;
  identity::IdentitySettings identity;
  identity::OauthSettings oauth;
  outbound::OutboundSettings outbound;
  mail::MailSettings mail;
  integrations::BotSettings bots;
  projects::InstanceSettings instance;
  projects::OwnDatabaseSettings ownDatabases;
  connections::ConnectionSettings connections;
  realtime::RealtimeSettings realtime;
  redis::RedisSettings redis;
  workers::WorkerSettings workers;
  storage::StorageSettings storage;
  vectors::VectorSettings vectors;
  billing::BillingSettings billing;
};

// The system collections of all modules.
std::vector<store::SystemCollection> systemCollections();

class Application {
 public:
  // Opens the store, loads keys and listens for requests. Fails with a message to print.
  static Result<std::unique_ptr<Application>> start(const AllSettings& settings, api::Version version);
  // Calls stop() without waiting for requests, unless it was called.
  ~Application();

  int port() const;
  const api::RouteTable& routes() const;
  // The code that a first registration from another machine needs; nullopt where there was a first user at the start.
  const std::optional<std::string>& setupCode() const;
  // Whether a mail server is configured.
  bool deliversMail() const;
  // Stops accepting, gives requests at most `limit` to end, then closes everything. Blocks; from the main thread.
  void stop(std::chrono::milliseconds limit);

 private:
  struct Impl;
  explicit Application(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::app
