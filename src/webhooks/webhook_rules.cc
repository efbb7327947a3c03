#include "webhooks/webhook_rules.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "data/reserved.h"
#include "document/path.h"
#include "identity/records.h"
#include "outbound/outbound.h"
#include "store/configuration_limits.h"

namespace mb::webhooks {

namespace {

constexpr std::string_view kEvents[] = {"insert", "update", "delete"};
// Headers that the server sets for content and signatures, in addition to those of its HTTP client.
constexpr std::string_view kReserved[] = {"content-encoding",  "content-type",      "webhook-id",
                                          "webhook-signature", "webhook-timestamp", "x-service-signature"};
constexpr size_t kMaxHeaderNameBytes = 100;
constexpr size_t kMaxUrlBytes = 8 << 10;
constexpr std::string_view kNameRule = "must be a letter, then at most 63 letters, digits, hyphens or underscores";

bool hasBlanks(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
}

void checkEvents(const std::vector<std::string>& events, std::vector<ErrorDetail>& problems) {
  if (events.empty()) problems.push_back({"/events", "must name at least one of insert, update, delete"});
  std::set<std::string_view> seen;
  for (size_t i = 0; i < events.size() && problems.size() < 10; ++i) {
    const std::string path = "/events/" + std::to_string(i);
    if (std::ranges::find(kEvents, events[i]) == std::end(kEvents)) {
      problems.push_back({path, "must be insert, update or delete"});
    } else if (!seen.insert(events[i]).second) {
      problems.push_back({path, "occurs twice"});
    }
  }
}

void checkHeaders(doc::DocumentView headers, const variables::Values& values, std::vector<ErrorDetail>& problems) {
  if (headers.count() > store::kMaxConfiguredHeaders) {
    problems.push_back({"/headers", fmt::format("must be at most {} headers", store::kMaxConfiguredHeaders)});
    return;
  }
  std::set<std::string> seen;
  size_t bytes = 0;
  for (const doc::Element& header : headers) {
    const std::string path = "/headers/" + std::string(header.key);
    const std::string name = lowerAscii(header.key);
    if (!outbound::isHeaderName(header.key) || header.key.size() > kMaxHeaderNameBytes) {
      problems.push_back({path, "is not a valid header name"});
    } else if (outbound::isClientHeader(name) || std::ranges::find(kReserved, name) != std::end(kReserved)) {
      problems.push_back({path, "is set by the server"});
    } else if (!seen.insert(name).second) {
      problems.push_back({path, "occurs twice"});
    }
    if (header.value.type() != doc::BsonType::string) {
      problems.push_back({path, "must be a string"});
      continue;
    }
    std::string text(header.value.asString());
    // A variable without a value stays as it is named, which is valid in a header.
    if (outbound::isHeaderValue(text)) text = values.resolve(text, variables::FieldKind::secret).text;
    if (!outbound::isHeaderValue(text)) {
      problems.push_back({path, "must be printable ASCII without leading or trailing blanks"});
    } else {
      bytes += header.key.size() + text.size();
    }
  }
  if (bytes > kMaxHeaderBytes) problems.push_back({"/headers", "must have at most 8192 characters in all"});
}

void checkFields(const std::vector<std::string>& fields, std::vector<ErrorDetail>& problems) {
  if (fields.empty() || fields.size() > kMaxFields) {
    problems.push_back({"/fields", "must name 1 to 100 fields"});
    return;
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (const auto path = doc::FieldPath::parse(fields[i]); !path) {
      problems.push_back({"/fields/" + std::to_string(i), path.error().message()});
    }
  }
}

}  // namespace

std::vector<ErrorDetail> problemsOf(const NewWebhook& webhook, const variables::Values& values) {
  std::vector<ErrorDetail> problems;
  if (!identity::isName(webhook.name)) problems.push_back({"/name", std::string(kNameRule)});
  if (!data::isCollectionName(webhook.collection)) {
    problems.push_back({"/collection", std::string(kNameRule)});
  } else if (data::isReservedCollection(webhook.collection)) {
    problems.push_back({"/collection", "is a reserved name"});
  }
  checkEvents(webhook.events, problems);
  if (webhook.url.size() > kMaxUrlBytes || hasBlanks(webhook.url)) {
    problems.push_back({"/url", "must be at most 8 KiB without blanks and control characters"});
  } else if (variables::holdsReference(webhook.url)) {
    values.knownUrl(webhook.url, "/url", problems);
  } else if (const auto origin = outbound::originOf(webhook.url); !origin) {
    problems.push_back({"/url", origin.error().message()});
  }
  if (webhook.headers) checkHeaders(*webhook.headers, values, problems);
  if (webhook.fields) checkFields(*webhook.fields, problems);
  return problems;
}

Result<> check(const NewWebhook& webhook, const variables::Values& values) {
  if (webhook.headers && webhook.headers->view().count() > store::kMaxConfiguredHeaders) {
    return fail(ErrorCode::conflict,
                fmt::format("a webhook has at most {} headers: remove some", store::kMaxConfiguredHeaders));
  }
  std::vector<ErrorDetail> problems = problemsOf(webhook, values);
  if (problems.empty()) return {};
  std::string message = problems.front().path + " " + problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

std::vector<HookReference> referencesIn(std::string_view url, doc::DocumentView headers) {
  std::vector<HookReference> found;
  if (variables::holdsReference(url)) found.push_back({"/url", std::string(url), variables::FieldKind::plain});
  for (const doc::Element& header : headers) {
    const bool isText = header.value.type() == doc::BsonType::string;
    if (!isText || !variables::holdsReference(header.value.asString())) continue;
    found.push_back(
        {"/headers/" + std::string(header.key), std::string(header.value.asString()), variables::FieldKind::secret});
  }
  return found;
}

std::string secretNamedIn(doc::DocumentView headers, const variables::Values& values) {
  for (const HookReference& each : referencesIn("", headers)) {
    for (std::string& name : variables::namesIn(each.text)) {
      if (values.mayBeSecret(name)) return std::move(name);
    }
  }
  return {};
}

std::string keyOf(std::string_view name) {
  return lowerAscii(name);
}

doc::Document sortedHeaders(doc::DocumentView headers) {
  std::vector<doc::Element> all;
  for (const doc::Element& header : headers) all.push_back(header);
  std::ranges::sort(all, {}, [](const doc::Element& header) { return lowerAscii(header.key); });
  doc::BsonWriter out;
  for (const doc::Element& header : all) out.append(header.key, header.value);
  return out.finish();
}

}  // namespace mb::webhooks
