#include "webhooks/sender.h"

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

Result<outbound::Request> Sender::requestOf(const Hook& hook, const ProjectId& project, const SentEvent& event,
                                            const std::string& trace) const {
  TRY(const Secret secret, unseal(project, hook.record));
  outbound::Request request;
  request.method = "POST";
  request.url = hook.record.url;
  request.body = bodyOf(event, project, hook.fields);
  TRY(request.headers, signatureHeaders(secret, event.id, clock_.now(), request.body));
  request.headers.push_back({"content-type", "application/json"});
  bool traced = false;
  for (const doc::Element& header : hook.record.headers.view()) {
    traced |= lowerAscii(header.key) == kTraceHeader;
    request.headers.push_back({std::string(header.key), std::string(header.value.asString())});
  }
  if (!trace.empty() && !traced) request.headers.push_back({std::string(kTraceHeader), trace});
  request.trust = outbound::Trust::guarded;
  request.timeout = kTimeout;
  request.connectTimeout = kConnectTimeout;
  request.maxResponseBytes = kMaxResponseBytes;
  request.statusOnly = true;
  request.keys = {project.str(), "webhook/" + hook.record.hookId};
  return request;
}

Async<Attempt> Sender::send(HookPtr hook, ProjectId project, SentEvent event, std::string trace) {
  Attempt attempt;
  auto request = requestOf(*hook, project, event, trace);
  if (!request) {
    attempt.error = "request failed";
    attempt.cause = request.error().message();
    co_return attempt;
  }
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
