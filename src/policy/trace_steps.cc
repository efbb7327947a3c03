#include "policy/trace_steps.h"

#include <algorithm>
#include <set>

#include "base/uncounted_work.h"
#include "document/filter_write.h"
#include "document/path.h"
#include "policy/policy.h"

namespace mb::policy {
namespace {

void appendList(doc::BsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.beginArray(key);
  for (size_t i = 0; i < texts.size(); ++i) out.appendString(doc::arrayKey(i), texts[i]);
  out.end();
}

void appendBounded(doc::BsonWriter& out, std::string_view key, doc::ValueView value) {
  if (value.raw().size() <= kMaxTracedValueBytes) return out.append(key, value);
  out.beginDocument(key);
  out.appendInteger("$bytes", static_cast<int64_t>(value.raw().size()));
  out.end();
}

// The value at the path; an array of those at it, where the path leads through arrays to several. Null without one.
void appendValue(doc::BsonWriter& out, std::string_view key, doc::DocumentView document, const doc::FieldPath& path) {
  std::vector<doc::ValueView> values;
  doc::walkPath(document, path, doc::Leaf::wholeOnly, [&](std::optional<doc::ValueView> value) {
    if (value) values.push_back(*value);
    return values.size() == kMaxTracedPaths;
  });
  if (values.size() <= 1) return appendBounded(out, key, values.empty() ? doc::ValueView() : values.front());
  out.beginArray(key);
  for (size_t i = 0; i < values.size(); ++i) appendBounded(out, doc::arrayKey(i), values[i]);
  out.end();
}

struct Outcome {
  doc::Filter condition;
  bool passed;
};

void appendOutcome(doc::BsonWriter& out, const Outcome& outcome, doc::DocumentView document) {
  const doc::FilterNode& root = outcome.condition.root();
  const std::string& path = root.path.dotted();
  const doc::Document written = doc::filterDocument(outcome.condition);
  out.appendString("path", path);
  if (path.empty()) {
    appendBounded(out, "condition", doc::ValueView(doc::BsonType::document, written.bytes().data(), written.size()));
    out.appendNull("value");
  } else {
    appendBounded(out, "condition", written.view().begin()->value);
    appendValue(out, "value", document, root.path);
  }
  out.appendBool("passed", outcome.passed);
}

}  // namespace

void tracePermission(Trace& trace, std::string_view needed, const std::string* by) {
  trace.add("permission", by != nullptr, [&](doc::BsonWriter& out) {
    out.appendString("needed", needed);
    if (by != nullptr) out.appendString("by", *by);
  });
}

void traceRule(Trace& trace, std::string_view source, const Rule* rule) {
  trace.add("rule", rule != nullptr, [&](doc::BsonWriter& out) {
    out.appendString("source", source);
    if (rule != nullptr) out.appendDocument("rule", rule->source());
  });
}

void traceFilter(Trace& trace, const std::vector<Placeholder>& placeholders, const std::vector<std::string>& sets,
                 const Subject& subject, const std::optional<doc::Filter>& filled) {
  std::set<std::string> unresolved;
  std::vector<std::pair<std::string, doc::Value>> values;
  const auto add = [&](std::string text, std::optional<doc::Value> value) {
    if (!value) {
      unresolved.insert(std::move(text));
    } else if (std::ranges::find(values, text, &std::pair<std::string, doc::Value>::first) == values.end()) {
      values.emplace_back(std::move(text), *std::move(value));
    }
  };
  for (const Placeholder& each : placeholders) add(each.text(), each.resolve(subject));
  for (const std::string& name : sets) {
    const auto set = Placeholder::parse("$auth.sets." + name, Placeholder::Takes::list);
    if (set) add(set->text(), set->resolve(subject));
  }
  if (!placeholders.empty() || !sets.empty()) {
    trace.add("placeholders", filled.has_value(), [&](doc::BsonWriter& out) {
      out.beginDocument("values");
      for (const auto& [text, value] : values) out.append(text, value);
      out.end();
      appendList(out, "unresolved", {unresolved.begin(), unresolved.end()});
    });
  }
  if (!filled || filled->matchesAll()) return;
  trace.add("filter", true, [&](doc::BsonWriter& out) { out.appendDocument("filter", doc::filterDocument(*filled)); });
}

void traceUnusableSet(Trace& trace, std::string_view set) {
  trace.add("placeholders", false, [&](doc::BsonWriter& out) {
    out.beginDocument("values");
    out.end();
    appendList(out, "unresolved", {"$auth.sets." + std::string(set)});
  });
}

bool traceDocument(Trace& trace, const doc::Filter& filter, std::optional<doc::DocumentView> document, bool found) {
  bool passed = document.has_value();
  std::vector<Outcome> outcomes;
  std::vector<doc::Filter> conditions;
  size_t next = 0;
  if (document) {
    // The request stops at the first condition that does not hold.
    conditions = doc::conditionsOf(filter);
    while (passed && next < conditions.size()) {
      passed = conditions[next].matches(*document);
      outcomes.push_back({std::move(conditions[next++]), passed});
    }
  }
  const UncountedWork work(kCoreWork);
  for (; next < conditions.size(); ++next) {
    const bool holds = conditions[next].matches(*document);
    outcomes.push_back({std::move(conditions[next]), holds});
  }
  trace.add("document", passed, [&](doc::BsonWriter& out) {
    out.appendBool("found", found);
    out.beginArray("conditions");
    for (size_t i = 0; i < outcomes.size() && out.size() <= kMaxStepBytes; ++i) {
      out.beginDocument(doc::arrayKey(i));
      appendOutcome(out, outcomes[i], *document);
      out.end();
    }
    out.end();
  });
  return passed;
}

void traceFields(Trace& trace, bool passed, const Breaches& breaches) {
  trace.add("fields", passed, [&](doc::BsonWriter& out) {
    appendList(out, "denied", breaches.denied);
    appendList(out, "immutable", breaches.immutable);
    appendList(out, "allowedWrite", breaches.allowedWrite);
  });
}

void traceSchema(Trace& trace, const std::vector<ErrorDetail>& problems) {
  trace.add("schema", problems.empty(), [&](doc::BsonWriter& out) {
    out.beginArray("problems");
    for (size_t i = 0; i < problems.size(); ++i) {
      out.beginDocument(doc::arrayKey(i));
      out.appendString("path", problems[i].path);
      out.appendString("message", problems[i].message);
      out.end();
    }
    out.end();
  });
}

void traceSchema(Trace& trace, const Error& error) {
  if (!error.details().empty()) return traceSchema(trace, error.details());
  std::vector<ErrorDetail> problems;
  problems.push_back({"", error.message()});
  traceSchema(trace, problems);
}

}  // namespace mb::policy
