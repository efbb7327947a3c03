#include "storage/storage.h"

#include "outbound/outbound.h"
#include "store/configuration_limits.h"

namespace mb::storage {

namespace {

Result<std::string> parseEndpoint(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  if (text.empty() || (outbound::originOf(text) && text.find_first_of("?#") == std::string_view::npos)) {
    return std::string(text);
  }
  return fail(ErrorCode::validation, "must be an address such as https://s3.example.com");
}

}  // namespace

StorageSettings::StorageSettings(Settings& settings) {
  const std::string where =
      settings.choice("SERVICE_STORAGE", "local", {"local", "s3", "off"},
                      "where files are stored: local (the data directory), s3 (an S3-compatible store) or off");
  kind = where == "off" ? Kind::off : where == "s3" ? Kind::s3 : Kind::local;
  s3.endpoint =
      settings.parsed<std::string>("SERVICE_S3_ENDPOINT", "", "address of the S3-compatible store", parseEndpoint);
  s3.region = settings.text("SERVICE_S3_REGION", "us-east-1", "region of the S3-compatible store");
  s3.bucket = settings.text("SERVICE_S3_BUCKET", "", "existing bucket of the S3-compatible store");
  s3.accessKey = settings.text("SERVICE_S3_ACCESS_KEY", "", "access key of the S3-compatible store");
  if (auto key = settings.secret("SERVICE_S3_SECRET_KEY", "secret key of the S3-compatible store")) {
    s3.secretKey = *std::move(key);
  }
  if (kind != Kind::s3) return;
  const std::pair<std::string_view, bool> needed[] = {{"SERVICE_S3_ENDPOINT", s3.endpoint.empty()},
                                                      {"SERVICE_S3_BUCKET", s3.bucket.empty()},
                                                      {"SERVICE_S3_ACCESS_KEY", s3.accessKey.empty()},
                                                      {"SERVICE_S3_SECRET_KEY", s3.secretKey.empty()}};
  for (const auto& [name, missing] : needed) {
    if (missing) settings.refuse(name, "must be set where SERVICE_STORAGE is s3");
  }
}

// The limits of a project's configuration use these numbers.
static_assert(store::isConfigurationPart(kBuckets, "buckets"));

std::vector<store::SystemCollection> systemCollections() {
  store::IndexSpec byBlob;
  byBlob.name = "blob";
  byBlob.keys = {{"blob", 1}};
  store::IndexSpec byOwner;
  byOwner.name = "owner";
  byOwner.keys = {{"bucket", 1}, {"owner", 1}, {"path", 1}};
  store::IndexSpec byUploader;
  byUploader.name = "owner";
  byUploader.keys = {{"owner", 1}, {"done", 1}};
  return {{kBuckets, "__buckets", {}},
          {.number = kFiles,
           .name = "__files",
           .indexes = {byBlob, byOwner},
           .counters = {{kStoredBytes, "stored bytes", "size"}}},
          {kFolders, "__folders", {byOwner}},
          {kStored, "__stored", {}},
          {.number = kUploads,
           .name = "__uploads",
           .indexes = {byUploader},
           .counters = {{kStoredBytes, "stored bytes", "reserved"}}},
          {kPieces, "__upload_pieces", {byBlob}}};
}

Storage::Storage(StorageDeps deps, std::unique_ptr<BlobStore> blobs)
    : blobs_(std::move(blobs)),
      quota_(deps.store, deps.plan),
      tables_(deps.store),
      slot_(deps.snapshots.addSlot<BucketTable>(tables_)),
      buckets_({deps.store, deps.snapshots, slot_, deps.data.slot(), deps.queue, deps.ids, deps.clock, deps.auditor}),
      files_({deps.store, deps.snapshots, slot_, deps.record, FileAccess(deps.data.slot(), deps.data.callerSets()),
              deps.queue, *blobs_, pinned_, quota_, deps.clock, deps.master, std::move(deps.baseUrl)}),
      uploads_({deps.store, files_, deps.queue, *blobs_, pinned_, quota_, deps.ids, deps.clock}),
      sweeper_({deps.store, std::move(deps.projects), deps.queue, *blobs_, pinned_, deps.shared}) {
  deps.data.policySets().addUser(buckets_);
}

}  // namespace mb::storage
