// The shape of a project on the server beside that in the folder: what pull, status, diff and push look at.
#pragma once

#include "cli/client.h"

namespace mb::cli {

// "files" -> [{path, change}].
void appendChanges(doc::BsonWriter& out, std::string_view key, const std::vector<FileChange>& changes);
void appendNames(doc::BsonWriter& out, std::string_view key, const std::vector<std::string>& names);
void appendProject(doc::BsonWriter& out, const Session& session, const ProjectRef& project);
// "  modified  collections/notes.json" a line.
std::string linesOf(const std::vector<FileChange>& changes);
// "a, b and 3 more".
std::string pathsOf(const std::vector<FileChange>& changes);

struct ServerShape {
  doc::Document document;  // as exported
  configuration::Bundle bundle;
  // Nothing but a name: the project is new.
  bool empty() const { return bundle.size() <= 1; }
};

// A project, with what the server, the folder and the record of the last pull have of it.
class ShapeSync {
 public:
  static Result<ShapeSync> open(Client& client);

  Session& session() { return *session_; }
  const ProjectRef& project() const { return project_; }
  const BundleFolder& folder() const { return folder_; }
  const LocalState& state() const { return state_; }
  // nullopt where this project was never pulled into this folder.
  const std::optional<PullRecord>& record() const { return record_; }
  Result<ServerShape> serverShape();
  // Remembers what the server has, and how the folder says it.
  Result<> remember(const ServerShape& server, const configuration::Bundle& inFolder);
  // Remembers the files of the folder, as the server has them now; of the others what was known of them before.
  Result<> rememberPushed(const ServerShape& server, const configuration::Bundle& inFolder);

 private:
  ShapeSync(std::unique_ptr<Session> session, ProjectRef project, BundleFolder folder, LocalState state)
      : session_(std::move(session)),
        project_(std::move(project)),
        folder_(std::move(folder)),
        state_(std::move(state)) {}
  std::unique_ptr<Session> session_;
  ProjectRef project_;
  BundleFolder folder_;
  LocalState state_;
  std::optional<PullRecord> record_;
};

}  // namespace mb::cli
