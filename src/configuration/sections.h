// The sections of a configuration document, all of them, and where each stands in a bundle. Source: contract 2.16.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mb::configuration {

inline constexpr int kFormatVersion = 1;

struct Section {
  std::string_view name;    // its key in the document
  std::string_view file;    // where it is one file of a bundle; else ""
  std::string_view folder;  // where each entry is a file of its own; else ""
  std::string_view key;     // the field of an entry that names it; "" where the section is no array of entries
  bool optional;            // left out of the document when empty
};

// In the order of the document.
std::span<const Section> sections();
const Section* sectionNamed(std::string_view name);

// The default policy stands among the collections under this name, and in the bundle as a file of that one.
inline constexpr std::string_view kDefaultEntry = "*";
inline constexpr std::string_view kDefaultFile = "__default";

}  // namespace mb::configuration
