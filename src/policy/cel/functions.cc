#include "policy/cel/functions.h"

#include <unordered_map>

namespace mb::cel {
namespace {

struct Registry {
  TypePool pool;
  std::unordered_map<std::string_view, std::vector<Overload>> byName;

  Registry() {
    for (const auto rows : {arithmeticOverloads(), comparisonOverloads(), containerOverloads(), stringOverloads(),
                            conversionOverloads(), timeOverloads()}) {
      for (const OverloadRow& row : rows) add(row);
    }
  }

  void add(const OverloadRow& row) {
    Overload overload{row.style, {}, pool.parse(row.result), row.function};
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i <= row.parameters.size(); ++i) {
      const char c = i < row.parameters.size() ? row.parameters[i] : ',';
      if (c == '(') ++depth;
      if (c == ')') --depth;
      if (c != ',' || depth != 0) continue;
      overload.parameters.push_back(pool.parse(row.parameters.substr(begin, i - begin)));
      begin = i + 1;
    }
    byName[row.name].push_back(std::move(overload));
  }
};

}  // namespace

const std::vector<Overload>& overloadsOf(std::string_view name) {
  static const Registry kRegistry;
  static const std::vector<Overload> kNone;
  const auto found = kRegistry.byName.find(name);
  return found == kRegistry.byName.end() ? kNone : found->second;
}

}  // namespace mb::cel
