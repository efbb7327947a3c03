// Resumable uploads over HTTP, on the paths of the files they become: tus 1.0.0 with the extensions creation,
// creation-with-upload, expiration and termination. An upload's own address is its file's, with `?upload=<id>`; who
// asks for that with HEAD or DELETE comes here by way of the file's routes. Source:
// https://tus.io/protocols/resumable-upload
#pragma once

#include "api/routes.h"
#include "storage/storage.h"

namespace mb::api {

class UploadRoutes {
 public:
  explicit UploadRoutes(storage::Storage& storage) : storage_(storage) {}
  void addTo(RouteTable& routes);

  Task<Reply> possibilities(RequestContext& context);
  Task<Reply> create(RequestContext& context);
  Task<Reply> append(RequestContext& context);
  // Of the upload in the query.
  Task<Reply> status(RequestContext& context, std::string upload);
  Task<Reply> remove(RequestContext& context, std::string upload);

 private:
  Task<storage::UploadRecord> begin(RequestContext& context);
  Task<storage::UploadRecord> goOn(RequestContext& context);

  storage::Storage& storage_;
};

}  // namespace mb::api
