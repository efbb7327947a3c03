// `manybase pull`, `manybase status` and `manybase diff`: the server's configuration compared with the folder's.
#include <map>
#include <set>

#include "cli/configuration_sync.h"
#include "cli/text_diff.h"

namespace mb::cli {

namespace {

using configuration::Bundle;
using configuration::BundleFile;

// The folder's files; empty where there is no bundle yet.
Result<BundleFolder::Contents> contentsOf(const BundleFolder& folder) {
  return folder.there() ? folder.read() : BundleFolder::Contents{};
}

const BundleFile* find(const Bundle& bundle, std::string_view path) {
  const auto found = std::ranges::lower_bound(bundle, path, {}, &BundleFile::path);
  return found != bundle.end() && found->path == path ? &*found : nullptr;
}

// The effect of a pull on the local files.
struct PullEffect {
  std::vector<FileChange> lost;      // local changes that it overwrites or deletes
  std::vector<std::string> deleted;  // files that the project does not have
  std::vector<std::string> kept;     // files that were never pushed
};

// `all`: files that were never pushed are deleted too.
PullEffect effectOf(const std::optional<PullRecord>& record, const Bundle& here, const Bundle& server, bool all) {
  PullEffect out;
  std::map<std::string, FileChange::Kind> changed;
  for (const FileChange& each : changedHere(record ? *record : PullRecord{}, here))
    changed.emplace(each.path, each.kind);
  for (const BundleFile& file : here) {
    const BundleFile* theirs = find(server, file.path);
    if (theirs != nullptr && theirs->content == file.content) continue;
    const auto change = changed.find(file.path);
    const bool neverPushed = change != changed.end() && change->second == FileChange::Kind::created;
    if (theirs == nullptr) (neverPushed && !all ? out.kept : out.deleted).push_back(file.path);
    if (change == changed.end() || (theirs == nullptr && neverPushed)) continue;
    out.lost.push_back({file.path, change->second});
  }
  return out;
}

// Lists every file before the confirmation.
Result<> confirmDeletion(Client& client, const BundleFolder& folder, const std::vector<std::string>& files) {
  if (files.empty()) return {};
  std::string named;
  for (const std::string& path : files) named += "delete " + path + "\n";
  client.console().say(named);
  return confirmed(client,
                   fmt::format("Delete {} from {}, as named above?",
                               files.size() == 1 ? "this file" : fmt::format("these {} files", files.size()),
                               folder.root().string()),
                   "delete");
}

std::string foreignLine(const std::vector<std::string>& foreign) {
  if (foreign.empty()) return {};
  std::string out = "not of the bundle, ignored:";
  for (const std::string& path : foreign) out += " " + path;
  return out + "\n";
}

struct FileDiff {
  FileChange change;
  std::string text;
};

// Differences from the server to the folder.
std::vector<FileDiff> differences(const Bundle& server, const Bundle& here, const std::string& root) {
  std::set<std::string_view> paths;
  for (const BundleFile& file : server) paths.insert(file.path);
  for (const BundleFile& file : here) paths.insert(file.path);
  std::vector<FileDiff> out;
  for (const std::string_view path : paths) {
    const BundleFile* theirs = find(server, path);
    const BundleFile* ours = find(here, path);
    std::string hunks = unifiedDiff(theirs ? theirs->content : "", ours ? ours->content : "");
    if (hunks.empty() && theirs && ours) continue;
    const auto kind = !theirs ? FileChange::Kind::created
                      : !ours ? FileChange::Kind::removed
                              : FileChange::Kind::modified;
    const std::string before = theirs ? fmt::format("server/{}", path) : "/dev/null";
    const std::string after = ours ? fmt::format("{}/{}", root, path) : "/dev/null";
    out.push_back({{std::string(path), kind}, fmt::format("--- {}\n+++ {}\n{}", before, after, hunks)});
  }
  return out;
}

}  // namespace

Result<Outcome> pull(Client& client) {
  TRY(ConfigSync sync, ConfigSync::open(client));
  TRY(const BundleFolder::Contents here, contentsOf(sync.folder()));
  TRY(const ServerConfig server, sync.serverConfig());
  const PullEffect effect = effectOf(sync.record(), here.bundle, server.bundle, client.has("delete"));
  if (!effect.lost.empty() && !client.has("force")) {
    return fail(ErrorCode::conflict,
                fmt::format("a pull would overwrite what was changed here ({}): look at `manybase diff`, then push it "
                            "or pull with --force",
                            pathsOf(effect.lost)));
  }
  RETURN_IF_ERROR(confirmDeletion(client, sync.folder(), effect.deleted));
  Bundle replaced = here.bundle;
  std::erase_if(replaced, [&](const BundleFile& file) { return std::ranges::binary_search(effect.kept, file.path); });
  TRY(const BundleFolder::Written written, sync.folder().write(replaced, server.bundle));
  RETURN_IF_ERROR(sync.remember(server, server.bundle));
  TRY(const auto link, sync.state().link());
  if (!link) RETURN_IF_ERROR(sync.state().keep(Link{sync.session().url(), sync.project()}));

  const size_t changed = written.written.size() + written.removed.size();
  std::string text;
  for (const std::string& path : written.written) text += "  wrote     " + path + "\n";
  for (const std::string& path : written.removed) text += "  removed   " + path + "\n";
  for (const std::string& path : effect.kept) text += "  kept      " + path + " (only here)\n";
  text += foreignLine(here.foreign);
  text += changed == 0 ? fmt::format("{} is up to date with {}", sync.folder().root().string(), sync.project().shown())
                       : fmt::format("pulled {} into {}", sync.project().shown(), sync.folder().root().string());
  doc::BsonWriter result;
  appendProject(result, sync.session(), sync.project());
  appendNames(result, "written", written.written);
  appendNames(result, "removed", written.removed);
  appendNames(result, "kept", effect.kept);
  appendNames(result, "foreign", here.foreign);
  return Outcome{0, std::move(text), result.finish()};
}

Result<Outcome> status(Client& client) {
  TRY(const BundleFolder::Contents here, client.folder().read());
  TRY(ConfigSync sync, ConfigSync::open(client));
  TRY(const ServerConfig server, sync.serverConfig());
  const bool pulled = sync.record().has_value();
  // Without a pull it is unknown which side changed a file: all differences count as the folder's.
  const PullRecord record = pulled ? *sync.record() : recordOf(sync.session().url(), sync.project(), server.bundle, {});
  const auto ours = changedHere(record, here.bundle);
  const auto theirs = changedThere(record, server.bundle);
  std::vector<std::string> both;
  for (const FileChange& each : ours) {
    if (std::ranges::find(theirs, each.path, &FileChange::path) != theirs.end()) both.push_back(each.path);
  }

  std::string text = fmt::format("{} at {}\n", sync.project().shown(), sync.session().url());
  if (!pulled) text += "never pulled into this folder: all that differs is shown as changed here\n";
  if (!ours.empty()) text += "changed here:\n" + linesOf(ours);
  if (!theirs.empty()) text += "changed on the server since the last pull:\n" + linesOf(theirs);
  for (const std::string& path : both) text += fmt::format("changed on both sides: {}\n", path);
  text += foreignLine(here.foreign);
  if (ours.empty() && theirs.empty()) text += "nothing changed";
  doc::BsonWriter result;
  appendProject(result, sync.session(), sync.project());
  result.appendBool("pulled", pulled);
  appendChanges(result, "here", ours);
  appendChanges(result, "server", theirs);
  appendNames(result, "both", both);
  appendNames(result, "foreign", here.foreign);
  return Outcome{0, std::move(text), result.finish()};
}

Result<Outcome> diff(Client& client) {
  TRY(const BundleFolder::Contents here, client.folder().read());
  TRY(ConfigSync sync, ConfigSync::open(client));
  TRY(const ServerConfig server, sync.serverConfig());
  std::string text;
  doc::BsonWriter result;
  appendProject(result, sync.session(), sync.project());
  result.beginArray("files");
  size_t number = 0;
  for (const FileDiff& each : differences(server.bundle, here.bundle, sync.folder().root().string())) {
    text += each.text;
    result.beginDocument(doc::arrayKey(number++));
    result.appendString("path", each.change.path);
    result.appendString("change", nameOf(each.change.kind));
    result.appendString("diff", each.text);
    result.end();
  }
  result.end();
  if (client.console().colours()) text = coloured(text);
  return Outcome{0, std::move(text), result.finish()};
}

}  // namespace mb::cli
