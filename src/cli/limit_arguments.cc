#include "cli/limit_arguments.h"

#include <fmt/ranges.h>

#include <charconv>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "cli/console.h"

namespace mb::cli {

namespace {

constexpr int64_t kMaxAmount = (int64_t{1} << 53) - 1;  // exact in JSON
constexpr double kMaxPrice = 1e9;

struct Unit {
  std::string_view name;
  int64_t bytes;
};
constexpr Unit kUnits[] = {
    {"KiB", int64_t{1} << 10}, {"MiB", int64_t{1} << 20}, {"GiB", int64_t{1} << 30}, {"TiB", int64_t{1} << 40}};

std::unexpected<Error> wrongArgument(std::string message) {
  return fail(ErrorCode::invalidParam, std::move(message));
}

std::optional<plans::Limit> limitNamed(std::string_view name) {
  for (const plans::Limit limit : plans::kAllLimits) {
    if (plans::nameOf(limit) == name) return limit;
  }
  return std::nullopt;
}

std::string limitNames() {
  std::vector<std::string_view> names;
  for (const plans::Limit limit : plans::kAllLimits) names.push_back(plans::nameOf(limit));
  return fmt::format("{}", fmt::join(names, ", "));
}

// nullopt for anything but digits of a number up to kMaxAmount.
std::optional<int64_t> numberIn(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || text.front() == '-' || error != std::errc() || stop != end) return std::nullopt;
  if (number > kMaxAmount) return std::nullopt;
  return number;
}

std::optional<int64_t> bytesIn(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = numberIn(text.substr(0, text.size() - unit.name.size()));
    if (!number || *number > kMaxAmount / unit.bytes) return std::nullopt;
    return *number * unit.bytes;
  }
  return numberIn(text);
}

std::optional<Timestamp> dayIn(std::string_view text) {
  constexpr size_t kDayBytes = 10;
  return text.size() == kDayBytes ? parseRfc3339(fmt::format("{}T00:00:00Z", text)) : std::nullopt;
}

}  // namespace

Result<doc::Document> limitsIn(std::string_view arguments) {
  doc::BsonWriter out;
  std::set<plans::Limit> given;
  while (!arguments.empty()) {
    const size_t blank = std::min(arguments.find(' '), arguments.size());
    const std::string_view argument = arguments.substr(0, blank);
    arguments.remove_prefix(std::min(blank + 1, arguments.size()));
    if (argument.empty()) continue;
    const size_t equals = argument.find('=');
    if (equals == std::string_view::npos) {
      return wrongArgument(fmt::format("\"{}\" is not a limit: give it as NAME=VALUE, such as vectors=1000", argument));
    }
    const std::string_view name = argument.substr(0, equals), value = argument.substr(equals + 1);
    const auto limit = limitNamed(name);
    if (!limit) return wrongArgument(fmt::format("there is no limit \"{}\": use {}", name, limitNames()));
    if (!given.insert(*limit).second) return wrongArgument(fmt::format("{} is given twice", name));
    if (value == "unlimited") {
      out.appendNull(name);
      continue;
    }
    const bool bytes = *limit == plans::Limit::storageBytes;
    const auto number = bytes ? bytesIn(value) : numberIn(value);
    if (!number) {
      return wrongArgument(fmt::format("{} cannot be \"{}\": give an integer from 0 to {}{}, or unlimited", name, value,
                                       kMaxAmount, bytes ? " (or one with KiB, MiB, GiB or TiB)" : ""));
    }
    out.appendInteger(name, *number);
  }
  if (given.empty()) return wrongArgument("give a limit as NAME=VALUE, such as vectors=1000");
  return out.finish();
}

std::string amountOf(plans::Limit limit, std::optional<int64_t> amount) {
  if (!amount) return "unlimited";
  if (limit == plans::Limit::storageBytes && *amount >= 0) return describeBytes(static_cast<uint64_t>(*amount));
  return withSeparators(*amount);
}

Result<double> priceIn(const std::string& argument) {
  double price = 0;
  const char* end = argument.data() + argument.size();
  const auto [stop, error] = std::from_chars(argument.data(), end, price, std::chars_format::fixed);
  // Not below 0, and not a NaN.
  if (error == std::errc() && stop == end && price >= 0 && price <= kMaxPrice) return price;
  return wrongArgument(
      fmt::format("--price cannot be \"{}\": give an amount of USD a month, from 0 to {:.0f}", argument, kMaxPrice));
}

Result<> checkDays(std::string_view from, std::string_view to) {
  const auto first = dayIn(from), last = dayIn(to);
  if (!first || !last) {
    return wrongArgument(fmt::format("{} cannot be \"{}\": give a day such as 2026-01-31", first ? "--to" : "--from",
                                     first ? to : from));
  }
  if (first->ms > last->ms) return wrongArgument(fmt::format("--from {} is after --to {}", from, to));
  return {};
}

}  // namespace mb::cli
