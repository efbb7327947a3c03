#include "functions/function_rules.h"

#include <algorithm>
#include <set>

#include "configuration/canonical_form.h"
#include "data/reserved.h"
#include "document/json.h"
#include "functions/contains.h"
#include "functions/cron_schedule.h"
#include "functions/http_routes.h"
#include "functions/test_rules.h"

namespace mb::functions {

namespace {

using doc::BsonType;

constexpr std::string_view kEvents[] = {"insert", "update", "delete"};
constexpr std::string_view kMethods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
constexpr std::string_view kNameRule =
    "must be a lower-case letter, then 1 to 63 lower-case letters, digits or hyphens";

// A field of a trigger, and its validation.
struct TriggerField {
  std::string_view name;
  void (*check)(doc::ValueView value, std::vector<ErrorDetail>& problems);
  bool optional = false;
};
struct TriggerShape {
  std::string_view type;
  std::vector<TriggerField> fields;  // in the documented order
};

bool isText(doc::ValueView value, std::string_view path, std::vector<ErrorDetail>& problems) {
  if (value.type() == BsonType::string) return true;
  problems.push_back({std::string(path), "must be a string"});
  return false;
}

void checkCollection(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (!isText(value, "/trigger/collection", problems)) return;
  if (!data::isCollectionName(value.asString())) {
    problems.push_back(
        {"/trigger/collection", "must be a letter, then at most 63 letters, digits, hyphens or underscores"});
  } else if (data::isReservedCollection(value.asString())) {
    problems.push_back({"/trigger/collection", "is a reserved name"});
  }
}

void checkEvents(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (value.type() != BsonType::array) return problems.push_back({"/trigger/events", "must be an array"});
  if (value.asDocument().empty()) {
    problems.push_back({"/trigger/events", "must name at least one of insert, update, delete"});
  }
  std::set<std::string_view> seen;
  for (const auto& [index, each] : value.asDocument()) {
    const std::string path = fmt::format("/trigger/events/{}", index);
    if (each.type() != BsonType::string || !contains(kEvents, each.asString())) {
      problems.push_back({path, "must be insert, update or delete"});
    } else if (!seen.insert(each.asString()).second) {
      problems.push_back({path, "is listed twice"});
    }
    if (problems.size() > 10) return;
  }
}

void checkUserCreated(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (value.type() == BsonType::string && value.asString() == "userCreated") return;
  problems.push_back({"/trigger/event", "must be userCreated"});
}

void checkFileUploaded(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (value.type() == BsonType::string && value.asString() == "fileUploaded") return;
  problems.push_back({"/trigger/event", "must be fileUploaded"});
}

void checkMethod(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (value.type() == BsonType::string && contains(kMethods, value.asString())) return;
  problems.push_back({"/trigger/method", "must be GET, POST, PUT, PATCH or DELETE"});
}

void checkPath(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (!isText(value, "/trigger/path", problems)) return;
  if (auto problem = pathProblem(value.asString())) problems.push_back({"/trigger/path", *std::move(problem)});
}

void checkSchedule(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (!isText(value, "/trigger/schedule", problems)) return;
  if (const auto parsed = CronSchedule::parse(value.asString()); !parsed) {
    problems.push_back({"/trigger/schedule", parsed.error().message()});
  }
}

void checkTimezone(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (!isText(value, "/trigger/timezone", problems)) return;
  if (TimeZone::find(value.asString())) return;
  problems.push_back({"/trigger/timezone", "must be a name of the IANA time zone database, such as Europe/Zurich"});
}

const std::vector<TriggerShape>& triggerShapes() {
  static const std::vector<TriggerShape> kShapes = {
      {"database", {{"collection", checkCollection}, {"events", checkEvents}}},
      {"auth", {{"event", checkUserCreated}}},
      {"storage", {{"event", checkFileUploaded}}},
      {"http", {{"method", checkMethod}, {"path", checkPath}}},
      {"cron", {{"schedule", checkSchedule}, {"timezone", checkTimezone, true}}},
  };
  return kShapes;
}

const TriggerShape* shapeOf(doc::DocumentView trigger) {
  const auto found = std::ranges::find(triggerShapes(), trigger.stringOr("type"), &TriggerShape::type);
  return found == triggerShapes().end() ? nullptr : &*found;
}

void checkTrigger(doc::DocumentView trigger, std::vector<ErrorDetail>& problems) {
  const TriggerShape* shape = shapeOf(trigger);
  if (!shape) return problems.push_back({"/trigger/type", "must be database, auth, storage, http or cron"});
  for (const TriggerField& field : shape->fields) {
    if (const auto value = trigger.find(field.name)) {
      field.check(*value, problems);
    } else if (!field.optional) {
      problems.push_back({fmt::format("/trigger/{}", field.name), "is required"});
    }
  }
  for (const doc::Element& given : trigger) {
    if (given.key == "type" || contains(shape->fields, given.key, &TriggerField::name)) continue;
    problems.push_back({fmt::format("/trigger/{}", given.key), "is not a known field"});
  }
}

void checkTiming(const NewFunction& function, std::vector<ErrorDetail>& problems) {
  if (!function.timing || *function.timing == "post") return;
  if (*function.timing != "pre") return problems.push_back({"/timing", "must be pre or post"});
  if (function.trigger.view().stringOr("type") != "database") {
    problems.push_back({"/timing", "may be pre for a database trigger only"});
  }
  if (function.flow) problems.push_back({"/timing", "must be post for a flow"});
}

void checkRetry(const NewFunction& function, std::vector<ErrorDetail>& problems) {
  if (!function.retry) return;
  if (function.retry->attempts < 1 || function.retry->attempts > kMaxRunAttempts) {
    problems.push_back({"/retry/attempts", fmt::format("must be 1 to {}", kMaxRunAttempts)});
  }
  if (function.retry->backoffSeconds < 1 || function.retry->backoffSeconds > kMaxBackoffSeconds) {
    problems.push_back({"/retry/backoffSeconds", fmt::format("must be 1 to {}", kMaxBackoffSeconds)});
  }
  if (function.timing.value_or("post") == "pre") problems.push_back({"/retry", std::string(kNoHookRetry)});
}

}  // namespace

bool isFunctionName(std::string_view name) {
  const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
  return name.size() >= 2 && name.size() <= 64 && isLower(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return isLower(c) || (c >= '0' && c <= '9') || c == '-'; });
}

std::vector<ErrorDetail> problemsOf(const NewFunction& function) {
  std::vector<ErrorDetail> problems;
  if (!isFunctionName(function.name)) problems.push_back({"/name", std::string(kNameRule)});
  // GET /admin/functions/stats would hide it.
  if (function.name == "stats") problems.push_back({"/name", "is reserved"});
  checkTrigger(function.trigger, problems);
  checkTiming(function, problems);
  checkRetry(function, problems);
  if (function.timeoutMs && (*function.timeoutMs < 100 || *function.timeoutMs > 60'000)) {
    problems.push_back({"/timeoutMs", "must be 100 to 60000"});
  }
  if (!function.code && !function.flow) problems.push_back({"/code", "is required without a flow"});
  if (function.code && function.code->size() > kMaxCodeBytes) {
    problems.push_back({"/code", "must have at most 262144 bytes"});
  }
  if (function.code && function.code->contains('\0')) problems.push_back({"/code", "must not hold NUL"});
  if (function.flow && doc::toJson(*function.flow).size() > kMaxFlowBytes) {
    problems.push_back({"/flow", "must have at most 262144 bytes as JSON"});
  }
  if (function.tests) checkTests(*function.tests, problems);
  return problems;
}

Error asError(std::vector<ErrorDetail> problems) {
  std::string message = problems.front().path + " " + problems.front().message;
  return Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems));
}

Result<> check(const NewFunction& function) {
  std::vector<ErrorDetail> problems = problemsOf(function);
  if (problems.empty()) return {};
  return fail(asError(std::move(problems)));
}

Result<doc::Document> jsonForm(doc::DocumentView given) {
  auto read = doc::parseJson(doc::toJson(configuration::portable(given)));
  if (!read) return fail(ErrorCode::validation, read.error().message());
  return configuration::portable(*read);
}

Result<std::vector<doc::Document>> canonicalTests(const std::vector<doc::Document>& tests) {
  std::vector<doc::Document> all;
  for (size_t i = 0; i < tests.size(); ++i) {
    auto one = jsonForm(tests[i]);
    if (!one) return fail(asError({{fmt::format("/tests/{}", i), one.error().message()}}));
    all.push_back(canonicalTest(*one));
  }
  return all;
}

doc::Document canonicalTrigger(doc::DocumentView trigger) {
  doc::BsonWriter out;
  out.appendString("type", trigger.stringOr("type"));
  for (const TriggerField& field : shapeOf(trigger)->fields) {
    const auto value = trigger.find(field.name);
    if (!value) continue;
    if (field.name != "events") {
      out.append(field.name, *value);
      continue;
    }
    out.beginArray(field.name);
    size_t index = 0;
    for (const std::string_view event : kEvents) {
      bool named = false;
      for (const doc::Element& each : value->asDocument()) named = named || each.value.asString() == event;
      if (named) out.appendString(doc::arrayKey(index++), event);
    }
    out.end();
  }
  return out.finish();
}

std::optional<std::string> routeOf(doc::DocumentView trigger) {
  if (trigger.stringOr("type") != "http") return std::nullopt;
  return routeKey(trigger.stringOr("method"), trigger.stringOr("path"));
}

}  // namespace mb::functions
