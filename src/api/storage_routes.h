// Buckets and files (docs/api.md, Files).
#pragma once

#include "api/upload_routes.h"

namespace mb::api {

class StorageRoutes {
 public:
  explicit StorageRoutes(storage::Storage& storage) : storage_(storage), uploads_(storage) {}
  void addTo(RouteTable& routes);

  Task<Reply> buckets(RequestContext& context);
  Task<Reply> createBucket(RequestContext& context, storage::NewBucket body);
  Task<Reply> changeBucket(RequestContext& context, storage::BucketPatch body);
  Task<Reply> removeBucket(RequestContext& context);

  Task<Reply> list(RequestContext& context);
  Task<Reply> createFolder(RequestContext& context, storage::FolderBody body);
  // Returns the bytes, or with `sign` a link to them.
  Task<Reply> read(RequestContext& context);
  Task<Reply> upload(RequestContext& context);
  // Appends to a resumable upload, or replaces the metadata of a file.
  Task<Reply> patch(RequestContext& context);
  Task<Reply> remove(RequestContext& context);

 private:
  storage::Storage& storage_;
  UploadRoutes uploads_;
};

}  // namespace mb::api
