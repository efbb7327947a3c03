#include "api/upload_routes.h"

#include <charconv>
#include <set>

#include "api/file_response.h"
#include "api/streamed_upload.h"
#include "storage/storage_rules.h"

namespace mb::api {

namespace {

constexpr std::string_view kVersion = "1.0.0";
constexpr std::string_view kExtensions = "creation,creation-with-upload,expiration,termination";
constexpr std::string_view kBytes = "application/offset+octet-stream";
constexpr size_t kMaxMetadata = 4096;

// A non-negative number; nullopt for any other text.
std::optional<int64_t> countOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

Result<int64_t> requireCount(const http::Request& request, std::string_view name) {
  const auto given = request.header(name);
  const auto value = given ? countOf(*given) : std::nullopt;
  if (!value) return fail(ErrorCode::invalidParam, fmt::format("{} must be a number of bytes", name));
  return *value;
}

// Parses "key base64, key, …": the content type is that of `filetype`, the file's metadata that of `metadata`.
Result<storage::NewFile> newFileOf(std::string_view metadata) {
  const auto bad = [] { return fail(ErrorCode::invalidParam, "upload-metadata is not well-formed"); };
  if (metadata.size() > kMaxMetadata) return fail(ErrorCode::invalidParam, "upload-metadata is too long");
  storage::NewFile file;
  std::string type;
  std::set<std::string_view> keys;
  while (!metadata.empty()) {
    const size_t comma = std::min(metadata.find(','), metadata.size());
    std::string_view pair = metadata.substr(0, comma);
    metadata.remove_prefix(std::min(comma + 1, metadata.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    const size_t space = std::min(pair.find(' '), pair.size());
    const std::string_view key = pair.substr(0, space);
    auto value = fromBase64(pair.substr(std::min(space + 1, pair.size())));
    if (key.empty() || !value || !keys.insert(key).second) return bad();
    if (key == "metadata") {
      TRY(file.metadata, storage::parseMetadata(*value));
    }
    if (key == "filetype") type = *std::move(value);
  }
  TRY(file.contentType, storage::contentTypeOf(type));
  return file;
}

Result<> requireBytes(const http::Request& request) {
  if (request.header("content-type") == kBytes) return {};
  return fail(ErrorCode::unsupportedMediaType, fmt::format("content-type must be {}", kBytes));
}

http::Response withVersion(http::Response response) {
  response.headers.emplace_back("tus-resumable", kVersion);
  return response;
}

bool speaksTus(const http::Request& request) {
  return request.header("tus-resumable") == kVersion;
}

Reply otherVersion() {
  http::Response response =
      http::Response::failure(Error(ErrorCode::unsupportedVersion, "tus-resumable must be 1.0.0"));
  response.headers.emplace_back("tus-version", kVersion);
  return Reply{withVersion(std::move(response))};
}

// Errors of status 500 and above are passed to the dispatcher, which logs them.
Result<Reply> failed(Error error) {
  if (meaningOf(error.code()).status >= 500) return fail(std::move(error));
  return Reply{withVersion(http::Response::failure(error))};
}

http::Response uploadResponse(int status, const storage::UploadRecord& upload) {
  http::Response response = withVersion(http::Response::empty(status));
  response.headers.emplace_back("upload-offset", std::to_string(upload.offset));
  response.headers.emplace_back("upload-expires", httpDateOf(upload.expiresAt));
  return response;
}

storage::Access uploadAccess(const RequestContext& context) {
  return {{context.caller, context.project, context.deadline}};
}

}  // namespace

void UploadRoutes::addTo(RouteTable& routes) {
  using Routes = UploadRoutes;
  const std::string file = "/api/v1/storage/:bucket/*path";
  routes.add(http::Method::options, file, open(), this, &Routes::uploadOptions, "Options of resumable uploads");
  routes.post(file, data("storage"), this, &Routes::create, "Create a resumable upload").streamsBody = true;
}

bool UploadRoutes::isAppend(const http::Request& request) {
  return request.header("tus-resumable") || request.header("content-type") == kBytes;
}

Task<Reply> UploadRoutes::uploadOptions(RequestContext&) {
  http::Response response = withVersion(http::Response::empty(204));
  response.headers.emplace_back("allow", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT");
  response.headers.emplace_back("tus-version", kVersion);
  response.headers.emplace_back("tus-extension", kExtensions);
  co_return Reply{std::move(response)};
}

Task<storage::UploadRecord> UploadRoutes::begin(RequestContext& context) {
  const http::Request& request = context.request;
  CO_TRY(const int64_t length, requireCount(request, "upload-length"));
  const std::string_view metadata = request.header("upload-metadata").value_or("");
  CO_TRY(storage::NewFile file, newFileOf(metadata));
  if (request.bodyPresent) CO_RETURN_IF_ERROR(requireBytes(request));
  CO_TRY(storage::UploadRecord upload,
         co_await storage_.uploads().create(uploadAccess(context), context.param(0), context.param(1),
                                            {length, std::move(file), std::string(metadata)}));
  if (!request.bodyPresent) co_return upload;
  StreamedUpload body(*request.stream);
  co_return co_await storage_.uploads().append(uploadAccess(context), context.param(0), context.param(1), upload.id, 0,
                                               body);
}

Task<Reply> UploadRoutes::create(RequestContext& context) {
  if (!speaksTus(context.request)) co_return otherVersion();
  const Result<storage::UploadRecord> upload = co_await begin(context);
  if (!upload) co_return failed(upload.error().clone());
  http::Response response = uploadResponse(201, *upload);
  response.headers.emplace_back("location", fmt::format("/api/v1/storage/{}/{}?upload={}", context.param(0),
                                                        storage::encodedPath(context.param(1)), upload->id));
  co_return Reply{std::move(response)};
}

Task<storage::UploadRecord> UploadRoutes::resume(RequestContext& context) {
  const http::Request& request = context.request;
  CO_RETURN_IF_ERROR(requireBytes(request));
  CO_TRY(const int64_t offset, requireCount(request, "upload-offset"));
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(request.query));
  StreamedUpload body(*request.stream);
  co_return co_await storage_.uploads().append(uploadAccess(context), context.param(0), context.param(1),
                                               std::string(query.get("upload").value_or("")), offset, body);
}

Task<Reply> UploadRoutes::append(RequestContext& context) {
  if (!speaksTus(context.request)) co_return otherVersion();
  const Result<storage::UploadRecord> upload = co_await resume(context);
  if (!upload) co_return failed(upload.error().clone());
  co_return Reply{uploadResponse(204, *upload)};
}

Task<Reply> UploadRoutes::status(RequestContext& context, std::string upload) {
  if (!speaksTus(context.request)) co_return otherVersion();
  const Result<storage::UploadRecord> found =
      co_await storage_.uploads().find(uploadAccess(context), context.param(0), context.param(1), std::move(upload));
  if (!found) co_return failed(found.error().clone());
  http::Response response = uploadResponse(204, *found);
  response.headers.emplace_back("upload-length", std::to_string(found->length));
  if (!found->metadata.empty()) response.headers.emplace_back("upload-metadata", found->metadata);
  response.headers.emplace_back("cache-control", "no-store");
  co_return Reply{std::move(response)};
}

Task<Reply> UploadRoutes::remove(RequestContext& context, std::string upload) {
  if (!speaksTus(context.request)) co_return otherVersion();
  const Result<> removed =
      co_await storage_.uploads().remove(uploadAccess(context), context.param(0), context.param(1), std::move(upload));
  if (!removed) co_return failed(removed.error().clone());
  co_return Reply{withVersion(http::Response::empty(204))};
}

}  // namespace mb::api
