#include "cli/configuration_sync.h"

namespace mb::cli {

namespace {

constexpr size_t kPathsNamed = 5;

}  // namespace

void appendChanges(doc::BsonWriter& out, std::string_view key, const std::vector<FileChange>& changes) {
  out.beginArray(key);
  for (size_t i = 0; i < changes.size(); ++i) {
    out.beginDocument(doc::arrayKey(i));
    out.appendString("path", changes[i].path);
    out.appendString("change", nameOf(changes[i].kind));
    out.end();
  }
  out.end();
}

void appendNames(doc::BsonWriter& out, std::string_view key, const std::vector<std::string>& names) {
  out.beginArray(key);
  for (size_t i = 0; i < names.size(); ++i) out.appendString(doc::arrayKey(i), names[i]);
  out.end();
}

void appendProject(doc::BsonWriter& out, const Session& session, const ProjectRef& project) {
  out.appendString("url", session.url());
  out.appendDocument("project", doc::encode(project));
}

std::string linesOf(const std::vector<FileChange>& changes) {
  std::string out;
  for (const FileChange& each : changes) out += fmt::format("  {:<9} {}\n", nameOf(each.kind), each.path);
  return out;
}

std::string pathsOf(const std::vector<FileChange>& changes) {
  std::string out;
  for (size_t i = 0; i < changes.size() && i < kPathsNamed; ++i) out += (i == 0 ? "" : ", ") + changes[i].path;
  if (changes.size() > kPathsNamed) out += fmt::format(" and {} more", changes.size() - kPathsNamed);
  return out;
}

Result<ConfigSync> ConfigSync::open(Client& client) {
  TRY(ProjectSession opened, client.projectSession());
  ConfigSync out(std::move(opened.session), std::move(opened.project), client.folder(), client.state());
  TRY(out.record_, out.state_.record());
  if (out.record_ && !out.record_->isOf(out.session_->url(), out.project_)) out.record_.reset();
  return out;
}

Result<ServerConfig> ConfigSync::serverConfig() {
  TRY(doc::Document exported, session_->admin(project_, {"GET", "/config-export", "reading the project"}));
  auto bundle = configuration::bundleOf(exported);
  if (!bundle) {
    return fail(
        ErrorCode::upstreamFailed,
        fmt::format("this program cannot read the configuration of {} ({}): use the program of the server's version",
                    session_->url(), bundle.error().message()));
  }
  return ServerConfig{std::move(exported), *std::move(bundle)};
}

Result<> ConfigSync::remember(const ServerConfig& server, const configuration::Bundle& inFolder) {
  record_ = recordOf(session_->url(), project_, server.bundle, inFolder);
  return state_.keep(*record_);
}

Result<> ConfigSync::rememberPushed(const ServerConfig& server, const configuration::Bundle& inFolder) {
  const PullRecord before = record_ ? *std::move(record_) : PullRecord{};
  record_ = recordOf(session_->url(), project_, server.bundle, inFolder);
  std::map<std::string, std::string> files = before.files;
  for (const configuration::BundleFile& file : inFolder) {
    const auto known = record_->files.find(file.path);
    if (known != record_->files.end()) files[file.path] = known->second;
  }
  record_->files = std::move(files);
  return state_.keep(*record_);
}

}  // namespace mb::cli
