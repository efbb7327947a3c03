// A bundle in a local folder. Symbolic links in it are refused, whatever their target: a bundle comes from other
// people's repositories.
#pragma once

#include <filesystem>

#include "configuration/bundle.h"

namespace mb::cli {

class BundleFolder {
 public:
  explicit BundleFolder(std::filesystem::path root) : root_(std::move(root)) {}

  struct Contents {
    configuration::Bundle bundle;  // sorted by path
    // Paths that are not of the bundle, sorted; a folder's ends in "/". Those that begin with a dot are omitted.
    std::vector<std::string> foreign;
  };
  // Whether the folder holds a bundle.
  bool there() const;
  // Fails with notFound where there is no bundle, with validation where files cannot be read, with each in the details.
  Result<Contents> read() const;

  struct Written {
    std::vector<std::string> written;  // paths, sorted
    std::vector<std::string> removed;
  };
  // Writes the files of `after` and removes those of `before` that it lacks; files that are not of a bundle stay. Each
  // file is replaced atomically.
  Result<Written> write(const configuration::Bundle& before, const configuration::Bundle& after) const;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace mb::cli
