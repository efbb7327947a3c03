// Where the bytes of files are: a place of named blobs that never change. What a blob is of stands in the store's
// records alone; a blob without a record is nobody's, and the sweeper's. Two implement it: local_store.h and
// s3_store.h.
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

// "<project number>-<32 hex digits>": made anew for each upload, so never of anything that a client said.
using BlobName = std::string;
BlobName newBlobName(store::ProjectNo project);
// nullopt for anything that newBlobName() does not make.
std::optional<store::ProjectNo> projectOf(std::string_view blob);

// One upload. Abandoned, or dropped before finish(), it leaves nothing behind, or what the sweeper finds.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  // `piece` is used until it returns. Fails with unavailable where there is no module or no answer.
  virtual Task<> write(std::string_view piece) = 0;
  // The blob is there, whole and durable, once this has returned; its SHA-256 in hex.
  virtual Task<std::string> finish() = 0;
  // In place of finish(), or after it has failed.
  virtual Task<> abandon() = 0;
};

// Bytes of a blob, piece by piece.
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
  std::string next;  // where the page after it begins; "" at the end
};

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  virtual std::unique_ptr<BlobWriter> create(BlobName name) = 0;
  // The blob as an open file; null where it is none. Fails with notFound where the blob is gone.
  virtual Task<std::shared_ptr<const Descriptor>> open(BlobName name) = 0;
  // Bytes of a blob, for what cannot be sent from an open file.
  virtual std::shared_ptr<BlobSource> source(BlobName name, uint64_t offset, uint64_t length) = 0;
  // Where they are gone already, that is well.
  virtual Task<> remove(std::vector<BlobName> names) = 0;
  // About a thousand of all there are, from the place that a page before it named, or "" for the first.
  virtual Task<BlobPage> list(std::string from) = 0;
  // How long a blob stays after nothing names it any more, for those who are reading it.
  virtual std::chrono::milliseconds lingers() const = 0;
  // Ends what blocks. Nothing is called afterwards.
  virtual void stop() = 0;
};

}  // namespace mb::storage
