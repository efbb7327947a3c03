// `manybase billing show`, `usage`, `checkout` and `portal`.
#include "cli/billing_views.h"
#include "cli/configuration_sync.h"
#include "cli/server_features.h"

namespace mb::cli {

namespace {

Outcome billingIsOff(const Session& session, doc::BsonWriter result) {
  result.appendBool("billing", false);
  return Outcome{0, fmt::format("billing is off at {}: nothing is limited", session.url()), result.finish()};
}

Outcome paymentPage(const Session& session, std::string page) {
  doc::BsonWriter result;
  result.appendString("url", session.url());
  result.appendString("page", page);
  return Outcome{0, std::move(page), result.finish()};
}

Result<std::string> pageIn(const doc::Document& response, const Session& session) {
  std::string page(response.view().stringOr("url"));
  if (page.starts_with("https://") || page.starts_with("http://")) return page;
  return unexpectedResponse(session);
}

}  // namespace

Result<Outcome> showBilling(Client& client) {
  TRY(const std::unique_ptr<Session> session, client.session());
  doc::BsonWriter result;
  result.appendString("url", session->url());
  const auto response = session->control({"GET", "/control/billing", "reading the plan"});
  if (!response && response.error().code() == ErrorCode::notFound) {
    TRY(const ServerFeatures features, featuresOf(*session));
    if (!features.billingEnabled) return billingIsOff(*session, std::move(result));
  }
  if (!response) return fail(response.error().clone());
  const auto account = doc::decode<BilledAccount>(*response, doc::UnknownFields::ignore);
  if (!account) return unexpectedResponse(*session);
  result.appendBool("billing", true);
  result.appendAll(*response);
  return Outcome{0, textOf(*account), result.finish()};
}

Result<Outcome> showUsage(Client& client) {
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const ProjectRef project, session->project());
  TRY(const doc::Document response, session->admin(project, {"GET", "/usage", "reading the use"}));
  const auto inUse = doc::decode<ProjectPlan>(response, doc::UnknownFields::ignore);
  if (!inUse) return unexpectedResponse(*session);
  doc::BsonWriter result;
  appendProject(result, *session, project);
  if (!inUse->billed()) return billingIsOff(*session, std::move(result));
  result.appendBool("billing", true);
  result.appendAll(response);
  return Outcome{0, textOf(*inUse), result.finish()};
}

Result<Outcome> beginCheckout(Client& client) {
  TRY(const std::unique_ptr<Session> session, client.session());
  doc::BsonWriter body;
  body.appendString("plan", client.value("plan"));
  TRY(const doc::Document response,
      session->control({"POST", "/control/billing/checkout", "opening the checkout", body.finish()}));
  TRY(std::string page, pageIn(response, *session));
  return paymentPage(*session, std::move(page));
}

Result<Outcome> openPortal(Client& client) {
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const doc::Document response, session->control({"POST", "/control/billing/portal", "opening the portal"}));
  TRY(std::string page, pageIn(response, *session));
  return paymentPage(*session, std::move(page));
}

}  // namespace mb::cli
