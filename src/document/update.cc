#include "document/update.h"

#include <algorithm>

#include "base/work_budget.h"
#include "document/update_actions.h"
#include "document/update_tree.h"

namespace mb::doc {

namespace {

// Units of a WorkBudget: for parsing a path, inserting it into the tree, and applying its action.
constexpr int64_t kUnitsPerPath = 1'000;
constexpr int64_t kUnitsPerStep = 200;

struct Operator {
  std::string_view name;
  MakeAction make;
};

constexpr std::array kOperators{
    Operator{"$set", makeSet},         Operator{"$setOnInsert", makeSetOnInsert},
    Operator{"$unset", makeUnset},     Operator{"$inc", makeInc},
    Operator{"$mul", makeMul},         Operator{"$min", makeMin},
    Operator{"$max", makeMax},         Operator{"$currentDate", makeCurrentDate},
    Operator{"$push", makePush},       Operator{"$addToSet", makeAddToSet},
    Operator{"$pop", makePop},         Operator{"$pull", makePull},
    Operator{"$pullAll", makePullAll}, Operator{"$bit", makeBit},
};

// A path of an update, with its positional steps.
struct UpdatePath {
  std::string dotted;
  std::vector<std::string> steps;
  std::string plain;  // without positional steps
  std::vector<std::string> filterNames;
};

std::vector<std::string> splitSteps(std::string_view dotted) {
  std::vector<std::string> steps;
  while (true) {
    const size_t dot = dotted.find('.');
    steps.emplace_back(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return steps;
    dotted.remove_prefix(dot + 1);
  }
}

Result<> readPositional(UpdatePath& path, const std::string& step, const UpdateOptions& options) {
  const auto refuse = [&](std::string_view why) {
    return refuseUpdate(fmt::format("the path \"{}\" {}", path.dotted, why));
  };
  if (path.plain.empty()) return refuse("begins with a positional step");
  if (step == "$[]") return {};
  if (!options.positional) return refuse("holds a positional step that is not allowed here: use \"$[]\"");
  if (step == "$") {
    if (std::ranges::count(path.steps, "$") > 1) return refuse("holds \"$\" more than once");
    if (!options.query) return refuse("holds \"$\", which needs a query to resolve it");
    return {};
  }
  const bool isBracketed = step.starts_with("$[") && step.ends_with(']');
  const std::string name = isBracketed ? step.substr(2, step.size() - 3) : "";
  if (!isFilterName(name)) return refuse(fmt::format("holds \"{}\", which is not a positional step", step));
  const auto hasName = [&](const auto& filter) { return filter.first == name; };
  if (std::ranges::none_of(options.arrayFilters, hasName)) {
    return refuse(fmt::format("holds \"{}\", which has no array filter", step));
  }
  path.filterNames.push_back(name);
  return {};
}

Result<UpdatePath> readPath(std::string_view dotted, const UpdateOptions& options) {
  constexpr size_t kMaxBytes = 1024;
  if (dotted.size() > kMaxBytes) return refuseUpdate("a path must not be longer than 1024 bytes");
  UpdatePath path;
  path.dotted = dotted;
  path.steps = splitSteps(dotted);
  if (!WorkBudget::charge(kUnitsPerPath + kUnitsPerStep * static_cast<int64_t>(path.steps.size()))) return tooCostly();
  for (const std::string& step : path.steps) {
    if (step.starts_with('$')) {
      RETURN_IF_ERROR(readPositional(path, step, options));
    } else {
      path.plain += (path.plain.empty() ? "" : ".") + step;
    }
  }
  if (path.steps.front().empty()) return refuseUpdate("a path must not be empty or begin with \".\"");
  if (const auto plain = FieldPath::parse(path.plain); !plain) return refuseUpdate(plain.error().message());
  constexpr size_t kMaxSteps = 32;
  if (path.steps.size() > kMaxSteps) {
    return refuseUpdate(fmt::format("the path \"{}\" must not have more than 32 steps", dotted));
  }
  return path;
}

}  // namespace

struct Update::Impl {
  UpdateNode root;
  std::vector<std::string> paths;
  std::vector<std::string> renameSources;
  std::vector<std::string> usedFilters;
  ArrayFilters arrayFilters;
  std::optional<Filter> query;

  Result<> add(std::string_view op, std::string_view dotted, std::unique_ptr<UpdateAction> action,
               const UpdatePath& path) {
    if (auto inserted = insertAction(root, path.steps, std::move(action)); !inserted) {
      return refuseUpdate(fmt::format("{} of \"{}\": {}", op, dotted, inserted.error().message()));
    }
    paths.push_back(path.plain);
    usedFilters.insert(usedFilters.end(), path.filterNames.begin(), path.filterNames.end());
    return {};
  }

  Result<> addField(const Operator& op, const Element& field, const UpdateOptions& options) {
    TRY(const UpdatePath path, readPath(field.key, options));
    TRY(auto action, op.make({op.name, path.dotted, path.plain, field.value, options.coercion}));
    return add(op.name, field.key, std::move(action), path);
  }

  Result<> addRename(const Element& field, const UpdateOptions& options) {
    if (field.value.type() != BsonType::string) {
      return refuseUpdate(fmt::format("$rename of \"{}\" takes the new name", field.key.substr(0, 100)));
    }
    TRY(const UpdatePath from, readPath(field.key, options));
    TRY(const UpdatePath to, readPath(field.value.asString(), options));
    if (from.plain != from.dotted || to.plain != to.dotted) {
      return refuseUpdate(fmt::format("$rename of \"{}\" cannot take positional steps", from.dotted));
    }
    RETURN_IF_ERROR(add("$rename", from.dotted, makeRenameSource(renameSources.size()), from));
    RETURN_IF_ERROR(add("$rename", from.dotted, makeRenameTarget(renameSources.size()), to));
    renameSources.push_back(from.plain);
    return {};
  }

  Result<> addOperator(std::string_view name, ValueView value, const UpdateOptions& options) {
    const auto op = std::ranges::find(kOperators, name, &Operator::name);
    const bool isRename = name == "$rename";
    if (op == kOperators.end() && !isRename) {
      return refuseUpdate(fmt::format("\"{}\" is not an update operator", name.substr(0, 100)));
    }
    if (value.type() != BsonType::document) return refuseUpdate(fmt::format("{} takes an object", name));
    for (const Element& field : value.asDocument()) {
      RETURN_IF_ERROR(isRename ? addRename(field, options) : addField(*op, field, options));
    }
    return {};
  }

  Result<> seal(const UpdateOptions& options) {
    for (const auto& [name, filter] : options.arrayFilters) {
      if (std::ranges::find(usedFilters, name) == usedFilters.end()) {
        return refuseUpdate(fmt::format("no path uses the array filter \"{}\"", name));
      }
    }
    arrayFilters = options.arrayFilters;
    if (options.query) query = *options.query;
    numberChildren(root);
    return {};
  }

  // The value that a $rename moves; nullopt if the field is absent.
  static Result<std::optional<ValueView>> renamedValue(DocumentView before, const std::string& path) {
    DocumentView inside = before;
    for (std::string_view rest = path;;) {
      const size_t dot = rest.find('.');
      const auto value = inside.find(rest.substr(0, dot));
      if (dot == std::string_view::npos || !value) return value;
      if (value->type() != BsonType::document) {
        return refuseUpdate(
            fmt::format("$rename of \"{}\": the path leads through a value of type {}", path, typeName(value->type())));
      }
      inside = value->asDocument();
      rest.remove_prefix(dot + 1);
    }
  }
};

Update::Update() : impl_(std::make_unique<Impl>()) {}
Update::~Update() = default;
Update::Update(Update&&) noexcept = default;
Update& Update::operator=(Update&&) noexcept = default;

Result<Update> Update::parse(DocumentView source, const UpdateOptions& options) {
  if (source.empty()) return refuseUpdate("an update must hold at least one operator");
  Update update;
  for (const Element& element : source) {
    RETURN_IF_ERROR(update.impl_->addOperator(element.key, element.value, options));
  }
  RETURN_IF_ERROR(update.impl_->seal(options));
  return update;
}

Result<Update> Update::set(DocumentView fields, const UpdateOptions& options) {
  Update update;
  for (const Element& field : fields) {
    RETURN_IF_ERROR(update.impl_->addField(kOperators.front(), field, options));
  }
  RETURN_IF_ERROR(update.impl_->seal(options));
  return update;
}

Result<Document> Update::apply(DocumentView before, Timestamp now, bool inserting) const {
  ApplyContext context;
  context.before = before;
  context.now = now;
  context.inserting = inserting;
  if (const auto& query = impl_->query) context.query = &*query;
  context.arrayFilters = &impl_->arrayFilters;
  for (const std::string& source : impl_->renameSources) {
    TRY(const auto value, Impl::renamedValue(before, source));
    if (WorkBudget::exceeded()) return tooCostly();
    context.renamed.push_back(value);
  }
  return applyTree(impl_->root, context);
}

const std::vector<std::string>& Update::paths() const {
  return impl_->paths;
}

}  // namespace mb::doc
