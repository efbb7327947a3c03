// Blobs as objects of an S3-compatible store, "<bucket>/blobs/<name>". Memory holds one part of an upload and one piece
// of a download, whatever the size of the file.
#pragma once

#include <atomic>

#include "outbound/outbound.h"
#include "storage/blob_store.h"
#include "storage/s3_signature.h"

namespace mb::storage {

class S3Store final : public BlobStore {
 public:
  // References outlive it. The endpoint is set by the operator, so internal addresses are allowed.
  S3Store(StorageSettings::S3 settings, outbound::Outbound& outbound, const Clock& clock);

  std::unique_ptr<BlobWriter> create(BlobName name) override;
  Task<std::shared_ptr<const Descriptor>> open(BlobName name) override;
  std::shared_ptr<BlobSource> source(BlobName name, uint64_t offset, uint64_t length) override;
  Task<> remove(std::vector<BlobName> names) override;
  Task<BlobPage> list(std::string from) override;
  // Longer than most slow clients take for a file: each piece is a request of its own.
  std::chrono::milliseconds lingers() const override { return std::chrono::hours(1); }
  void stop() override {}

 private:
  class Writer;
  class Source;
  // A client waits for at least one call, and for one that aborts an upload: at most 30 s for both.
  static constexpr std::chrono::milliseconds kCallTimeout{25'000};
  static constexpr std::chrono::milliseconds kAbandonTimeout{3'000};
  struct Call {
    std::string method;
    std::string key;  // below the bucket; "" for the bucket itself
    S3Query query = {};
    std::string body = {};
    std::string bodyHash = {};  // SHA-256 of body in hex; computed where it is empty
    std::string range = {};
    size_t maxBytes = 1 << 20;
    std::chrono::milliseconds timeout = kCallTimeout;
  };
  // Retries after a failure, within the call's timeout for all attempts together: a store that accepts and sends no
  // reply is not called twice. Fails with notFound for 404, unavailable for any other failure.
  Task<outbound::Response> send(Call call);
  outbound::Request requestOf(const Call& call, std::chrono::milliseconds timeout) const;

  const StorageSettings::S3 settings_;
  const std::string host_;
  const std::string basePath_;  // of the bucket, encoded
  outbound::Outbound& outbound_;
  const Clock& clock_;
  // Number of uploads that buffer a part.
  std::atomic<int> large_ = 0;
};

}  // namespace mb::storage
