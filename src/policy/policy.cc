#include "policy/policy.h"

#include <fmt/format.h>

#include <array>

#include "policy/filter_template.h"
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
// change existing fields; and denied read fields are the same for all callers, so an admin rule has none.
struct RuleKey {
  std::string_view name;
  unsigned operations;
};
constexpr unsigned kWrites = bit(Operation::create) | bit(Operation::update) | bit(Operation::admin);
constexpr std::array<RuleKey, 5> kRuleKeys = {{
    {"filter", ~0U},
    {"validate", kWrites},
    {"immutableFields", bit(Operation::update) | bit(Operation::admin)},
    {"allowedWriteFields", kWrites},
    {"deniedReadFields", bit(Operation::read) | bit(Operation::list)},
}};

class CompiledRule final : public Rule {
 public:
  CompiledRule(doc::DocumentView source, Operation operation, const doc::Schema* schema,
               std::vector<ErrorDetail>& problems) {
    const std::string pointer = fmt::format("/{}", operationName(operation));
    for (const auto& [key, value] : source) {
      const std::string at = fmt::format("{}/{}", pointer, key);
      if (checkKey(key, operation, at, problems)) set(key, value, operation, schema, at, problems);
    }
  }

  Result<doc::Filter> filterFor(const Caller& caller, const doc::FilterCoercion& coercion) const override {
    if (auto filter = filter_.fill(caller, coercion)) return *std::move(filter);
    return fail(ErrorCode::forbidden, "denied by policy");
  }
  bool unrestricted() const override { return filter_.matchesAll(); }
  Result<> checkWrite(const Check& check) const override { return writes_.check(check); }

  bool resolvesFor(const Caller& caller) const { return filter_.resolvesFor(caller); }
  const doc::FieldSet& deniedReadFields() const { return denied_; }

 private:
  static bool checkKey(std::string_view key, Operation operation, const std::string& pointer,
                       std::vector<ErrorDetail>& problems) {
    for (const RuleKey& known : kRuleKeys) {
      if (known.name != key) continue;
      if ((known.operations & bit(operation)) != 0) return true;
      problems.push_back({pointer, fmt::format("is not allowed in the rule \"{}\"", operationName(operation))});
      return false;
    }
    problems.push_back({pointer, "is not a known key of a rule"});
    return false;
  }

  void set(std::string_view key, doc::ValueView value, Operation operation, const doc::Schema* schema,
           const std::string& pointer, std::vector<ErrorDetail>& problems) {
    if (key == "validate") {
      writes_.setExpression(value, operation, schema, pointer, problems);
    } else if (key == "immutableFields") {
      writes_.setImmutable(value, schema, pointer, problems);
    } else if (key == "allowedWriteFields") {
      writes_.setAllowed(value, schema, pointer, problems);
    } else if (key == "deniedReadFields") {
      denied_ = parseFieldList(value, schema, pointer, problems);
    } else if (value.type() == doc::BsonType::document) {
      filter_ = FilterTemplate::compile(value.asDocument(), schema, pointer, problems);
    } else {
      problems.push_back({pointer, "must be an object"});
    }
  }

  FilterTemplate filter_;
  WriteRules writes_;
  doc::FieldSet denied_;
};

class CompiledPolicy final : public Policy {
 public:
  CompiledPolicy(doc::DocumentView source, const doc::Schema* schema, std::vector<ErrorDetail>& problems)
      : source_(source) {
    for (const auto& [name, value] : source) {
      const auto operation = operationNamed(name);
      if (!operation) {
        problems.push_back({fmt::format("/{}", name), "must be read, list, create, update, delete or admin"});
      } else if (value.type() != doc::BsonType::document) {
        problems.push_back({fmt::format("/{}", name), "must be an object"});
      } else {
        rules_[static_cast<size_t>(*operation)].emplace(value.asDocument(), *operation, schema, problems);
      }
    }
    for (const Operation operation : {Operation::read, Operation::list}) {
      if (const auto& rule = rules_[static_cast<size_t>(operation)]) denied_ = denied_.unite(rule->deniedReadFields());
    }
  }

  const Rule* rule(Operation op) const override { return compiled(op); }

  Result<const Rule*> ruleFor(const Caller& caller, std::string_view collection, Operation op) const override {
    const CompiledRule* admin = compiled(Operation::admin);
    if (admin != nullptr && caller.adminOf(collection) && admin->resolvesFor(caller)) return admin;
    const CompiledRule* own = compiled(op);
    if (own == nullptr || op == Operation::admin) return fail(ErrorCode::forbidden, "denied by policy");
    return own;
  }

  const doc::FieldSet& deniedReadFields() const override { return denied_; }
  const doc::Document& source() const override { return source_; }

 private:
  const CompiledRule* compiled(Operation op) const {
    const auto& rule = rules_[static_cast<size_t>(op)];
    return rule ? &*rule : nullptr;
  }

  doc::Document source_;
  std::array<std::optional<CompiledRule>, kOperations.size()> rules_;
  doc::FieldSet denied_;
};

}  // namespace

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

Result<std::shared_ptr<const Policy>> compilePolicy(doc::DocumentView source, const doc::Schema* schema) {
  std::vector<ErrorDetail> problems;
  auto policy = std::make_shared<const CompiledPolicy>(source, schema, problems);
  if (problems.empty()) return policy;
  std::string message = fmt::format("{}: {}", problems.front().path, problems.front().message);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

Result<> refuseDeniedFields(const doc::Filter& filter, const doc::FieldSet& denied) {
  if (denied.empty()) return {};
  for (const std::string& path : filter.paths()) {
    if (denied.touches(path)) {
      return fail(ErrorCode::forbidden, "the filter must not name a field that you may not read");
    }
  }
  return {};
}

}  // namespace mb::policy
