// The sections of a configuration document: the one table of them, for the server's import and export, for bundles, and
// for the command line. A ResourceKind (resource_kind.h) implements each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mb::configuration {

inline constexpr int kFormatVersion = 1;

struct Section {
  std::string_view name;    // its key in the document
  std::string_view file;    // the file, if the section is one file of a bundle; else ""
  std::string_view folder;  // the folder, if each entry is a separate file; else ""
  std::string_view key;     // the field of an entry that names it; "" where the section is not an array of entries
  bool optional;            // omitted from the document when empty
  int applied;              // position in the order of an import; a section may refer to earlier ones
  std::string_view part;    // the limit that counts its entries (store/configuration_limits.h)
  std::string_view route;   // under /api/v1/admin: `push --prune` deletes an entry there; "" if it is never pruned
  int pruned;               // position in the order of pruning; 0 if it is never pruned
};

// In the order of the document.
std::span<const Section> sections();
const Section* sectionNamed(std::string_view name);
// Those with a route, in the order in which entries can be deleted: a webhook or a function may name entries of later
// sections.
std::vector<const Section*> prunedSections();
// The bundle's file of an entry: "roles.json", "collections/posts.json".
std::string bundleFileOf(const Section& section, std::string_view entry);

// The name of the default policy among the collections, and its file name in the bundle.
inline constexpr std::string_view kDefaultEntry = "*";
inline constexpr std::string_view kDefaultFile = "__default";

}  // namespace mb::configuration
