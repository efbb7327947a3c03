#include "base/settings.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "base/text.h"

extern "C" char** environ;  // NOLINT: POSIX

namespace mb {

namespace {

constexpr size_t kNearMiss = 2;  // letters

// Of a line or of one value.
std::string_view trim(std::string_view text) {
  return trimmed(text, " \t\r");
}

// Levenshtein distance.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::optional<int64_t> wholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> byteCount(std::string_view text) {
  constexpr std::pair<std::string_view, int> kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  for (const auto& [unit, shift] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = wholeNumber(trim(text.substr(0, text.size() - unit.size())));
    if (!number || *number < 0 || *number > (INT64_MAX >> shift)) return std::nullopt;
    return *number << shift;
  }
  return wholeNumber(text);
}

}  // namespace

Settings::Settings(Environment environment) : environment_(std::move(environment)) {}

const std::string* Settings::find(std::string_view name) const {
  const auto it = environment_.find(std::string(name));
  return it == environment_.end() ? nullptr : &it->second;
}

void Settings::declare(std::string_view name, std::string_view fallback, std::string_view help) {
  declared_.push_back({std::string(name), std::string(fallback), std::string(help)});
  known_.emplace(name);
}

void Settings::refuse(std::string_view name, std::string message) {
  errors_.push_back(fmt::format("{}: {}", name, message));
}

std::string Settings::text(std::string_view name, std::string_view fallback, std::string_view help) {
  declare(name, fallback, help);
  const std::string* value = find(name);
  return value ? *value : std::string(fallback);
}

std::optional<std::string> Settings::optionalText(std::string_view name, std::string_view help) {
  declare(name, "", help);
  const std::string* value = find(name);
  if (value == nullptr || value->empty()) return std::nullopt;
  return *value;
}

std::optional<Secret> Settings::secret(std::string_view name, std::string_view help) {
  declare(name, "", std::string(help) + " (or the path of a file with it, as " + std::string(name) + "_FILE)");
  known_.insert(std::string(name) + "_FILE");
  const std::string* value = find(name);
  const std::string* file = find(std::string(name) + "_FILE");
  if (value != nullptr && file != nullptr) {
    refuse(name, "is set both directly and by " + std::string(name) + "_FILE");
    return std::nullopt;
  }
  if (value != nullptr) return Secret(*value);
  if (file == nullptr) return std::nullopt;
  std::ifstream in(*file, std::ios::binary);
  if (!in) {
    refuse(std::string(name) + "_FILE", "cannot be read: " + *file);
    return std::nullopt;
  }
  std::string content{std::istreambuf_iterator<char>(in), {}};
  if (content.ends_with('\n')) content.pop_back();
  return Secret(std::move(content));
}

bool Settings::flag(std::string_view name, bool fallback, std::string_view help) {
  return choice(name, fallback ? "on" : "off", {"on", "off"}, help) == "on";
}

int64_t Settings::integer(std::string_view name, int64_t fallback, int64_t min, int64_t max, std::string_view help) {
  declare(name, std::to_string(fallback), help);
  const std::string* value = find(name);
  if (value == nullptr) return fallback;
  const auto number = wholeNumber(trim(*value));
  if (number && *number >= min && *number <= max) return *number;
  refuse(name, fmt::format("must be a whole number from {} to {}", min, max));
  return fallback;
}

int64_t Settings::bytes(std::string_view name, int64_t fallback, int64_t min, int64_t max, std::string_view help) {
  declare(name, std::to_string(fallback), help);
  const std::string* value = find(name);
  if (value == nullptr) return fallback;
  const auto number = byteCount(trim(*value));
  if (number && *number >= min && *number <= max) return *number;
  refuse(name, fmt::format("must be a number of bytes from {} to {}, such as 65536, 64KiB or 16MiB", min, max));
  return fallback;
}

std::string Settings::choice(std::string_view name, std::string_view fallback, std::vector<std::string> allowed,
                             std::string_view help) {
  declare(name, fallback, fmt::format("{} ({})", help, fmt::join(allowed, " | ")));
  const std::string* value = find(name);
  if (value == nullptr) return std::string(fallback);
  if (std::ranges::find(allowed, *value) != allowed.end()) return *value;
  refuse(name, fmt::format("must be one of {}", fmt::join(allowed, ", ")));
  return std::string(fallback);
}

std::vector<std::string> Settings::list(std::string_view name, std::string_view help) {
  declare(name, "", std::string(help) + " (comma-separated)");
  std::vector<std::string> items;
  const std::string* value = find(name);
  if (value == nullptr) return items;
  std::istringstream in(*value);
  for (std::string item; std::getline(in, item, ',');) {
    if (const std::string_view trimmed = trim(item); !trimmed.empty()) items.emplace_back(trimmed);
  }
  return items;
}

void Settings::notYet(std::string_view name, std::vector<std::string> harmless, std::string_view line,
                      std::string_view help) {
  declare(name, "", help);
  const std::string* value = find(name);
  if (value == nullptr || value->empty() || std::ranges::find(harmless, *value) != harmless.end()) return;
  refuse(name, std::string(line));
}

std::vector<std::string_view> Settings::unknownNames() const {
  std::vector<std::string_view> unknown;
  for (const auto& [name, value] : environment_) {
    if (name.starts_with("SERVICE_") && !known_.contains(name)) unknown.push_back(name);
  }
  return unknown;
}

std::string_view Settings::nearMiss(std::string_view name) const {
  for (const std::string& known : known_) {
    if (editDistance(name, known) <= kNearMiss) return known;
  }
  return {};
}

std::vector<std::string> Settings::errors() const {
  std::vector<std::string> all = errors_;
  for (const std::string_view name : unknownNames()) {
    const std::string_view meant = nearMiss(name);
    if (!meant.empty()) all.push_back(fmt::format("{}: no such setting; did you mean {}?", name, meant));
  }
  return all;
}

std::vector<std::string> Settings::warnings() const {
  std::vector<std::string> all;
  for (const std::string_view name : unknownNames()) {
    if (nearMiss(name).empty()) all.push_back(fmt::format("{}: no such setting", name));
  }
  return all;
}

std::string Settings::help() const {
  std::string out;
  for (const Declared& declared : declared_) {
    out += fmt::format("  {:<36} {}", declared.name, declared.help);
    if (!declared.fallback.empty()) out += fmt::format(" [{}]", declared.fallback);
    out += '\n';
  }
  return out;
}

Settings::Environment loadEnvironment(const std::string& directory, std::vector<std::string>& problems) {
  Settings::Environment all;
  const std::string path = directory + "/.env";
  std::ifstream in(path);
  std::error_code unknowable;
  if (std::filesystem::exists(path, unknowable) && (!in || !std::filesystem::is_regular_file(path, unknowable))) {
    problems.emplace_back(".env: cannot be read");
    in.setstate(std::ios::failbit);
  }
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::string_view text = trim(line);
    if (text.empty() || text.starts_with('#')) continue;
    if (text.starts_with("export ")) text = trim(text.substr(7));
    const size_t equals = text.find('=');
    const std::string_view name = trim(text.substr(0, equals));
    if (equals == std::string_view::npos || name.empty() || name.find_first_of(" \t\"'") != std::string_view::npos) {
      problems.push_back(fmt::format(".env line {}: is not NAME=value", number));
      continue;
    }
    std::string_view value = trim(text.substr(equals + 1));
    const bool quoted = value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0];
    if (quoted) value = value.substr(1, value.size() - 2);
    all[std::string(name)] = std::string(value);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      all[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
  }
  return all;
}

}  // namespace mb
