// `manybase pull`, `manybase status` and `manybase diff`: the server's shape beside the folder's.
#include <set>

#include "cli/shape_sync.h"
#include "cli/text_diff.h"

namespace mb::cli {

namespace {

using configuration::Bundle;
using configuration::BundleFile;

// What stands in the folder; empty where there is no bundle yet.
Result<BundleFolder::Contents> contentsOf(const BundleFolder& folder) {
  return folder.there() ? folder.read() : BundleFolder::Contents{};
}

const BundleFile* find(const Bundle& bundle, std::string_view path) {
  const auto found = std::ranges::lower_bound(bundle, path, {}, &BundleFile::path);
  return found != bundle.end() && found->path == path ? &*found : nullptr;
}

// Of what is here, what a pull would overwrite or remove though the server never had it so.
std::vector<FileChange> lostByPull(const std::optional<PullRecord>& record, const Bundle& here, const Bundle& server) {
  std::vector<FileChange> out;
  for (FileChange& change : changedHere(record ? *record : PullRecord{}, here)) {
    if (change.kind == FileChange::Kind::removed) continue;
    const BundleFile* ours = find(here, change.path);
    const BundleFile* theirs = find(server, change.path);
    if (theirs != nullptr && ours->content == theirs->content) continue;
    out.push_back(std::move(change));
  }
  return out;
}

std::string foreignLine(const std::vector<std::string>& foreign) {
  if (foreign.empty()) return {};
  std::string out = "not of the bundle, left alone:";
  for (const std::string& path : foreign) out += " " + path;
  return out + "\n";
}

struct FileDiff {
  FileChange change;
  std::string text;
};

// From the server to the folder.
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
  TRY(ShapeSync sync, ShapeSync::open(client));
  TRY(const BundleFolder::Contents here, contentsOf(sync.folder()));
  TRY(const ServerShape server, sync.serverShape());
  const auto lost = lostByPull(sync.record(), here.bundle, server.bundle);
  if (!lost.empty() && !client.has("force")) {
    return fail(ErrorCode::conflict,
                fmt::format("a pull would overwrite what was changed here ({}): `manybase diff` shows it; push it, or "
                            "pull with --force",
                            pathsOf(lost)));
  }
  TRY(const BundleFolder::Written written, sync.folder().write(here.bundle, server.bundle));
  CHECK(sync.remember(server, server.bundle));
  TRY(const auto link, sync.state().link());
  if (!link) CHECK(sync.state().keep(Link{sync.session().url(), sync.project()}));

  const size_t changed = written.written.size() + written.removed.size();
  std::string text;
  for (const std::string& path : written.written) text += "  wrote     " + path + "\n";
  for (const std::string& path : written.removed) text += "  removed   " + path + "\n";
  text += foreignLine(here.foreign);
  text += changed == 0 ? fmt::format("{} is up to date with {}", sync.folder().root().string(), sync.project().shown())
                       : fmt::format("pulled {} into {}", sync.project().shown(), sync.folder().root().string());
  doc::BsonWriter result;
  appendProject(result, sync.session(), sync.project());
  appendNames(result, "written", written.written);
  appendNames(result, "removed", written.removed);
  appendNames(result, "foreign", here.foreign);
  return Outcome{0, std::move(text), result.finish()};
}

Result<Outcome> status(Client& client) {
  TRY(const BundleFolder::Contents here, client.folder().read());
  TRY(ShapeSync sync, ShapeSync::open(client));
  TRY(const ServerShape server, sync.serverShape());
  const bool pulled = sync.record().has_value();
  // Without a pull there is nothing to tell who changed what: what differs is the folder's.
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
  TRY(ShapeSync sync, ShapeSync::open(client));
  TRY(const ServerShape server, sync.serverShape());
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
