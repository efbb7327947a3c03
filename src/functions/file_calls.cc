#include "functions/file_calls.h"

#include <utility>

#include "functions/call_arguments.h"
#include "storage/storage_rules.h"
#include "store/retry.h"

namespace mb::functions {

namespace {

// How often a file is opened again that is replaced while it is read.
constexpr int kMaxReads = 3;

// Bytes in memory that outlive it.
class BytesUpload final : public storage::Upload {
 public:
  explicit BytesUpload(std::string_view bytes) : bytes_(bytes) {}
  Task<std::string_view> read() override { co_return std::exchange(bytes_, {}); }
  void setLimit(uint64_t) override {}
  std::optional<uint64_t> size() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

class FileCaller {
 public:
  FileCaller(FileHost host, FileCall call, std::string operation, doc::Document arguments)
      : host_(std::move(host)),
        call_(std::move(call)),
        operation_(std::move(operation)),
        arguments_(std::move(arguments)),
        given_(operation_, arguments_) {}

  Task<doc::Value> list();
  Task<doc::Value> read();
  Task<doc::Value> write();
  Task<doc::Value> remove();
  Task<doc::Value> sign();

 private:
  struct FilePath {
    std::string bucket;
    std::string path;
  };
  // The first two arguments of a call that takes at most `count`.
  Result<FilePath> filePath(size_t count) const {
    RETURN_IF_ERROR(given_.atMost(count));
    TRY(std::string bucket, given_.text(0, "bucket"));
    TRY(std::string path, given_.text(1, "path"));
    return FilePath{std::move(bucket), std::move(path)};
  }
  storage::Access access() const {
    policy::Caller caller;
    caller.kind = policy::CallerKind::server;
    caller.project = host_.project->info().number;
    caller.projectId = host_.project->info().id;
    return {{std::move(caller), host_.project, call_.deadline}, call_.actor};
  }
  // Fails with ErrorCode::retry where the file's bytes were removed after its record was read.
  Task<doc::Value> readOnce(const FilePath& from);

  const FileHost host_;
  const FileCall call_;
  const std::string operation_;
  const doc::Document arguments_;
  const CallArguments given_;
};

Task<doc::Value> FileCaller::list() {
  CO_RETURN_IF_ERROR(given_.atMost(2));
  CO_TRY(std::string bucket, given_.text(0, "bucket"));
  CO_TRY(const doc::Document options, given_.objectOrEmpty(1, "options"));
  storage::FilePage page{"", kMaxListedFiles, 0};
  for (const doc::Element& option : options.view()) {
    if (option.value.type() == doc::BsonType::null) continue;
    if (option.key == "limit") {
      CO_TRY(const uint64_t limit, countOf(option));
      page.limit = std::min(limit, kMaxListedFiles);
    } else if (option.key == "prefix" && option.value.type() == doc::BsonType::string) {
      page.prefix = option.value.asString();
    } else if (option.key == "prefix") {
      co_return refusedCall("prefix must be a string");
    } else {
      co_return unknownOption(option.key);
    }
  }
  CO_TRY(const storage::FileList found, co_await host_.files->list(access(), std::move(bucket), std::move(page)));
  doc::BsonWriter out;
  doc::encodeValue(out, "", found.files);
  co_return only(out);
}

Task<doc::Value> FileCaller::read() {
  CO_TRY(const FilePath from, filePath(2));
  Error changing(ErrorCode::conflict, "the file is being changed concurrently: try again");
  co_return co_await store::retryWrite(kMaxReads, std::move(changing), [&] { return readOnce(from); });
}

Task<doc::Value> FileCaller::readOnce(const FilePath& from) {
  CO_TRY(const storage::OpenFile file, co_await host_.files->open(access(), from.bucket, from.path, std::nullopt));
  if (file.record.size > kMaxReadBytes) {
    co_return fail(ErrorCode::payloadTooLarge, fmt::format("{} reads files of at most {} MiB, this one has {} bytes",
                                                           operation_, kMaxReadBytes >> 20, file.record.size));
  }
  const auto size = static_cast<uint64_t>(file.record.size);
  const std::shared_ptr<storage::BlobSource> source = host_.files->source(file, 0, size);
  std::string bytes;
  bytes.reserve(size);
  while (bytes.size() < size) {
    if (call_.aborted.stop_requested()) co_return fail(ErrorCode::unavailable, "the run is over");
    const auto piece = co_await source->read();
    if (!piece && piece.error().code() == ErrorCode::notFound)
      co_return fail(ErrorCode::retry, "the file was replaced");
    if (!piece) co_return fail(piece.error().clone());
    if (piece->empty()) co_return fail(ErrorCode::internal, "something went wrong on the server");
    bytes += *piece;
  }
  doc::BsonWriter out(bytes.size() + 4096);
  out.beginDocument("");
  out.appendBinary("bytes", bytes);
  out.appendString("contentType", file.record.contentType);
  out.appendDocument("metadata", file.record.metadata ? file.record.metadata->view() : doc::DocumentView());
  out.end();
  co_return only(out);
}

Task<doc::Value> FileCaller::write() {
  CO_TRY(FilePath to, filePath(4));
  CO_TRY(const std::string_view bytes, given_.bytes(2, "bytes"));
  CO_TRY(const doc::Document options, given_.objectOrEmpty(3, "options"));
  storage::NewFile file;
  file.contentType = storage::kUntyped;
  for (const doc::Element& option : options.view()) {
    if (option.value.type() == doc::BsonType::null) continue;
    if (option.key == "contentType" && option.value.type() == doc::BsonType::string) {
      CO_TRY(file.contentType, storage::contentTypeOf(option.value.asString()));
    } else if (option.key == "metadata" && option.value.type() == doc::BsonType::document) {
      file.metadata = doc::Document(option.value.asDocument());
    } else if (option.key == "contentType" || option.key == "metadata") {
      co_return refusedCall(
          fmt::format("{} must be {}", option.key, option.key == "metadata" ? "an object" : "a string"));
    } else {
      co_return unknownOption(option.key);
    }
  }
  BytesUpload upload(bytes);
  CO_TRY(const storage::FileView made,
         co_await host_.files->put(access(), std::move(to.bucket), std::move(to.path), std::move(file), upload));
  co_return documentValue(doc::encode(made));
}

Task<doc::Value> FileCaller::remove() {
  CO_TRY(FilePath from, filePath(2));
  CO_RETURN_IF_ERROR(co_await host_.files->remove(access(), std::move(from.bucket), std::move(from.path)));
  co_return doc::Value();
}

Task<doc::Value> FileCaller::sign() {
  CO_TRY(FilePath from, filePath(3));
  CO_TRY(const int64_t seconds, given_.integer(2, "seconds"));
  CO_TRY(const storage::SignedLink link,
         co_await host_.files->sign(access(), std::move(from.bucket), std::move(from.path), seconds));
  co_return documentValue(doc::encode(link));
}

}  // namespace

Task<doc::Value> callFiles(FileHost host, FileCall call, std::string operation, doc::Document arguments) {
  if (host.files == nullptr) co_return fail(ErrorCode::notFound, "storage is not enabled");
  if (call.aborted.stop_requested()) co_return fail(ErrorCode::unavailable, "the run is over");
  const std::string name = operation.substr(operation.find('.') + 1);
  FileCaller caller(std::move(host), std::move(call), name, std::move(arguments));
  if (name == "list") co_return co_await caller.list();
  if (name == "read") co_return co_await caller.read();
  if (name == "write") co_return co_await caller.write();
  if (name == "delete") co_return co_await caller.remove();
  if (name == "sign") co_return co_await caller.sign();
  co_return refusedCall("there is no such call");
}

}  // namespace mb::functions
