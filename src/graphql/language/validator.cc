#include "graphql/language/validator.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/key_index.h"
#include "graphql/language/selections.h"
#include "graphql/language/values.h"

namespace mb::graphql {

namespace {

// A use of a variable as a value.
struct Usage {
  std::string_view name;
  uint32_t at = 0;
  const Type* type = nullptr;  // null: any
};

// The variables and spreads of one operation or fragment, without those of its fragments.
struct Uses {
  std::vector<Usage> variables;
  std::vector<std::pair<std::string_view, uint32_t>> spreads;
};

template <class T>
class Once {
 public:
  bool isNew(const T& value) { return seen_.insert(value).second; }

 private:
  std::set<T> seen_;
};

class Validator {
 public:
  Validator(const Schema& schema, const Request& request) : schema_(schema), request_(request) {}

  Problems run() {
    checkNames();
    for (const Operation& operation : request_.operations) checkOperation(operation);
    for (const Fragment& fragment : request_.fragments) checkFragment(fragment);
    if (problems_.empty()) checkCycles();
    if (problems_.empty()) checkReach();
    if (problems_.empty()) problems_ = checkSelections(schema_, request_);
    return std::move(problems_);
  }

 private:
  void wrong(std::string message, std::vector<uint32_t> at) {
    if (problems_.size() < kMaxProblems) problems_.push_back({shortened(std::move(message)), std::move(at)});
  }

  // ---- operations and fragments

  void checkNames() {
    Once<std::string_view> operations, fragments;
    for (const Operation& operation : request_.operations) {
      if (operation.name.empty() && request_.operations.size() > 1) {
        wrong("This anonymous operation must be the only defined operation.", {operation.at});
      } else if (!operation.name.empty() && !operations.isNew(operation.name)) {
        wrong(fmt::format("There can be only one operation named \"{}\".", operation.name), {operation.at});
      }
    }
    for (const Fragment& fragment : request_.fragments) {
      if (!fragments.isNew(fragment.name)) {
        wrong(fmt::format("There can be only one fragment named \"{}\".", fragment.name), {fragment.at});
      }
    }
  }

  void checkOperation(const Operation& operation) {
    uses_ = &operationUses_.emplace_back();
    const bool subscribes = operation.kind == OperationKind::subscription;
    if (subscribes || (operation.kind == OperationKind::mutation && !schema_.mutation())) {
      return wrong(fmt::format("Schema is not configured to execute {} operation.", operationWord(operation.kind)),
                   {operation.at});
    }
    Once<std::string_view> names;
    for (const VariableDefinition& variable : operation.variables) {
      if (!names.isNew(variable.name)) {
        wrong(fmt::format("There can be only one variable named \"${}\".", variable.name), {variable.at});
      }
      checkDirectives(variable.directives, "VARIABLE_DEFINITION");
      checkVariable(variable);
    }
    const bool mutates = operation.kind == OperationKind::mutation;
    checkDirectives(operation.directives, mutates ? "MUTATION" : "QUERY");
    checkSelectionSet(operation.selections, mutates ? *schema_.mutation() : schema_.query());
  }

  void checkVariable(const VariableDefinition& variable) {
    const Type* type = declaredType(schema_, wrappers_, variable.type);
    if (!type) {
      const TypeNode* named = &variable.type;
      while (named->items) named = named->items.get();
      return wrong(fmt::format("Unknown type \"{}\".", named->name), {named->at});
    }
    if (!type->isInput()) {
      return wrong(fmt::format("Variable \"${}\" cannot be non-input type \"{}\".", variable.name, type->text()),
                   {variable.type.at});
    }
    if (variable.fallback) checkValue(*variable.fallback, type);
  }

  const Type* compositeNamed(std::string_view name, uint32_t at, std::string_view fragment) {
    const Type* type = schema_.find(name);
    if (!type) {
      wrong(fmt::format("Unknown type \"{}\".", name), {at});
      return nullptr;
    }
    if (type->isComposite()) return type;
    wrong(fmt::format("Fragment{} cannot condition on non composite type \"{}\".",
                      fragment.empty() ? "" : fmt::format(" \"{}\"", fragment), name),
          {at});
    return nullptr;
  }

  void checkFragment(const Fragment& fragment) {
    uses_ = &fragmentUses_[fragment.name];
    checkDirectives(fragment.directives, "FRAGMENT_DEFINITION");
    const Type* type = compositeNamed(fragment.condition, fragment.conditionAt, fragment.name);
    if (type) checkSelectionSet(fragment.selections, *type);
  }

  // ---- selections: recursion bounded by the parser's nesting

  void checkSelectionSet(const std::vector<Selection>& selections, const Type& parent) {
    for (const Selection& selection : selections) {
      switch (selection.kind) {
        case SelectionKind::field:
          checkField(selection, parent);
          break;
        case SelectionKind::spread:
          checkSpread(selection, parent);
          break;
        case SelectionKind::inlineFragment:
          checkInline(selection, parent);
          break;
      }
    }
  }

  void checkField(const Selection& selection, const Type& parent) {
    checkDirectives(selection.directives, "FIELD");
    const Field* field = schema_.field(parent, selection.name);
    if (!field) {
      return wrong(fmt::format("Cannot query field \"{}\" on type \"{}\".", selection.name, parent.name),
                   {selection.at});
    }
    checkArguments(selection.arguments, field->arguments, fmt::format("field \"{}.{}\"", parent.name, field->name),
                   fmt::format("Field \"{}\"", field->name), selection.at);
    const Type& type = field->type->named();
    if (!type.isComposite()) {
      if (selection.selections.empty()) return;
      return wrong(fmt::format("Field \"{}\" must not have a selection since type \"{}\" has no subfields.",
                               field->name, field->type->text()),
                   {selection.at});
    }
    if (selection.selections.empty()) {
      return wrong(fmt::format("Field \"{0}\" of type \"{1}\" must have a selection of subfields. Did you mean \"{0} "
                               "{{ ... }}\"?",
                               field->name, field->type->text()),
                   {selection.at});
    }
    checkSelectionSet(selection.selections, type);
  }

  void checkSpread(const Selection& selection, const Type& parent) {
    checkDirectives(selection.directives, "FRAGMENT_SPREAD");
    const Fragment* fragment = request_.fragment(selection.name);
    if (!fragment) return wrong(fmt::format("Unknown fragment \"{}\".", selection.name), {selection.at});
    uses_->spreads.emplace_back(selection.name, selection.at);
    const Type* type = schema_.find(fragment->condition);
    if (type && type->isComposite() && type != &parent) {
      wrong(fmt::format("Fragment \"{}\" cannot be spread here as objects of type \"{}\" can never be of type \"{}\".",
                        selection.name, parent.name, type->name),
            {selection.at});
    }
  }

  void checkInline(const Selection& selection, const Type& parent) {
    checkDirectives(selection.directives, "INLINE_FRAGMENT");
    const Type* type = &parent;
    if (selection.condition) type = compositeNamed(*selection.condition, selection.conditionAt, "");
    if (!type) return;
    if (type != &parent) {
      wrong(fmt::format("Fragment cannot be spread here as objects of type \"{}\" can never be of type \"{}\".",
                        parent.name, type->name),
            {selection.at});
    }
    checkSelectionSet(selection.selections, *type);
  }

  // ---- arguments, directives and values

  void checkArguments(const std::vector<Argument>& given, const std::vector<InputValue>& declared,
                      const std::string& where, const std::string& owner, uint32_t at) {
    Once<std::string_view> names;
    for (const Argument& argument : given) {
      if (!names.isNew(argument.name)) {
        wrong(fmt::format("There can be only one argument named \"{}\".", argument.name), {argument.at});
      }
      const auto input = std::ranges::find(declared, argument.name, &InputValue::name);
      if (input == declared.end()) {
        wrong(fmt::format("Unknown argument \"{}\" on {}.", argument.name, where), {argument.at});
      }
      checkValue(argument.value, input == declared.end() ? nullptr : input->type);
    }
    for (const InputValue& input : declared) {
      if (input.type->kind != TypeKind::nonNull) continue;
      if (std::ranges::find(given, input.name, &Argument::name) != given.end()) continue;
      wrong(fmt::format("{} argument \"{}\" of type \"{}\" is required, but it was not provided.", owner, input.name,
                        input.type->text()),
            {at});
    }
  }

  void checkDirectives(const std::vector<Directive>& directives, std::string_view location) {
    Once<std::string_view> names;
    for (const Directive& directive : directives) {
      const DirectiveType* type = builtIn().directive(directive.name);
      if (!names.isNew(directive.name) && type) {
        wrong(fmt::format("The directive \"@{}\" can only be used once at this location.", directive.name),
              {directive.at});
      }
      if (!type) {
        wrong(fmt::format("Unknown directive \"@{}\".", directive.name), {directive.at});
        continue;
      }
      if (std::ranges::find(type->locations, location) == type->locations.end()) {
        wrong(fmt::format("Directive \"@{}\" may not be used on {}.", directive.name, location), {directive.at});
      }
      const std::string shown = fmt::format("irective \"@{}\"", directive.name);
      checkArguments(directive.arguments, type->arguments, "d" + shown, "D" + shown, directive.at);
    }
  }

  static bool takesAnything(const Type* type) {
    return !type || type->named().scalar == Scalar::json || type->named().scalar == Scalar::condition;
  }

  // `type` is null if the expected type is unknown.
  void checkValue(const Value& value, const Type* type) {
    if (value.kind == ValueKind::variable) {
      uses_->variables.push_back({value.name, value.at, takesAnything(type) ? nullptr : type});
      return;
    }
    if (type && type->kind == TypeKind::nonNull) {
      if (value.kind == ValueKind::null) {
        return wrong(fmt::format("Expected value of type \"{}\", found null.", type->text()), {value.at});
      }
      type = type->of;
    }
    if (!type || value.kind == ValueKind::null) return checkUntyped(value);
    if (type->kind == TypeKind::list) {
      if (value.kind != ValueKind::list) return checkValue(value, type->of);
      for (const Value& item : value.items) checkValue(item, type->of);
    } else if (type->kind == TypeKind::inputObject) {
      checkInputObject(value, *type);
    } else {
      if (const auto problem = leafProblem(value, *type)) wrong(*problem, {value.at});
      checkUntyped(value);
    }
  }

  void checkUntyped(const Value& value) {
    for (const Value& item : value.items) checkValue(item, nullptr);
    checkFieldNames(value);
    for (const ObjectField& field : value.fields) checkValue(field.value, nullptr);
  }

  void checkFieldNames(const Value& value) {
    Once<std::string_view> names;
    for (const ObjectField& field : value.fields) {
      if (names.isNew(field.name)) continue;
      wrong(fmt::format("There can be only one input field named \"{}\".", field.name), {field.at});
    }
  }

  void checkInputObject(const Value& value, const Type& type) {
    if (value.kind != ValueKind::object) {
      wrong(fmt::format("Expected value of type \"{}\", found {}.", type.name, printed(value)), {value.at});
      return checkUntyped(value);
    }
    checkFieldNames(value);
    for (const ObjectField& field : value.fields) {
      const InputValue* input = type.input(field.name);
      if (!input) wrong(fmt::format("Field \"{}\" is not defined by type \"{}\".", field.name, type.name), {field.at});
      checkValue(field.value, input ? input->type : nullptr);
    }
  }

  // ---- over fragments

  // Depth first with an explicit stack: each spread of a fragment that is still open closes a cycle.
  void checkCycles() {
    enum class State { fresh, open, done };
    std::unordered_map<std::string_view, State, SeededHash> states;
    for (const Fragment& start : request_.fragments) {
      if (states[start.name] != State::fresh) continue;
      std::vector<std::pair<std::string_view, size_t>> stack{{start.name, 0}};
      states[start.name] = State::open;
      while (!stack.empty()) {
        auto& [name, next] = stack.back();
        const auto& spreads = fragmentUses_[name].spreads;
        if (next == spreads.size()) {
          states[name] = State::done;
          stack.pop_back();
          continue;
        }
        const auto [to, at] = spreads[next++];
        if (states[to] == State::open) {
          std::string via;
          const auto from = std::ranges::find(stack, to, [](const auto& each) { return each.first; });
          for (auto each = std::next(from); each != stack.end(); ++each) {
            via += fmt::format("{}\"{}\"", via.empty() ? " via " : ", ", each->first);
          }
          wrong(fmt::format("Cannot spread fragment \"{}\" within itself{}.", to, via), {at});
        } else if (states[to] == State::fresh) {
          states[to] = State::open;
          stack.emplace_back(to, 0);
        }
      }
    }
  }

  // The operation's uses and those of every fragment that it reaches.
  std::vector<const Uses*> reachedBy(const Uses& own) {
    std::vector<const Uses*> all{&own};
    std::unordered_set<std::string_view, SeededHash> seen;
    for (size_t i = 0; i < all.size(); ++i) {
      for (const auto& [name, at] : all[i]->spreads) {
        if (seen.insert(name).second) all.push_back(&fragmentUses_[name]);
      }
    }
    reached_.insert(seen.begin(), seen.end());
    return all;
  }

  void checkReach() {
    for (size_t i = 0; i < request_.operations.size(); ++i) {
      checkVariables(request_.operations[i], reachedBy(operationUses_[i]));
    }
    for (const Fragment& fragment : request_.fragments) {
      if (!reached_.contains(fragment.name)) {
        wrong(fmt::format("Fragment \"{}\" is never used.", fragment.name), {fragment.at});
      }
    }
  }

  void checkVariables(const Operation& operation, const std::vector<const Uses*>& all) {
    std::unordered_map<std::string_view, const VariableDefinition*, SeededHash> declared;
    for (const VariableDefinition& variable : operation.variables) declared.emplace(variable.name, &variable);
    std::unordered_set<std::string_view, SeededHash> used;
    const std::string in = operation.name.empty() ? "" : fmt::format(" operation \"{}\"", operation.name);
    for (const Uses* uses : all) {
      for (const Usage& usage : uses->variables) {
        used.insert(usage.name);
        const auto found = declared.find(usage.name);
        if (found != declared.end()) {
          checkPosition(usage, *found->second);
        } else {
          wrong(fmt::format("Variable \"${}\" is not defined{}.", usage.name, in.empty() ? "" : " by" + in),
                {usage.at, operation.at});
        }
      }
    }
    for (const VariableDefinition& variable : operation.variables) {
      if (used.contains(variable.name)) continue;
      wrong(fmt::format("Variable \"${}\" is never used{}.", variable.name, in.empty() ? "" : " in" + in),
            {variable.at});
    }
  }

  // Whether a value of type `given` is allowed for type `wanted`: the same type, or a stricter one about null.
  static bool fits(const Type* given, const Type* wanted) {
    if (wanted->kind == TypeKind::nonNull) {
      return given->kind == TypeKind::nonNull && fits(given->of, wanted->of);
    }
    if (given->kind == TypeKind::nonNull) return fits(given->of, wanted);
    if (wanted->kind == TypeKind::list) return given->kind == TypeKind::list && fits(given->of, wanted->of);
    return given == wanted;
  }

  void checkPosition(const Usage& usage, const VariableDefinition& variable) {
    if (!usage.type) return;
    const Type* given = declaredType(schema_, wrappers_, variable.type);
    const bool defaulted = variable.fallback && variable.fallback->kind != ValueKind::null;
    const Type* wanted = usage.type->kind == TypeKind::nonNull && defaulted ? usage.type->of : usage.type;
    if (fits(given, wanted)) return;
    wrong(fmt::format("Variable \"${}\" of type \"{}\" used in position expecting type \"{}\".", variable.name,
                      given->text(), usage.type->text()),
          {variable.at, usage.at});
  }

  const Schema& schema_;
  const Request& request_;
  Types wrappers_;
  Problems problems_;
  Uses* uses_ = nullptr;
  std::deque<Uses> operationUses_;
  std::unordered_map<std::string_view, Uses, SeededHash> fragmentUses_;
  std::unordered_set<std::string_view, SeededHash> reached_;
};

}  // namespace

Problems validate(const Schema& schema, const Request& request) {
  return Validator(schema, request).run();
}

}  // namespace mb::graphql
