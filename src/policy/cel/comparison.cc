// == != < <= > >= and !.
#include <algorithm>

#include "policy/cel/functions.h"
#include "policy/cel/run.h"

namespace mb::cel {
namespace {

double asReal(const Value& integer) {
  return integer.kind == Kind::integer ? static_cast<double>(integer.integer) : static_cast<double>(integer.uinteger);
}

// nullopt if the two have no order.
std::optional<std::partial_ordering> compare(Run& run, const Value& a, const Value& b) {
  if (a.isNumber() && b.isNumber()) return compareNumbers(a, b);
  if (a.kind != b.kind) return std::nullopt;
  switch (a.kind) {
    case Kind::boolean:
      return a.boolean <=> b.boolean;
    case Kind::string:
    case Kind::bytes:
      run.chargeScan(std::min(a.size, b.size));
      return a.text() <=> b.text();
    case Kind::timestamp:
      return a.integer != b.integer ? a.integer <=> b.integer : a.nanos <=> b.nanos;
    case Kind::duration:
      return a.integer <=> b.integer;
    default:
      return std::nullopt;
  }
}

template <bool (*accepts)(std::partial_ordering)>
Value ordered(Run& run, const Node& call, std::span<const Value> args) {
  const auto order = compare(run, args[0], args[1]);
  return order ? Value::ofBool(accepts(*order)) : noOverload(call);
}

Value equals(Run& run, const Node&, std::span<const Value> args) {
  return Value::ofBool(run.equal(args[0], args[1]));
}

Value differs(Run& run, const Node&, std::span<const Value> args) {
  return Value::ofBool(!run.equal(args[0], args[1]));
}

Value logicalNot(Run&, const Node& call, std::span<const Value> args) {
  return args[0].kind == Kind::boolean ? Value::ofBool(!args[0].boolean) : noOverload(call);
}

constexpr Function kLess = ordered<std::is_lt>;
constexpr Function kLessEqual = ordered<std::is_lteq>;
constexpr Function kGreater = ordered<std::is_gt>;
constexpr Function kGreaterEqual = ordered<std::is_gteq>;

std::vector<OverloadRow> makeRows() {
  std::vector<OverloadRow> rows = {
      {"_==_", Style::global, "A,A", "bool", equals},
      {"_!=_", Style::global, "A,A", "bool", differs},
      {"!_", Style::global, "bool", "bool", logicalNot},
  };
  constexpr std::pair<std::string_view, Function> kOrders[] = {
      {"_<_", kLess}, {"_<=_", kLessEqual}, {"_>_", kGreater}, {"_>=_", kGreaterEqual}};
  constexpr std::string_view kOrdered[] = {"bool,bool",     "int,int",     "uint,uint",           "double,double",
                                           "string,string", "bytes,bytes", "timestamp,timestamp", "duration,duration"};
  for (const auto& [name, function] : kOrders) {
    for (const std::string_view parameters : kOrdered) {
      rows.push_back({name, Style::global, parameters, "bool", function});
    }
  }
  return rows;
}

}  // namespace

std::partial_ordering compareNumbers(const Value& a, const Value& b) {
  if (a.kind == b.kind) {
    if (a.kind == Kind::integer) return a.integer <=> b.integer;
    if (a.kind == Kind::uinteger) return a.uinteger <=> b.uinteger;
    return a.real <=> b.real;
  }
  // An integer is compared with a double as the nearest double.
  if (b.kind == Kind::real) return asReal(a) <=> b.real;
  if (a.kind == Kind::real) return a.real <=> asReal(b);
  if (a.kind == Kind::integer) {
    if (a.integer < 0) return std::partial_ordering::less;
    return static_cast<uint64_t>(a.integer) <=> b.uinteger;
  }
  return 0 <=> compareNumbers(b, a);
}

std::span<const OverloadRow> comparisonOverloads() {
  static const std::vector<OverloadRow> kComparisonRows = makeRows();
  return kComparisonRows;
}

}  // namespace mb::cel
