#include "api/storage_routes.h"

#include <charconv>

#include "api/document_routes.h"
#include "api/file_response.h"
#include "api/streamed_upload.h"
#include "base/cancellation.h"
#include "storage/storage_rules.h"

namespace mb::api {

namespace {

constexpr uint64_t kMaxPatchBytes = 64 << 10;

storage::Access storageAccess(const RequestContext& context) {
  return {{context.caller, context.project, context.deadline}};
}

std::optional<int64_t> integerOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// nullopt if a parameter of the link is missing or malformed.
std::optional<storage::Signature> signatureOf(const http::QueryParams& query) {
  const auto expires = query.get("expires");
  const auto signature = query.get("signature");
  if (!expires || !signature) return std::nullopt;
  const auto time = integerOf(*expires);
  if (!time) return std::nullopt;
  return storage::Signature{*time, std::string(*signature)};
}

}  // namespace

void StorageRoutes::addTo(RouteTable& routes) {
  using Routes = StorageRoutes;
  const std::string buckets = "/api/v1/admin/storage/buckets";
  routes.get(buckets, admin("storage:read"), this, &Routes::buckets, "List buckets");
  routes.post(buckets, admin("storage:manage"), this, &Routes::createBucket, "Create a bucket");
  routes.patch(buckets + "/:name", admin("storage:manage"), this, &Routes::changeBucket,
               "Change who may read a bucket, and its rules");
  routes.remove(buckets + "/:name", admin("storage:manage"), this, &Routes::removeBucket,
                "Delete a bucket and its files");

  const std::string bucket = "/api/v1/storage/:bucket";
  const std::string file = bucket + "/*path";
  routes.get(bucket, data("storage"), this, &Routes::list, "List files");
  routes.post(bucket, data("storage"), this, &Routes::createFolder, "Create a folder");
  routes.get(file, dataOrPublic("storage"), this, &Routes::read,
             "Read a file, sign a link to it, or read the progress of an upload");
  routes.put(file, data("storage"), this, &Routes::upload, "Upload a file").streamsBody = true;
  routes
      .patch(file, data("storage"), this, &Routes::patch,
             "Append to a resumable upload, or replace the metadata of a file")
      .streamsBody = true;
  routes.remove(file, data("storage"), this, &Routes::remove, "Delete a file, or cancel an upload to it");
  uploads_.addTo(routes);
}

// ---- buckets

Task<Reply> StorageRoutes::buckets(RequestContext& context) {
  co_return Reply::list("buckets", storage_.buckets().list(*context.project));
}

Task<Reply> StorageRoutes::createBucket(RequestContext& context, storage::NewBucket body) {
  CO_TRY(const storage::BucketView made, co_await storage_.buckets().create(storageAccess(context), std::move(body)));
  co_return Reply::entity(201, "bucket", made);
}

Task<Reply> StorageRoutes::changeBucket(RequestContext& context, storage::BucketPatch body) {
  CO_RETURN_IF_ERROR(co_await storage_.buckets().change(storageAccess(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> StorageRoutes::removeBucket(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await storage_.buckets().remove(storageAccess(context), context.param(0)));
  co_return Reply::noContent();
}

// ---- files

Task<Reply> StorageRoutes::list(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(const data::ReadQuery read, readQuery(context.request.query));
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  storage::FilePage page{std::string(query.get("prefix").value_or("")), read.limit, read.skip};
  CO_TRY(const storage::FileList files,
         co_await storage_.files().list(storageAccess(context), context.param(0), std::move(page)));
  co_return Reply::object(200, files);
}

Task<Reply> StorageRoutes::createFolder(RequestContext& context, storage::FolderBody body) {
  CO_TRY(std::string folder,
         co_await storage_.files().createFolder(storageAccess(context), context.param(0), std::move(body.folder)));
  co_return Reply::object(201, storage::FolderBody{std::move(folder)});
}

Task<Reply> StorageRoutes::read(RequestContext& context) {
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  if (const auto sign = query.get("sign")) {
    const std::optional<int64_t> seconds = integerOf(*sign);
    if (!seconds) co_return fail(ErrorCode::invalidParam, "sign must be a number of seconds");
    CO_TRY(const storage::SignedLink link,
           co_await storage_.files().sign(storageAccess(context), context.param(0), context.param(1), *seconds));
    Reply reply = Reply::object(200, link);
    reply.response.headers.emplace_back("cache-control", "no-store");  // the link itself permits reading the file
    co_return reply;
  }
  if (const auto upload = query.get("upload")) co_return co_await uploads_.status(context, std::string(*upload));
  CO_TRY(storage::OpenFile file, co_await storage_.files().open(storageAccess(context), context.param(0),
                                                                context.param(1), signatureOf(query)));
  co_return Reply{fileResponse(context.request, storage_.files(), std::move(file))};
}

Task<Reply> StorageRoutes::upload(RequestContext& context) {
  storage::NewFile given;
  CO_TRY(given.contentType, storage::contentTypeOf(context.request.header("content-type").value_or("")));
  if (const auto metadata = context.request.header("x-service-metadata")) {
    CO_TRY(given.metadata, storage::parseMetadata(*metadata));
  }
  StreamedUpload body(*context.request.stream);
  CO_TRY(const storage::FileView file, co_await storage_.files().put(storageAccess(context), context.param(0),
                                                                     context.param(1), std::move(given), body));
  co_return Reply::entity(201, "file", file);
}

Task<Reply> StorageRoutes::patch(RequestContext& context) {
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  if (UploadRoutes::isAppend(context.request) || query.get("upload")) co_return co_await uploads_.append(context);
  context.request.stream->setLimit(kMaxPatchBytes);
  std::string json;
  while (true) {
    CO_TRY(const std::string_view piece, co_await context.request.stream->read());
    if (piece.empty()) break;
    json += piece;
  }
  const std::string_view before = std::exchange(context.request.body, json);
  auto body = readBody(context, doc::ExtendedJson::refuse);
  context.request.body = before;
  if (!body) co_return fail(body.error().clone());
  CO_TRY(storage::FilePatch patch, doc::decode<storage::FilePatch>(*body));
  CO_RETURN_IF_ERROR(co_await storage_.files().setMetadata(storageAccess(context), context.param(0), context.param(1),
                                                           std::move(patch.metadata)));
  co_return Reply::noContent();
}

Task<Reply> StorageRoutes::remove(RequestContext& context) {
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  if (const auto upload = query.get("upload")) co_return co_await uploads_.remove(context, std::string(*upload));
  CO_RETURN_IF_ERROR(co_await storage_.files().remove(storageAccess(context), context.param(0), context.param(1)));
  co_return Reply::noContent();
}

}  // namespace mb::api
