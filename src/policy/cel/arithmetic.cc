// + - * / % and negation of numbers; overflow and division by zero are errors.
#include <algorithm>
#include <limits>

#include "policy/cel/functions.h"
#include "policy/cel/run.h"
#include "policy/cel/times.h"

namespace mb::cel {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr const char* kOverflow = "integer overflow";
constexpr const char* kDivision = "division by zero";
constexpr const char* kModulus = "modulus by zero";
bool both(std::span<const Value> args, Kind kind) {
  return args[0].kind == kind && args[1].kind == kind;
}

Value concatenateText(Run& run, const Node& call, const Value& a, const Value& b) {
  const uint64_t size = uint64_t{a.size} + b.size;
  char* text = size > std::numeric_limits<uint32_t>::max() ? nullptr : run.allocate(size);
  if (text == nullptr) {
    run.exhaust();
    return Value::ofError(kCostLimit, call.at);
  }
  std::copy_n(a.data, a.size, text);
  std::copy_n(b.data, b.size, text + a.size);
  return Value::ofText(a.kind, {text, size});
}

Value concatenateLists(Run& run, const Node& call, const Value& a, const Value& b) {
  const uint64_t count = run.sizeOf(a) + run.sizeOf(b);
  auto* items = run.allocateArray<Value>(count);
  if (items == nullptr) return Value::ofError(kCostLimit, call.at);
  size_t used = 0;
  for (const Value* list : {&a, &b}) {
    ItemCursor cursor(run, *list, call.at);
    for (Value item; cursor.next(item);) {
      if (item.isError()) return item;
      items[used++] = item;
    }
  }
  return Value::ofList(items, used);
}

template <class Operation>
Value checkedInteger(const Node& call, const Value& a, const Value& b, Operation overflows) {
  int64_t result = 0;
  if (overflows(a.integer, b.integer, &result)) return Value::ofError(kOverflow, call.at);
  return Value::ofInt(result);
}

template <class Operation>
Value checkedUnsigned(const Node& call, const Value& a, const Value& b, Operation overflows) {
  uint64_t result = 0;
  if (overflows(a.uinteger, b.uinteger, &result)) return Value::ofError(kOverflow, call.at);
  return Value::ofUint(result);
}

Value add(Run& run, const Node& call, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  const auto overflows = [](auto x, auto y, auto* out) { return __builtin_add_overflow(x, y, out); };
  if (both(args, Kind::integer)) return checkedInteger(call, a, b, overflows);
  if (both(args, Kind::uinteger)) return checkedUnsigned(call, a, b, overflows);
  if (both(args, Kind::real)) return Value::ofReal(a.real + b.real);
  if (both(args, Kind::string) || both(args, Kind::bytes)) return concatenateText(run, call, a, b);
  if (both(args, Kind::list)) return concatenateLists(run, call, a, b);
  return addTimes(call, a, b);
}

Value subtract(Run&, const Node& call, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  const auto overflows = [](auto x, auto y, auto* out) { return __builtin_sub_overflow(x, y, out); };
  if (both(args, Kind::integer)) return checkedInteger(call, a, b, overflows);
  if (both(args, Kind::uinteger)) return checkedUnsigned(call, a, b, overflows);
  if (both(args, Kind::real)) return Value::ofReal(a.real - b.real);
  return subtractTimes(call, a, b);
}

Value multiply(Run&, const Node& call, std::span<const Value> args) {
  const auto overflows = [](auto x, auto y, auto* out) { return __builtin_mul_overflow(x, y, out); };
  if (both(args, Kind::integer)) return checkedInteger(call, args[0], args[1], overflows);
  if (both(args, Kind::uinteger)) return checkedUnsigned(call, args[0], args[1], overflows);
  if (both(args, Kind::real)) return Value::ofReal(args[0].real * args[1].real);
  return noOverload(call);
}

Value divide(Run&, const Node& call, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (both(args, Kind::real)) return Value::ofReal(a.real / b.real);
  if (both(args, Kind::integer)) {
    if (b.integer == 0) return Value::ofError(kDivision, call.at);
    if (a.integer == kMin && b.integer == -1) return Value::ofError(kOverflow, call.at);
    return Value::ofInt(a.integer / b.integer);
  }
  if (both(args, Kind::uinteger)) {
    return b.uinteger == 0 ? Value::ofError(kDivision, call.at) : Value::ofUint(a.uinteger / b.uinteger);
  }
  return noOverload(call);
}

Value modulo(Run&, const Node& call, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (both(args, Kind::integer)) {
    if (b.integer == 0) return Value::ofError(kModulus, call.at);
    if (a.integer == kMin && b.integer == -1) return Value::ofError(kOverflow, call.at);
    return Value::ofInt(a.integer % b.integer);
  }
  if (both(args, Kind::uinteger)) {
    return b.uinteger == 0 ? Value::ofError(kModulus, call.at) : Value::ofUint(a.uinteger % b.uinteger);
  }
  return noOverload(call);
}

Value negate(Run&, const Node& call, std::span<const Value> args) {
  if (args[0].kind == Kind::real) return Value::ofReal(-args[0].real);
  if (args[0].kind != Kind::integer) return noOverload(call);
  if (args[0].integer == kMin) return Value::ofError(kOverflow, call.at);
  return Value::ofInt(-args[0].integer);
}

constexpr OverloadRow kArithmeticRows[] = {
    {"_+_", Style::global, "int,int", "int", add},
    {"_+_", Style::global, "uint,uint", "uint", add},
    {"_+_", Style::global, "double,double", "double", add},
    {"_+_", Style::global, "string,string", "string", add},
    {"_+_", Style::global, "bytes,bytes", "bytes", add},
    {"_+_", Style::global, "list(A),list(A)", "list(A)", add},
    {"_+_", Style::global, "timestamp,duration", "timestamp", add},
    {"_+_", Style::global, "duration,timestamp", "timestamp", add},
    {"_+_", Style::global, "duration,duration", "duration", add},
    {"_-_", Style::global, "int,int", "int", subtract},
    {"_-_", Style::global, "uint,uint", "uint", subtract},
    {"_-_", Style::global, "double,double", "double", subtract},
    {"_-_", Style::global, "timestamp,timestamp", "duration", subtract},
    {"_-_", Style::global, "timestamp,duration", "timestamp", subtract},
    {"_-_", Style::global, "duration,duration", "duration", subtract},
    {"_*_", Style::global, "int,int", "int", multiply},
    {"_*_", Style::global, "uint,uint", "uint", multiply},
    {"_*_", Style::global, "double,double", "double", multiply},
    {"_/_", Style::global, "int,int", "int", divide},
    {"_/_", Style::global, "uint,uint", "uint", divide},
    {"_/_", Style::global, "double,double", "double", divide},
    {"_%_", Style::global, "int,int", "int", modulo},
    {"_%_", Style::global, "uint,uint", "uint", modulo},
    {"-_", Style::global, "int", "int", negate},
    {"-_", Style::global, "double", "double", negate},
};

}  // namespace

std::span<const OverloadRow> arithmeticOverloads() {
  return kArithmeticRows;
}

}  // namespace mb::cel
