// The fields of a file's record in the rules of buckets (docs/storage.md, "Rules").
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace mb::policy {

struct FileField {
  std::string_view name;
  std::string_view type;  // of CEL
};

inline constexpr std::array kFileFields = std::to_array<FileField>({
    {"path", "string"},
    {"size", "int"},
    {"contentType", "string"},
    {"ownerId", "string?"},
    {"metadata", "map"},
    {"createdAt", "timestamp"},
    {"updatedAt", "timestamp"},
});

// Whether a file can have a field at this dotted path.
constexpr bool isFileField(std::string_view path) {
  if (path.starts_with("metadata.")) return true;
  return std::ranges::find(kFileFields, path, &FileField::name) != kFileFields.end();
}

}  // namespace mb::policy
