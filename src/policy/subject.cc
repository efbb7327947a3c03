#include "policy/subject.h"

#include <algorithm>

namespace mb::policy {
namespace {

doc::Value listOf(const std::vector<std::string>& values) {
  doc::BsonWriter out;
  out.beginArray("");
  for (size_t i = 0; i < values.size(); ++i) out.appendString(doc::arrayKey(i), values[i]);
  out.end();
  const doc::Document wrapped = out.finish();
  return doc::Value(wrapped.view().begin()->value);
}

std::vector<std::string> sorted(std::vector<std::string> values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  return values;
}

}  // namespace

SetValue::SetValue(std::optional<std::vector<std::string>> values, store::Mark mark) : mark_(mark) {
  const bool read = values.has_value();
  const std::vector<std::string> distinct = read ? sorted(*std::move(values)) : std::vector<std::string>();
  tooMany_ = !read || distinct.size() > kMaxSetValues;
  list_ = listOf(tooMany_ ? std::vector<std::string>() : distinct);
}

const SetValuePtr& SetValues::shared(std::string_view name) const {
  static const SetValuePtr none;
  const auto found = std::ranges::find_if(values_, [name](const auto& each) { return each.first == name; });
  return found == values_.end() ? none : found->second;
}

bool SetValues::changed() const {
  return std::ranges::any_of(values_, [](const auto& each) { return each.second->changed(); });
}

}  // namespace mb::policy
