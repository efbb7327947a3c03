// The host's side of ctx.storage (docs/functions.md, "Files: `ctx.storage`"). All arguments come from a worker: they
// are untrusted and validated.
//
//   storage.list(bucket, {prefix?, limit?}?)                       files as on the wire, by path, at most 1,000
//   storage.read(bucket, path)                                     {bytes, contentType, metadata}
//   storage.write(bucket, path, bytes, {contentType, metadata}?)   the file
//   storage.delete(bucket, path)                                   null
//   storage.sign(bucket, path, seconds)                            {url, expiresAt}
#pragma once

#include <stop_token>

#include "storage/files.h"

namespace mb::functions {

inline constexpr int64_t kMaxReadBytes = 8 << 20;  // of storage.read
inline constexpr uint64_t kMaxListedFiles = 1000;

// The files of a run: past permissions and rules, as ctx.db.
struct FileHost {
  storage::Files* files = nullptr;  // null: the deployment has no files
  snapshot::SnapshotPtr project;
};

struct FileCall {
  store::Actor actor;  // of the run's writes
  store::Deadline deadline;
  std::stop_token aborted;  // checked before the call, and before each piece that is read
};

constexpr bool isFileCall(std::string_view operation) {
  return operation.starts_with("storage.");
}
Task<doc::Value> callFiles(FileHost host, FileCall call, std::string operation, doc::Document arguments);

}  // namespace mb::functions
