// Buckets and files.
#include "api/route_docs.h"
#include "storage/storage_types.h"

namespace mb::api {

namespace {

using openapi::Content;
using openapi::Response;
using enum ErrorCode;
using http::Method;

constexpr std::string_view kByteExamples = R"({"examples": ["…"]})";

Response fileBytes(int status) {
  return {.status = status, .content = {.type = "*/*", .schema = kByteExamples}};
}

std::vector<RouteDoc> uploadDocs(const std::string& file) {
  const openapi::Content bytes{.type = "application/offset+octet-stream", .schema = kByteExamples};
  return {
      {Method::options,
       file,
       "getUploadOptions",
       {{.status = 204, .meaning = "`tus-version` and `tus-extension` describe resumable uploads."}}},
      {Method::post,
       file,
       "createUpload",
       {{.status = 201, .meaning = "The upload's address is in `location`."}},
       {invalidParam, conflict, unsupportedVersion, payloadTooLarge, planLimit, unsupportedMediaType, validation},
       {},
       {.more = "As in tus 1.0.0; the body may hold the first bytes.",
        .body = bytes,
        .bodyOptional = true,
        .headers = {"tus-resumable", "upload-length", "upload-metadata"}}},
      {Method::patch,
       file,
       "continueUpload",
       {{.status = 204, .meaning = "`upload-offset` is the size received; at `upload-length` the file exists."}},
       {invalidParam, conflict, unsupportedVersion, payloadTooLarge, planLimit, unsupportedMediaType, validation},
       {"upload"},
       {.more =
            "As in tus 1.0.0. Bytes received before a connection breaks are kept. Without `upload` and the headers of "
            "tus it replaces the metadata of the file.",
        .body = bytes,
        .otherBody = {.shape = &doc::shapeInfo<storage::FilePatch>},
        .headers = {"tus-resumable", "upload-offset"}}},
  };
}

std::vector<RouteDoc> bucketDocs() {
  const std::string all = "/api/v1/admin/storage/buckets";
  return {
      {Method::get, all, "listBuckets", {listOf<storage::BucketView>("buckets")}, {notFound}},
      {Method::post, all, "createBucket", {entity<storage::BucketView>("bucket", 201)}, {notFound, conflict}},
      {Method::patch, all + "/:name", "updateBucket", {kNothing}, {conflict}},
      {Method::remove, all + "/:name", "deleteBucket", {kNothing}, {conflict}},
  };
}

}  // namespace

std::vector<RouteDoc> storageDocs() {
  const std::string bucket = "/api/v1/storage/:bucket";
  const std::string file = bucket + "/*path";
  Response address = whole<storage::SignedLink>();
  address.meaning = "With `sign`: a signed link.";
  const Response progress{.status = 204, .meaning = "With `upload`: `upload-offset` is the number of bytes received."};
  std::vector<RouteDoc> docs = bucketDocs();
  std::vector<RouteDoc> more = {
      {Method::get,
       bucket,
       "listFiles",
       {whole<storage::FileList>()},
       {notFound, queryTooCostly},
       {"prefix", "limit", "skip"}},
      {Method::post, bucket, "createFolder", {whole<storage::FolderBody>(201)}, {notFound, conflict}},
      {Method::put,
       file,
       "putFile",
       {entity<storage::FileView>("file", 201)},
       {validation, invalidParam, conflict, payloadTooLarge, planLimit},
       {},
       {.more = "The body is the file's content; `content-type` is stored.",
        .body = {.type = "*/*", .schema = kByteExamples},
        .headers = {"x-service-metadata"}}},
      {Method::get,
       file,
       "getFile",
       {fileBytes(200), address, progress, fileBytes(206), {.status = 304}},
       {invalidParam, missingProject, unsupportedVersion, rangeNotSatisfiable},
       {"sign", "expires", "signature", "project", "upload"},
       {.more = "Without a token: files of public buckets, and signed links.",
        .headers = {"range", "if-range", "if-none-match", "tus-resumable"},
        .security = {{"", ""}, {"endUser", "storage:read"}, {"member", "storage:read"}, {"apiKey", "storage"}}}},
      {Method::remove,
       file,
       "deleteFile",
       {kNothing},
       {conflict, unsupportedVersion},
       {"upload"},
       {.more = "With `upload`: cancels that upload.", .headers = {"tus-resumable"}}},
  };
  for (RouteDoc& doc : uploadDocs(file)) docs.push_back(std::move(doc));
  docs.insert(docs.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  // Without storage one pattern refuses all paths.
  const std::string off = "/api/v1/storage/*path";
  for (const auto& [method, id] : {std::pair{Method::get, "noStorageGet"}, std::pair{Method::post, "noStoragePost"},
                                   std::pair{Method::put, "noStoragePut"}, std::pair{Method::patch, "noStoragePatch"},
                                   std::pair{Method::remove, "noStorageDelete"}}) {
    docs.push_back({method, off, id, {}, {notFound}});
  }
  return docs;
}

}  // namespace mb::api
