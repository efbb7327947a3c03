// A BlobStore holds the bytes of files as named, immutable blobs. Only the document store's records say what a blob
// belongs to; the sweeper removes blobs without a record. Implemented by local_store.h and s3_store.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/task.h"
#include "store/store.h"

namespace mb::storage {

// "<project number>-<32 hex digits>": random for each upload, so it never contains client input.
using BlobName = std::string;
BlobName newBlobName(store::ProjectNo project);
// nullopt for any name that newBlobName() does not create.
std::optional<store::ProjectNo> projectOf(std::string_view blob);

// One upload. If it is abandoned, or destroyed before finish(), no blob remains, or one that the sweeper removes.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  // `piece` is used until the call returns. Fails with unavailable where the store has no space or does not respond.
  virtual Task<> write(std::string_view piece) = 0;
  // The blob is complete and durable once this has returned. Returns its SHA-256 in hex.
  virtual Task<std::string> finish() = 0;
  // Called instead of finish(), or after it has failed.
  virtual Task<> abandon() = 0;
};

// Reads a blob, piece by piece.
class BlobSource {
 public:
  virtual ~BlobSource() = default;
  // Valid until the next call; empty at the end.
  virtual Task<std::string_view> read() = 0;
};

struct BlobInfo {
  BlobName name;
  uint64_t size = 0;
};
struct BlobPage {
  std::vector<BlobInfo> blobs;
  std::string next;  // the start of the next page; "" at the end
};

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  virtual std::unique_ptr<BlobWriter> create(BlobName name) = 0;
  // The blob as an open file; null where the store has no files. Fails with notFound where the blob does not exist.
  virtual Task<std::shared_ptr<const Descriptor>> open(BlobName name) = 0;
  // Reads a blob that cannot be sent from an open file.
  virtual std::shared_ptr<BlobSource> source(BlobName name, uint64_t offset, uint64_t length) = 0;
  // Succeeds for blobs that do not exist.
  virtual Task<> remove(std::vector<BlobName> names) = 0;
  // A page of about a thousand blobs, from the `next` of an earlier page, or "" for the first.
  virtual Task<BlobPage> list(std::string from) = 0;
  // How long an unreferenced blob stays, for reads in progress.
  virtual std::chrono::milliseconds lingers() const = 0;
  // Ends blocking calls. No function is called afterwards.
  virtual void stop() = 0;
};

}  // namespace mb::storage
