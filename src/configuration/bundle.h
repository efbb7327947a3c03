// A project's shape as files of a folder, so that it can be kept in a repository: the document of an export cut into
// one file for each thing that has a name. Pure functions. Source: contract 2.16, 4.11, 9; decisions 8 ("Names").
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

// The files of an export, sorted by path; the same bytes for the same shape. Fails with validation where it is no
// export that this version knows, everything wrong with it in the details.
Result<Bundle> bundleOf(doc::DocumentView exported);

// The document that an import takes, in the order of an export and without exportedAt and serverVersion. Fails with
// validation, every broken file in the details: path of the file, and what is wrong. A path that is neither of the
// layout nor foreign is such a file.
Result<doc::Document> documentOf(const Bundle& bundle);

// Whether a path of the folder has nothing to do with a bundle (README.md, a name that begins with a dot): to be left
// alone, and not to be given to documentOf.
bool isForeign(std::string_view path);

}  // namespace mb::configuration
