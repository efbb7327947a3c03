// Local state of a bundle's folder, in .manybase inside it, which git ignores: the project it is linked to, and the
// files as they were pulled. Error messages are for printing.
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

// pull.json: the sha256, in hex, of each file of the bundle as the server had it at the last pull or push.
struct PullRecord {
  std::string url;
  std::string projectId;
  std::map<std::string, std::string> files;
  // For files with other text of equal meaning (after a push): the sha256 of the text in the folder.
  std::map<std::string, std::string> written;

  bool isOf(const std::string& server, const ProjectRef& project) const {
    return url == server && projectId == project.id;
  }
};

class LocalState {
 public:
  explicit LocalState(std::filesystem::path bundleFolder) : folder_(bundleFolder / kStateFolder) {}

  // nullopt where the folder is not linked.
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
// The record of `server`, with the folder's text where it differs in form only.
PullRecord recordOf(std::string url, const ProjectRef& project, const configuration::Bundle& server,
                    const configuration::Bundle& folder);

// The change of one file of the bundle.
struct FileChange {
  enum class Kind { created, modified, removed };
  std::string path;
  Kind kind;
};
std::string_view nameOf(FileChange::Kind kind);

// Changes in the folder since the record, by path; every file is new without a record.
std::vector<FileChange> changedHere(const PullRecord& record, const configuration::Bundle& folder);
// Changes on the server since the record.
std::vector<FileChange> changedThere(const PullRecord& record, const configuration::Bundle& server);

}  // namespace mb::cli
