#include "policy/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "policy/filter_template.h"
#include "policy/trace_steps.h"
#include "policy/write_rules.h"

namespace mb::policy {
namespace {

constexpr std::array kOperations = {Operation::read,   Operation::list,   Operation::create,
                                    Operation::update, Operation::remove, Operation::admin};

std::optional<Operation> operationNamed(std::string_view name) {
  for (const Operation operation : kOperations) {
    if (operationName(operation) == name) return operation;
  }
  return std::nullopt;
}

constexpr unsigned bit(Operation operation) {
  return 1U << static_cast<unsigned>(operation);
}

// The operations that a key applies to. Keys that validate writes do not apply to reads and deletes; a create does not
// change existing fields; and denied read fields are the same for all callers with a token, so an admin rule has none.
struct RuleKey {
  std::string_view name;
  unsigned operations;
};
constexpr unsigned kPublicOperations = bit(Operation::read) | bit(Operation::list) | bit(Operation::create);
constexpr unsigned kWrites = bit(Operation::create) | bit(Operation::update) | bit(Operation::admin);
constexpr std::array<RuleKey, 5> kRuleKeys = {{
    {"filter", ~0U},
    {"validate", kWrites},
    {"immutableFields", bit(Operation::update) | bit(Operation::admin)},
    {"allowedWriteFields", kWrites},
    {"deniedReadFields", bit(Operation::read) | bit(Operation::list)},
}};

// Of the rules of buckets.
constexpr std::array<RuleKey, 2> kFileRuleKeys = {{{"filter", ~0U}, {"validate", ~0U}}};

std::vector<std::string> united(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

// What rules of one policy are compiled with.
struct RuleContext {
  const doc::Schema* schema;
  RuleNames names;
  std::vector<ErrorDetail>& problems;
};

class CompiledRule final : public Rule {
 public:
  // `pointer` is the rule's in the policy. `source` outlives it.
  CompiledRule(doc::DocumentView source, Operation operation, const std::string& pointer, const RuleContext& context)
      : source_(source), name_(pointer.substr(1)) {
    for (const auto& [key, value] : source) {
      const std::string at = fmt::format("{}/{}", pointer, key);
      if (checkKey(key, operation, at, context)) set(key, value, operation, at, context);
    }
    std::vector<std::string> names = writes_.sets();
    for (const Placeholder& each : filter_.placeholders()) {
      if (!each.set().empty()) names.emplace_back(each.set());
    }
    sets_ = united(std::move(names));
  }

  Result<doc::Filter> filterFor(const Subject& subject, const doc::FilterCoercion& coercion,
                                Trace* trace) const override {
    auto filter = filter_.fill(subject, coercion);
    if (trace != nullptr) traceFilter(*trace, filter_.placeholders(), sets_, subject, filter);
    if (filter) return *std::move(filter);
    return fail(refusedBy(name_, subject.caller));
  }
  const SetCondition* setCondition() const override { return filter_.setCondition(); }
  Result<doc::Filter> filterBesideSet(const Subject& subject, const doc::FilterCoercion& coercion) const override {
    if (auto filter = filter_.fillBesideSet(subject, coercion)) return *std::move(filter);
    return fail(refusedBy(name_, subject.caller));
  }
  const std::vector<std::string>& sets() const override { return sets_; }
  doc::DocumentView source() const override { return source_; }
  bool unrestricted() const override { return filter_.matchesAll(); }
  bool validates() const override { return writes_.hasExpression(); }
  const std::string& name() const override { return name_; }
  Result<> checkWrite(const Check& check) const override {
    Result<> checked = writes_.check(check);
    if (checked || check.subject.caller.kind != CallerKind::member) return checked;
    const Error& error = checked.error();
    if (error.code() != ErrorCode::forbidden) return checked;
    return fail(refusedBy(name_, check.subject.caller).withDetails(error.details()).withCause(error.cause()));
  }

  bool resolvesFor(const Caller& caller) const { return filter_.resolvesFor(caller); }
  const doc::FieldSet& deniedReadFields() const { return denied_; }

 private:
  static bool checkKey(std::string_view key, Operation operation, const std::string& pointer,
                       const RuleContext& context) {
    const std::span<const RuleKey> keys =
        context.names.files ? std::span<const RuleKey>(kFileRuleKeys) : std::span<const RuleKey>(kRuleKeys);
    const auto known = std::ranges::find(keys, key, &RuleKey::name);
    if (known == keys.end()) {
      context.problems.push_back({pointer, "is not a known key of a rule"});
      return false;
    }
    if ((known->operations & bit(operation)) != 0) return true;
    context.problems.push_back({pointer, fmt::format("is not allowed in the rule \"{}\"", operationName(operation))});
    return false;
  }

  void set(std::string_view key, doc::ValueView value, Operation operation, const std::string& pointer,
           const RuleContext& context) {
    const auto& [schema, names, problems] = context;
    if (key == "validate") {
      writes_.setExpression(value, operation, schema, names, pointer, problems);
    } else if (key == "immutableFields") {
      writes_.setImmutable(value, schema, pointer, problems);
    } else if (key == "allowedWriteFields") {
      writes_.setAllowed(value, schema, pointer, problems);
    } else if (key == "deniedReadFields") {
      denied_ = parseFieldList(value, schema, pointer, problems);
    } else if (value.type() == doc::BsonType::document) {
      filter_ = FilterTemplate::compile(value.asDocument(), schema, names, pointer, problems);
    } else {
      problems.push_back({pointer, "must be an object"});
    }
  }

  doc::DocumentView source_;
  const std::string name_;
  FilterTemplate filter_;
  WriteRules writes_;
  doc::FieldSet denied_;
  std::vector<std::string> sets_;
};

class CompiledPolicy final : public Policy {
 public:
  CompiledPolicy(doc::DocumentView source, const RuleContext& context) : source_(source) {
    for (const auto& [name, value] : source_.view()) {
      const auto operation = operationNamed(name);
      const std::string pointer = fmt::format("/{}", name);
      if (context.names.files && (!operation || operation == Operation::admin)) {
        context.problems.push_back({pointer, "must be read, list, create, update or delete"});
      } else if (!operation && name != "public") {
        context.problems.push_back({pointer, "must be read, list, create, update, delete, admin or public"});
      } else if (value.type() != doc::BsonType::document) {
        context.problems.push_back({pointer, "must be an object"});
      } else if (operation) {
        rules_[index(*operation)].emplace(value.asDocument(), *operation, pointer, context);
      } else {
        compilePublic(value.asDocument(), context);
      }
    }
    for (const Operation operation : {Operation::read, Operation::list}) {
      const CompiledRule* own = compiled(operation);
      const CompiledRule* open = compiledPublic(operation);
      if (own != nullptr || open != nullptr) {
        signedIn_ = signedIn_.unite((own != nullptr ? own : open)->deniedReadFields());
      }
      for (const CompiledRule* rule : {own, open}) {
        if (rule != nullptr) anonymous_ = anonymous_.unite(rule->deniedReadFields());
      }
    }
  }

  const Rule* rule(Operation op) const override { return compiled(op); }
  const Rule* publicRule(Operation op) const override { return compiledPublic(op); }

  Result<const Rule*> ruleFor(const Caller& caller, std::string_view collection, Operation op) const override {
    const Rule* open = compiledPublic(op);
    if (caller.kind != CallerKind::anonymous) {
      const CompiledRule* admin = compiled(Operation::admin);
      if (admin != nullptr && caller.adminOf(collection) && admin->resolvesFor(caller)) return admin;
      const CompiledRule* own = compiled(op);
      if (own != nullptr && op != Operation::admin) return own;
    }
    if (open == nullptr) return fail(refusedWithoutRule(op, caller));
    return open;
  }

  const doc::FieldSet& deniedReadFields(ReaderKind reader) const override {
    static const doc::FieldSet nothing;
    switch (reader) {
      case ReaderKind::signedIn:
        return signedIn_;
      case ReaderKind::anonymous:
        return anonymous_;
      case ReaderKind::unrestricted:
        break;
    }
    return nothing;
  }
  std::vector<std::string> sets() const override {
    std::vector<std::string> names;
    for (const auto& rule : rules_) {
      if (rule) names.insert(names.end(), rule->sets().begin(), rule->sets().end());
    }
    return united(std::move(names));
  }
  const doc::Document& source() const override { return source_; }

 private:
  using Rules = std::array<std::optional<CompiledRule>, kOperations.size()>;

  static size_t index(Operation op) { return static_cast<size_t>(op); }
  const CompiledRule* compiled(Operation op) const { return at(rules_, op); }
  const CompiledRule* compiledPublic(Operation op) const { return at(public_, op); }
  static const CompiledRule* at(const Rules& rules, Operation op) {
    const auto& rule = rules[index(op)];
    return rule ? &*rule : nullptr;
  }

  void compilePublic(doc::DocumentView source, const RuleContext& context) {
    const RuleContext open{context.schema, {.sets = context.names.sets, .placeholders = false}, context.problems};
    for (const auto& [name, value] : source) {
      const auto operation = operationNamed(name);
      const std::string pointer = fmt::format("/public/{}", name);
      if (!operation || (bit(*operation) & kPublicOperations) == 0) {
        context.problems.push_back({pointer, "must be read, list or create"});
      } else if (value.type() != doc::BsonType::document) {
        context.problems.push_back({pointer, "must be an object"});
      } else {
        public_[index(*operation)].emplace(value.asDocument(), *operation, pointer, open);
      }
    }
  }

  doc::Document source_;
  Rules rules_;
  Rules public_;  // of kPublicOperations
  doc::FieldSet signedIn_;
  doc::FieldSet anonymous_;
};

}  // namespace

Error refusedBy(std::string_view rule, const Caller& caller, std::string message) {
  if (caller.kind == CallerKind::member) message += fmt::format(" (rule \"{}\")", rule);
  return {ErrorCode::forbidden, std::move(message)};
}

Error refusedWithoutRule(Operation operation, const Caller& caller) {
  std::string message = "denied by policy";
  if (caller.kind == CallerKind::member) message += fmt::format(" (no rule \"{}\")", operationName(operation));
  return {ErrorCode::forbidden, std::move(message)};
}

std::string_view operationName(Operation op) {
  switch (op) {
    case Operation::read:
      return "read";
    case Operation::list:
      return "list";
    case Operation::create:
      return "create";
    case Operation::update:
      return "update";
    case Operation::remove:
      return "delete";
    case Operation::admin:
      return "admin";
  }
  return "";
}

ReaderKind readerKindOf(const Caller& caller) {
  if (caller.bypassesPolicies()) return ReaderKind::unrestricted;
  return caller.kind == CallerKind::anonymous ? ReaderKind::anonymous : ReaderKind::signedIn;
}

Result<std::shared_ptr<const Policy>> compileFileRules(doc::DocumentView source, const RuleNames& names) {
  RuleNames files = names;
  files.files = true;
  return compilePolicy(source, nullptr, files);
}

Result<std::shared_ptr<const Policy>> compilePolicy(doc::DocumentView source, const doc::Schema* schema,
                                                    const RuleNames& names) {
  std::vector<ErrorDetail> problems;
  auto policy = std::make_shared<const CompiledPolicy>(source, RuleContext{schema, names, problems});
  if (problems.empty()) return policy;
  std::string message = fmt::format("{}: {}", problems.front().path, problems.front().message);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

Result<> refuseDeniedFields(const doc::Filter& filter, const doc::FieldSet& denied, Trace* trace) {
  if (denied.empty()) return {};
  Breaches breaches;
  for (std::string& path : filter.paths()) {
    if (!denied.touches(path)) continue;
    breaches.denied.push_back(std::move(path));
    if (trace == nullptr || breaches.denied.size() == kMaxTracedPaths) break;
  }
  const bool passed = breaches.denied.empty();
  if (trace != nullptr) traceFields(*trace, passed, breaches);
  if (passed) return {};
  return fail(ErrorCode::forbidden, "the filter must not name a field that you may not read");
}

}  // namespace mb::policy
