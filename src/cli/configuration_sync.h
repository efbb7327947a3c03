// Compares a project's configuration on the server with that in the folder, for pull, status, diff and push.
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

struct ServerConfig {
  doc::Document document;  // as exported
  configuration::Bundle bundle;
  // Only a name: the project is new.
  bool empty() const { return bundle.size() <= 1; }
};

// A project, with its link, session and record of the last pull.
class ConfigSync {
 public:
  static Result<ConfigSync> open(Client& client);

  Session& session() { return *session_; }
  const ProjectRef& project() const { return project_; }
  const BundleFolder& folder() const { return folder_; }
  const LocalState& state() const { return state_; }
  // nullopt where this project was never pulled into this folder.
  const std::optional<PullRecord>& record() const { return record_; }
  Result<ServerConfig> serverConfig();
  // Saves the server's files as the record, and the folder's text of them.
  Result<> remember(const ServerConfig& server, const configuration::Bundle& inFolder);
  // Saves the folder's files, as the server has them now; of other files the earlier record stays.
  Result<> rememberPushed(const ServerConfig& server, const configuration::Bundle& inFolder);

 private:
  ConfigSync(std::unique_ptr<Session> session, ProjectRef project, BundleFolder folder, LocalState state)
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
