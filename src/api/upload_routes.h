// Resumable uploads over HTTP, on the paths of the files they become: tus 1.0.0
// (https://tus.io/protocols/resumable-upload) with the extensions creation, creation-with-upload, expiration and
// termination. The address of an upload is that of its file with `?upload=<id>`; the file's routes call status() and
// remove() for HEAD and DELETE of such an address.
#pragma once

#include "api/routes.h"
#include "storage/storage.h"

namespace mb::api {

class UploadRoutes {
 public:
  explicit UploadRoutes(storage::Storage& storage) : storage_(storage) {}
  void addTo(RouteTable& routes);

  Task<Reply> uploadOptions(RequestContext& context);
  // Whether a PATCH is of the tus protocol.
  static bool isAppend(const http::Request& request);
  Task<Reply> create(RequestContext& context);
  // The route is that of StorageRoutes.
  Task<Reply> append(RequestContext& context);
  // Of the upload that the query names.
  Task<Reply> status(RequestContext& context, std::string upload);
  Task<Reply> remove(RequestContext& context, std::string upload);

 private:
  Task<storage::UploadRecord> begin(RequestContext& context);
  Task<storage::UploadRecord> resume(RequestContext& context);

  storage::Storage& storage_;
};

}  // namespace mb::api
