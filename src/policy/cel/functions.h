// The standard functions: their overloads for the checker, and their implementations. One file per family.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "policy/cel/ast.h"
#include "policy/cel/types.h"

namespace mb::cel {

enum class Style : uint8_t { global, member, either };

// One overload as declared by a family's file; all overloads of a name share the function, which dispatches on the
// values.
struct OverloadRow {
  std::string_view name;
  Style style;
  std::string_view parameters;  // "int,int": types as TypePool::parse reads them, a receiver first
  std::string_view result;
  Function function;
};

std::span<const OverloadRow> arithmeticOverloads();
std::span<const OverloadRow> comparisonOverloads();
std::span<const OverloadRow> containerOverloads();
std::span<const OverloadRow> stringOverloads();
std::span<const OverloadRow> conversionOverloads();
std::span<const OverloadRow> timeOverloads();

struct Overload {
  Style style;
  std::vector<const Type*> parameters;
  const Type* result;
  Function function;
};
// The overloads of a name; empty for a name that is not a function.
const std::vector<Overload>& overloadsOf(std::string_view name);

}  // namespace mb::cel
