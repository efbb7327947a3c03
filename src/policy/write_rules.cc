#include "policy/write_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/uncounted_work.h"
#include "document/path.h"
#include "policy/file_fields.h"
#include "policy/trace_steps.h"

namespace mb::policy {
namespace {

constexpr size_t kMaxChanges = 10'000;
constexpr size_t kMaxFields = 1'000;
constexpr int64_t kUnitsPerChange = 150;  // of a WorkBudget

// Fields of the server are always allowed, and updatedAt, which changes with every write, is never immutable.
bool isAlwaysWritten(std::string_view path) {
  return path == "id" || path == "createdAt" || path == "updatedAt" || path == "ownerId";
}
bool isAlwaysChanged(std::string_view path) {
  return path == "updatedAt";
}

std::unexpected<Error> refuseField(const std::string& path) {
  std::string pointer = "/" + path;
  std::ranges::replace(pointer, '.', '/');
  return fail(Error(ErrorCode::forbidden, "denied by policy").withDetail(std::move(pointer), "must not be written"));
}

// Whether a set of fields contains a changed path.
enum class Verdict { inside, outside };

// Compares each change with a set of fields, also inside arrays whose elements changed in place: with "items.price" in
// the set, a change of items.0.price is inside and one of items.0.name outside. Added, removed or moved elements change
// the array as a whole.
class WriteRuleEvaluator {
 public:
  // With `refusesMany`, more changes than can be checked count as a match.
  WriteRuleEvaluator(const doc::FieldSet& fields, bool refusesMany) : fields_(fields), refusesMany_(refusesMany) {}

  // The first changes with the verdict `wanted`, at most `max`.
  std::vector<std::string> find(Verdict wanted, doc::DocumentView before, doc::DocumentView after,
                                size_t max = 1) const {
    std::vector<std::string> found;
    const std::vector<std::string> changed = doc::changedPaths(before, after, kMaxChanges);
    if (refusesMany_ && changed.size() >= kMaxChanges) return {changed.front()};
    for (const std::string& path : changed) {
      if (found.size() == max) break;
      if (!WorkBudget::charge(kUnitsPerChange)) return {path};  // the budget's owner refuses the write
      if (wanted == Verdict::inside ? isAlwaysChanged(path) : isAlwaysWritten(path)) continue;
      if (auto breach = findIn(wanted, before, after, path, path)) found.push_back(*std::move(breach));
    }
    return found;
  }

 private:
  // `path` is relative to the two documents, `full` to the root.
  std::optional<std::string> findIn(Verdict wanted, doc::DocumentView before, doc::DocumentView after,
                                    const std::string& path, const std::string& full) const {
    if (fields_.coversNames(full)) return wanted == Verdict::inside ? std::optional(full) : std::nullopt;
    if (!fields_.touches(full)) return wanted == Verdict::outside ? std::optional(full) : std::nullopt;
    // The set has paths below this one: partly inside, partly outside.
    const auto old = before.findPath(path);
    const auto now = after.findPath(path);
    const bool arrays = old && now && old->type() == doc::BsonType::array && now->type() == doc::BsonType::array &&
                        old->asDocument().count() == now->asDocument().count();
    return arrays ? findInElements(wanted, old->asDocument(), now->asDocument(), full) : std::optional(full);
  }

  std::optional<std::string> findInElements(Verdict wanted, doc::DocumentView before, doc::DocumentView after,
                                            const std::string& full) const {
    auto now = after.begin();
    for (const doc::Element& old : before) {
      const doc::ValueView element = now->value;
      ++now;
      if (old.value.type() == element.type() && old.value.raw() == element.raw()) continue;
      if (old.value.type() != doc::BsonType::document || element.type() != doc::BsonType::document) return full;
      const doc::DocumentView left = old.value.asDocument();
      const doc::DocumentView right = element.asDocument();
      const std::vector<std::string> changed = doc::changedPaths(left, right, kMaxChanges);
      if (refusesMany_ && changed.size() >= kMaxChanges) return full;
      for (const std::string& path : changed) {
        if (!WorkBudget::charge(kUnitsPerChange)) return full;
        if (auto found = findIn(wanted, left, right, path, full + "." + path)) return found;
      }
    }
    return std::nullopt;
  }

  const doc::FieldSet& fields_;
  const bool refusesMany_;
};

// The variable `auth` for a caller with a token.
doc::Document describe(const Subject& subject, const std::vector<std::string>& sets) {
  const Caller& caller = subject.caller;
  doc::BsonWriter out;
  const auto text = [&](std::string_view key, std::string_view value) {
    value.empty() ? out.appendNull(key) : out.appendString(key, value);
  };
  text("uid", caller.id);
  text("role", caller.role);
  text("pid", caller.projectId.str());
  out.appendDocument("token", caller.kind == CallerKind::endUser ? caller.claims.view() : doc::DocumentView());
  out.beginDocument("sets");
  for (const std::string& name : sets) {
    const SetValue* value = subject.sets == nullptr ? nullptr : subject.sets->find(name);
    if (value != nullptr) out.append(name, value->list());
  }
  out.end();
  return out.finish();
}

cel::Environment::Declaration fileVariable(std::string name, std::string type) {
  cel::Environment::Declaration declaration{std::move(name), std::move(type), nullptr, {}};
  for (const FileField& field : kFileFields) declaration.fields.emplace_back(field.name, field.type);
  return declaration;
}

cel::Environment environmentOf(Operation operation, const doc::Schema* schema, const RuleNames& names) {
  const std::string document = schema != nullptr ? "object" : "map";
  cel::Environment environment;
  environment.declarations = {
      {"auth",
       names.placeholders ? "object" : "object?",
       nullptr,
       {{"uid", "string?"},
        {"role", "string?"},
        {"pid", "string?"},
        {"token", "map"},
        {"sets", "map(string,list(string))"}}},
      {"now", "timestamp", nullptr, {}},
  };
  if (names.files) {
    environment.declarations.push_back(fileVariable("file", "object"));
    environment.declarations.push_back(fileVariable("previous", operation == Operation::create ? "object?" : "object"));
    return environment;
  }
  environment.declarations.insert(environment.declarations.begin(), {"document", document, schema, {}});
  // An admin rule applies to creates too, where `previous` is null.
  if (operation == Operation::update) environment.declarations.push_back({"previous", document, schema, {}});
  if (operation == Operation::admin) environment.declarations.push_back({"previous", document + "?", schema, {}});
  return environment;
}

void checkSets(const cel::Selection& used, const RuleNames& names, const std::string& pointer,
               std::vector<ErrorDetail>& problems) {
  if (used.whole) problems.push_back({pointer, "name the set that is meant: auth.sets.<name>"});
  if (used.names.empty()) return;
  if (!names.placeholders) {
    problems.push_back({pointer, "a public rule has no sets: it applies to callers without a token"});
    return;
  }
  for (const std::string& name : used.names) {
    if (names.sets == nullptr || std::ranges::find(*names.sets, name) != names.sets->end()) continue;
    problems.push_back({pointer, fmt::format("there is no set \"{}\"", name)});
  }
}

}  // namespace

void checkDeclared(const doc::Schema* schema, std::string_view path, const std::string& pointer,
                   std::vector<ErrorDetail>& problems) {
  if (schema == nullptr || schema->declares(path)) return;
  problems.push_back({pointer, fmt::format("\"{}\" is not a field of the collection's schema", path)});
}

void checkDeclared(const doc::Schema* schema, const RuleNames& names, std::string_view path, const std::string& pointer,
                   std::vector<ErrorDetail>& problems) {
  if (!names.files) return checkDeclared(schema, path, pointer, problems);
  if (!isFileField(path)) problems.push_back({pointer, fmt::format("\"{}\" is not a field of a file", path)});
}

doc::FieldSet parseFieldList(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                             std::vector<ErrorDetail>& problems) {
  if (value.type() != doc::BsonType::array || value.asDocument().count() > kMaxFields) {
    problems.push_back({pointer, fmt::format("must be a list of at most {} field names", kMaxFields)});
    return {};
  }
  std::vector<std::string> paths;
  for (const auto& [position, each] : value.asDocument()) {
    const std::string at = fmt::format("{}/{}", pointer, position);
    if (each.type() != doc::BsonType::string) {
      problems.push_back({at, "must be a field name"});
    } else if (auto path = doc::FieldPath::parse(each.asString()); !path) {
      problems.push_back({at, path.error().message()});
    } else {
      checkDeclared(schema, path->dotted(), at, problems);
      paths.push_back(path->dotted());
    }
  }
  return doc::FieldSet(std::move(paths));
}

void WriteRules::setImmutable(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                              std::vector<ErrorDetail>& problems) {
  immutable_ = parseFieldList(value, schema, pointer, problems);
}

void WriteRules::setAllowed(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                            std::vector<ErrorDetail>& problems) {
  allowed_ = parseFieldList(value, schema, pointer, problems);
}

void WriteRules::setExpression(doc::ValueView value, Operation operation, const doc::Schema* schema,
                               const RuleNames& names, const std::string& pointer, std::vector<ErrorDetail>& problems) {
  if (value.type() != doc::BsonType::string) {
    problems.push_back({pointer, "must be an expression, as a string"});
    return;
  }
  auto compiled = cel::Expression::compile(value.asString(), environmentOf(operation, schema, names));
  if (!compiled) {
    for (const ErrorDetail& detail : compiled.error().details()) {
      const size_t colon = detail.path.find(':');
      problems.push_back({pointer, fmt::format("line {}, column {}: {}", detail.path.substr(0, colon),
                                               detail.path.substr(colon + 1), detail.message)});
    }
    return;
  }
  const std::string_view type = (*compiled)->resultType();
  if (type != "bool" && type != "dyn") {
    problems.push_back({pointer, fmt::format("line 1, column 1: the expression must give bool, not {}", type)});
    return;
  }
  cel::Selection sets = (*compiled)->selectedFrom("auth", "sets");
  checkSets(sets, names, pointer, problems);
  sets_ = std::move(sets.names);
  expression_ = *std::move(compiled);
  usesAuth_ = expression_->uses("auth");
  files_ = names.files;
}

Result<> WriteRules::check(const Rule::Check& check) const {
  if (immutable_.empty() && !allowed_) return checkExpression(check);
  Result<> fields = checkFields(check);
  if (check.trace != nullptr) traceFields(check, fields.has_value());
  if (!fields) return fields;
  return checkExpression(check);
}

Result<> WriteRules::checkFields(const Rule::Check& check) const {
  const doc::DocumentView before = check.before != nullptr ? *check.before : doc::DocumentView();
  const bool creating = check.before == nullptr;
  if (creating || check.hidden == nullptr || check.hidden->empty()) {
    return checkFields(before, check.after, creating, Refused::breachesAndTooMany);
  }
  // Hidden fields do not count for the limit of changes: a right guess at one would lower the count.
  RETURN_IF_ERROR(checkFields(check.hidden->strip(before), check.hidden->strip(check.after), creating,
                              Refused::breachesAndTooMany));
  return checkFields(before, check.after, creating, Refused::breaches);
}

Result<> WriteRules::checkFields(doc::DocumentView before, doc::DocumentView after, bool creating,
                                 Refused refused) const {
  const bool many = refused == Refused::breachesAndTooMany;
  if (!immutable_.empty() && !creating) {
    const auto breach = WriteRuleEvaluator(immutable_, many).find(Verdict::inside, before, after);
    if (!breach.empty()) return refuseField(breach.front());
  }
  if (allowed_) {
    const auto breach = WriteRuleEvaluator(*allowed_, many).find(Verdict::outside, before, after);
    if (!breach.empty()) return refuseField(breach.front());
  }
  return {};
}

// Lists all breaches; checkFields() stops at the first.
void WriteRules::traceFields(const Rule::Check& check, bool passed) const {
  Breaches breaches;
  if (!passed) {
    const UncountedWork work(kCoreWork);
    const doc::DocumentView before = check.before != nullptr ? *check.before : doc::DocumentView();
    if (check.before != nullptr && !immutable_.empty()) {
      breaches.immutable =
          WriteRuleEvaluator(immutable_, true).find(Verdict::inside, before, check.after, kMaxTracedPaths);
    }
    if (allowed_) {
      breaches.allowedWrite =
          WriteRuleEvaluator(*allowed_, true).find(Verdict::outside, before, check.after, kMaxTracedPaths);
    }
  }
  policy::traceFields(*check.trace, passed, breaches);
}

Result<> WriteRules::checkExpression(const Rule::Check& check) const {
  if (expression_ == nullptr) return {};
  const bool anonymous = check.subject.caller.kind == CallerKind::anonymous;
  const doc::Document auth = usesAuth_ && !anonymous ? describe(check.subject, sets_) : doc::Document();
  std::array<cel::Variable, 4> variables;
  variables[0].name = files_ ? "file" : "document";
  variables[0].value = check.after;
  variables[1].name = "auth";
  if (anonymous) {
    variables[1].scalar = doc::ValueView();
  } else {
    variables[1].value = auth.view();
  }
  variables[2].name = "now";
  variables[2].timestamp = check.now;
  variables[3].name = "previous";
  if (check.before != nullptr) {
    variables[3].value = *check.before;
  } else {
    variables[3].scalar = doc::ValueView();
  }
  const cel::Evaluation result = expression_->test(variables);
  const bool failed = result.kind == cel::Evaluation::Kind::error;
  const bool passed = result.kind == cel::Evaluation::Kind::yes || (check.partial && failed);
  if (check.trace != nullptr) {
    check.trace->add("validate", passed, [&](doc::BsonWriter& out) {
      out.appendString("expression", expression_->source());
      out.appendBool("value", result.kind == cel::Evaluation::Kind::yes);
      if (failed) out.appendString("error", result.message);
      const UncountedWork work(kCoreWork);
      expression_->writeParts(out, "parts", variables);
    });
  }
  if (passed) return {};
  return fail(Error(ErrorCode::forbidden, "denied by policy").withCause("validate: " + result.message));
}

}  // namespace mb::policy
