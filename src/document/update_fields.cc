// $set $setOnInsert $unset $min $max $currentDate $rename
#include <algorithm>

#include "document/coercion.h"
#include "document/storable.h"
#include "document/update_actions.h"
#include "document/value_order.h"

namespace mb::doc {

namespace {

using ActionResult = Result<std::unique_ptr<UpdateAction>>;

class Set : public UpdateAction {
 public:
  explicit Set(Value value) : value_(std::move(value)) {}
  Result<> apply(const ApplyContext&, const Target& target, std::optional<ValueView>, BsonWriter& out) const override {
    out.append(target.key, value_);
    return {};
  }

 private:
  Value value_;
};

class SetOnInsert final : public Set {
 public:
  using Set::Set;
  bool isActive(const ApplyContext& context) const override { return context.inserting; }
};

class Unset final : public UpdateAction {
 public:
  bool createsField() const override { return false; }
  bool skipsBlockedPath() const override { return true; }
  Result<> apply(const ApplyContext&, const Target&, std::optional<ValueView>, BsonWriter&) const override {
    return {};
  }
};

// $min and $max: sets the field if the value is less or greater than the current one.
class Bound final : public UpdateAction {
 public:
  Bound(Value value, int wanted) : value_(std::move(value)), wanted_(wanted) {}
  Result<> apply(const ApplyContext&, const Target& target, std::optional<ValueView> current,
                 BsonWriter& out) const override {
    const bool replaces = !current || compareValues(value_, *current) == wanted_;
    out.append(target.key, replaces ? value_.view() : *current);
    return {};
  }

 private:
  Value value_;
  int wanted_;
};

class CurrentDate final : public UpdateAction {
 public:
  explicit CurrentDate(bool asTimestamp) : asTimestamp_(asTimestamp) {}
  Result<> apply(const ApplyContext& context, const Target& target, std::optional<ValueView>,
                 BsonWriter& out) const override {
    if (!asTimestamp_) {
      out.appendDate(target.key, context.now);
      return {};
    }
    // Seconds in the high 32 bits, a counter within the second in the low ones.
    const uint64_t both = static_cast<uint64_t>(context.now.ms / 1000) << 32 | 1;
    std::array<char, sizeof both> bytes;
    std::memcpy(bytes.data(), &both, sizeof both);
    out.append(target.key, ValueView(BsonType::timestamp, bytes.data(), bytes.size()));
    return {};
  }

 private:
  bool asTimestamp_;
};

class RenameSource final : public UpdateAction {
 public:
  explicit RenameSource(size_t rename) : rename_(rename) {}
  bool isActive(const ApplyContext& context) const override { return context.renamed[rename_].has_value(); }
  bool createsField() const override { return false; }
  Result<> apply(const ApplyContext&, const Target&, std::optional<ValueView>, BsonWriter&) const override {
    return {};
  }

 private:
  size_t rename_;
};

class RenameTarget final : public UpdateAction {
 public:
  explicit RenameTarget(size_t rename) : rename_(rename) {}
  bool isActive(const ApplyContext& context) const override { return context.renamed[rename_].has_value(); }
  Result<> apply(const ApplyContext& context, const Target& target, std::optional<ValueView>,
                 BsonWriter& out) const override {
    if (target.throughArray) {
      return refuseUpdate(fmt::format("$rename cannot reach \"{}\" inside an array", target.path));
    }
    const auto& value = context.renamed[rename_];
    if (!value) return {};
    if (const auto storable = checkStorableValue(*value, target.depth); !storable) {
      return refuseUpdate(fmt::format("$rename to \"{}\": {}", target.path, storable.error().message()));
    }
    out.append(target.key, *value);
    return {};
  }

 private:
  size_t rename_;
};

}  // namespace

Result<Value> storedValue(const ActionSource& source, ValueView value) {
  const auto depth = 1 + static_cast<int>(std::ranges::count(source.path, '.'));
  if (const auto storable = checkStorableValue(value, depth); !storable) {
    return refuseUpdate(fmt::format("{} of \"{}\": {}", source.op, source.path, storable.error().message()));
  }
  return coerceDeep(source.coercion, source.plainPath, value);
}

ActionResult makeSet(const ActionSource& source) {
  TRY(Value value, storedValue(source, source.value));
  return std::make_unique<Set>(std::move(value));
}

ActionResult makeSetOnInsert(const ActionSource& source) {
  TRY(Value value, storedValue(source, source.value));
  return std::make_unique<SetOnInsert>(std::move(value));
}

ActionResult makeUnset(const ActionSource&) {
  return std::make_unique<Unset>();
}

ActionResult makeMin(const ActionSource& source) {
  TRY(Value value, storedValue(source, source.value));
  return std::make_unique<Bound>(std::move(value), -1);
}

ActionResult makeMax(const ActionSource& source) {
  TRY(Value value, storedValue(source, source.value));
  return std::make_unique<Bound>(std::move(value), 1);
}

ActionResult makeCurrentDate(const ActionSource& source) {
  if (source.value.type() == BsonType::boolean) return std::make_unique<CurrentDate>(false);
  const DocumentView wanted = source.value.type() == BsonType::document ? source.value.asDocument() : DocumentView();
  const std::string_view type = wanted.stringOr("$type");
  if (wanted.count() != 1 || (type != "date" && type != "timestamp")) {
    return refuseUpdate(fmt::format(
        "$currentDate of \"{}\" takes true, {{\"$type\": \"date\"}} or {{\"$type\": \"timestamp\"}}", source.path));
  }
  return std::make_unique<CurrentDate>(type == "timestamp");
}

std::unique_ptr<UpdateAction> makeRenameSource(size_t rename) {
  return std::make_unique<RenameSource>(rename);
}

std::unique_ptr<UpdateAction> makeRenameTarget(size_t rename) {
  return std::make_unique<RenameTarget>(rename);
}

}  // namespace mb::doc
