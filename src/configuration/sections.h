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
  std::string_view file;    // where it is one file of a bundle; else ""
  std::string_view folder;  // where each entry is a file of its own; else ""
  std::string_view key;     // the field of an entry that names it; "" where the section is no array of entries
  bool optional;            // left out of the document when empty
  int applied;  // place in the order in which an import applies sections: each may name what earlier ones hold
  std::string_view part;   // the limit that its entries count for (store/configuration_limits.h)
  std::string_view route;  // under /api/v1/admin, by which `push --prune` deletes an entry; "" where it never does
  int pruned;              // place in the order of deleting; 0 where nothing is deleted
};

// In the order of the document.
std::span<const Section> sections();
const Section* sectionNamed(std::string_view name);
// Those with a route, in the order in which entries can be deleted.
std::vector<const Section*> prunedSections();
// The bundle's file of an entry: "roles.json", "collections/posts.json".
std::string bundleFileOf(const Section& section, std::string_view entry);

// The name of the default policy among the collections, and its file name in the bundle.
inline constexpr std::string_view kDefaultEntry = "*";
inline constexpr std::string_view kDefaultFile = "__default";

}  // namespace mb::configuration
