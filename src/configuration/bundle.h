// Converts a project's configuration to files of a folder and back, so that it can be kept in a repository: the
// exported document split into one file for each named entry. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/bson.h"

namespace mb::configuration {

// `path` is relative to the folder, with "/": "collections/posts.json".
struct BundleFile {
  std::string path;
  std::string content;
  bool operator==(const BundleFile&) const = default;
};
using Bundle = std::vector<BundleFile>;

// The files of an export, sorted by path; the same bytes for the same configuration. Fails with validation where it is
// not an export of a supported version, with all problems in the details.
Result<Bundle> bundleOf(doc::DocumentView exported);

// The document for an import, in the order of an export and without exportedAt and serverVersion. Fails with
// validation, with each invalid file in the details: its path, and the problem. A path that is neither of the layout
// nor foreign is such a file.
Result<doc::Document> documentOf(const Bundle& bundle);

// Whether a path of the folder does not belong to a bundle (README.md, a name that begins with a dot): it is ignored,
// and must not be passed to documentOf.
bool isForeign(std::string_view path);

}  // namespace mb::configuration
