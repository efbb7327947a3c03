#include "webhooks/sender.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "base/trace_context.h"
#include "document/json.h"
#include "document/keep_fields.h"
#include "webhooks/signature.h"

namespace mb::webhooks {

namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 10s;
constexpr auto kConnectTimeout = 5s;
// Only the status of the response is used.
constexpr size_t kMaxResponseBytes = 16 << 10;

}  // namespace

std::string sealContext(std::string_view project, std::string_view hookId) {
  return fmt::format("{}/webhook/{}", project, hookId);
}

std::string bodyOf(const SentEvent& event, const ProjectId& project, const doc::FieldSet& fields) {
  doc::BsonWriter out((event.document ? event.document->size() : 0) + 512);
  out.appendString("id", event.id);
  out.appendString("event", event.event);
  out.appendString("project", project.str());
  out.appendString("collection", event.collection);
  event.documentId ? out.appendString("documentId", *event.documentId) : out.appendNull("documentId");
  if (event.document) {
    out.appendDocument("document", fields.empty() ? *event.document : doc::keepFields(*event.document, fields));
  } else if (!event.documentId) {
    out.appendNull("document");
  }
  out.appendDate("at", event.at);
  return doc::toJson(out.finish());
}

std::string Sender::seal(const ProjectId& project, std::string_view hookId, std::string_view secret) const {
  return toBase64(master_.seal(secret, sealContext(project.str(), hookId)));
}

Result<Secret> Sender::unseal(const ProjectId& project, const WebhookRecord& record) const {
  TRY(const std::string sealed, fromBase64(record.secret));
  return master_.unseal(sealed, sealContext(project.str(), record.hookId));
}

Result<> Sender::setTarget(const Hook& hook, const snapshot::ProjectSnapshot& project,
                           outbound::Request& request) const {
  const WebhookRecord& record = hook.record;
  request.url = record.url;
  for (const doc::Element& header : record.headers.view()) {
    request.headers.push_back({std::string(header.key), std::string(header.value.asString())});
  }
  if (!record.variables) return {};
  const variables::Values values = variables_.valuesOf(project);
  if (variables::holdsReference(record.url)) {
    TRY(request.url, values.urlOf(record.url));
  }
  for (outbound::Header& header : request.headers) {
    if (!variables::holdsReference(header.value)) continue;
    TRY(header.value, values.textOf(header.value, variables::FieldKind::secret));
    if (outbound::isHeaderValue(header.value)) continue;
    return fail(ErrorCode::conflict,
                fmt::format("the header {} is not valid with the values of its variables", header.name));
  }
  return {};
}

Result<outbound::Request> Sender::requestOf(const Hook& hook, const snapshot::ProjectSnapshot& project,
                                            const SentEvent& event, const std::string& trace) const {
  const ProjectId& id = project.info().id;
  TRY(const Secret secret, unseal(id, hook.record));
  outbound::Request request;
  request.method = "POST";
  request.body = bodyOf(event, id, hook.fields);
  TRY(request.headers, signatureHeaders(secret, event.id, clock_.now(), request.body));
  request.headers.push_back({"content-type", "application/json"});
  RETURN_IF_ERROR(setTarget(hook, project, request));
  const bool traced = std::ranges::any_of(
      request.headers, [](const outbound::Header& header) { return lowerAscii(header.name) == kTraceHeader; });
  if (!trace.empty() && !traced) request.headers.push_back({std::string(kTraceHeader), trace});
  request.trust = outbound::Trust::guarded;
  request.timeout = kTimeout;
  request.connectTimeout = kConnectTimeout;
  request.maxResponseBytes = kMaxResponseBytes;
  request.statusOnly = true;
  request.keys = {id.str(), "webhook/" + hook.record.hookId};
  return request;
}

Async<Attempt> Sender::send(HookPtr hook, snapshot::SnapshotPtr project, SentEvent event, std::string trace) {
  Attempt attempt;
  auto request = requestOf(*hook, *project, event, trace);
  if (!request) {
    // An error about variables names them, and no value.
    const bool ofVariables = request.error().code() == ErrorCode::conflict;
    attempt.error = ofVariables ? request.error().message() : "request failed";
    attempt.cause = request.error().message();
    co_return attempt;
  }
  const std::string host(hook->record.variables ? variables::hostIn(variables::authorityIn(request->url)) : "");
  const auto began = std::chrono::steady_clock::now();
  const Result<outbound::Response> response = co_await outbound_.send(*std::move(request));
  const auto took = std::chrono::steady_clock::now() - began;
  attempt.durationMs = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  if (response) {
    attempt.status = response->status;
    attempt.delivered = response->status >= 200 && response->status < 300;
    if (!attempt.delivered) attempt.error = "request failed";
    co_return attempt;
  }
  const bool slow = response.error().code() == ErrorCode::upstreamTimeout;
  attempt.error = slow ? "request timed out" : "request failed";
  attempt.cause = response.error().cause();
  if (!host.empty() && attempt.cause.contains(host)) attempt.cause = "(names the value of a variable)";
  co_return attempt;
}

void logUndelivered(const ProjectId& project, const Hook& hook, const Attempt& attempt) {
  if (attempt.delivered) return;
  logInfo("webhook delivery failed", {{"project", project.str()},
                                      {"webhook", hook.record.name},
                                      {"status", attempt.status.value_or(0)},
                                      {"problem", attempt.error.value_or("")},
                                      {"cause", attempt.cause}});
}

}  // namespace mb::webhooks
