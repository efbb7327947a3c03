// What this machine remembers of a bundle's folder, in .manybase inside it, which git does not see: the project it is
// linked to, and the files as they were pulled. Failures are lines to show.
#pragma once

#include <filesystem>
#include <map>

#include "configuration/bundle.h"
#include "document/shape.h"

namespace mb::cli {

inline constexpr std::string_view kStateFolder = ".manybase";

struct ProjectRef {
  std::string id;
  std::string slug;  // "" where only the id is known
  static constexpr auto shape() {
    return doc::shape<ProjectRef>("ProjectRef", doc::field("id", &ProjectRef::id),
                                  doc::field("slug", &ProjectRef::slug));
  }
  const std::string& shown() const { return slug.empty() ? id : slug; }
  bool operator==(const ProjectRef&) const = default;
};

// link.json
struct Link {
  std::string url;
  ProjectRef project;
  static constexpr auto shape() {
    return doc::shape<Link>("Link", doc::field("url", &Link::url), doc::field("project", &Link::project));
  }
};

// pull.json: the sha256, in hex, of each file of the bundle as the server had it when it was last pulled or pushed.
struct PullRecord {
  std::string url;
  std::string projectId;
  std::map<std::string, std::string> files;
  // Of files that hold the same in other words (after a push): the sha256 of the text in the folder.
  std::map<std::string, std::string> written;

  bool isOf(const std::string& server, const ProjectRef& project) const {
    return url == server && projectId == project.id;
  }
};

class LocalState {
 public:
  explicit LocalState(std::filesystem::path bundleFolder) : folder_(bundleFolder / kStateFolder) {}

  // nullopt where there is none.
  Result<std::optional<Link>> link() const;
  Result<std::optional<PullRecord>> record() const;
  Result<> keep(const Link& link) const;
  Result<> keep(const PullRecord& record) const;

 private:
  Result<std::optional<doc::Document>> read(std::string_view name) const;
  Result<> write(std::string_view name, const doc::Document& document) const;
  std::filesystem::path folder_;
};

std::string sumOf(std::string_view content);
// `server` as it is recorded, with what stands in the folder in other words.
PullRecord recordOf(std::string url, const ProjectRef& project, const configuration::Bundle& server,
                    const configuration::Bundle& folder);

// How one file of the bundle stands.
struct FileChange {
  enum class Kind { created, modified, removed };
  std::string path;
  Kind kind;
};
std::string_view nameOf(FileChange::Kind kind);

// What changed in the folder since the record, by path; everything is new where there is none.
std::vector<FileChange> changedHere(const PullRecord& record, const configuration::Bundle& folder);
// What changed on the server since.
std::vector<FileChange> changedThere(const PullRecord& record, const configuration::Bundle& server);

}  // namespace mb::cli
