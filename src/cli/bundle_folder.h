// A bundle in a folder of this machine. Symbolic links in it are refused, whatever they point at: a bundle comes from
// other people's repositories.
#pragma once

#include <filesystem>

#include "configuration/bundle.h"

namespace mb::cli {

class BundleFolder {
 public:
  explicit BundleFolder(std::filesystem::path root) : root_(std::move(root)) {}

  struct Contents {
    configuration::Bundle bundle;  // sorted by path
    std::vector<std::string>
        foreign;  // paths of other people's files, by name; those that begin with a dot are left out
  };
  // Whether there is a bundle.
  bool there() const;
  // Fails with notFound where there is none, with validation where a file is none that can be read: every one of them
  // in the details.
  Result<Contents> read() const;

  struct Written {
    std::vector<std::string> written;  // paths, sorted
    std::vector<std::string> removed;
  };
  // Makes the folder hold these files and none else of a bundle, as `before` stands; foreign ones stay. Each file is
  // replaced at once.
  Result<Written> write(const configuration::Bundle& before, const configuration::Bundle& after) const;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace mb::cli
