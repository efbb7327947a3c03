#include "storage/s3_store.h"

#include <fmt/format.h>

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <charconv>

#include "base/cores.h"
#include "base/log.h"
#include "base/sha256.h"

namespace mb::storage {

namespace {

constexpr std::string_view kFolder = "blobs/";
// The minimum size of all parts but the last. An upload may have 10,000 parts: files of 48 GiB.
constexpr size_t kPart = 5 << 20;
constexpr size_t kPiece = 1 << 20;
// An upload that buffers more counts as large; kMaxLarge limits those.
constexpr size_t kSmall = 256 << 10;
constexpr int kMaxLarge = 32;
constexpr int kMaxSendAttempts = 3;
constexpr auto kPause = std::chrono::milliseconds(300);
constexpr size_t kSlack = 64 << 10;

std::string hostOf(std::string_view endpoint) {
  const size_t begin = endpoint.find("://") + 3;
  return std::string(endpoint.substr(begin, endpoint.find('/', begin) - begin));
}

std::string pathOf(std::string_view endpoint) {
  const size_t slash = endpoint.find('/', endpoint.find("://") + 3);
  return slash == std::string_view::npos ? std::string() : std::string(endpoint.substr(slash));
}

std::string keyOf(std::string_view name) {
  return fmt::format("{}{}", kFolder, name);
}

// The content of the first element of that name from `at` on; moves `at` behind it. nullopt where the element is
// missing.
std::optional<std::string> element(std::string_view xml, std::string_view name, size_t& at) {
  const std::string open = fmt::format("<{}>", name);
  const size_t begin = xml.find(open, at);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = xml.find(fmt::format("</{}>", name), begin);
  if (end == std::string_view::npos) return std::nullopt;
  at = end;
  return std::string(xml.substr(begin + open.size(), end - begin - open.size()));
}

Error storeUnavailable(std::string cause) {
  return Error(ErrorCode::unavailable, "the file store is unavailable: try again later")
      .withCause("S3: " + std::move(cause));
}

}  // namespace

S3Store::S3Store(StorageSettings::S3 settings, outbound::Outbound& outbound, const Clock& clock)
    : settings_(std::move(settings)),
      host_(hostOf(settings_.endpoint)),
      basePath_(pathOf(settings_.endpoint) + "/" +
                boost::urls::encode(settings_.bucket, boost::urls::unreserved_chars)),
      outbound_(outbound),
      clock_(clock) {}

outbound::Request S3Store::requestOf(const Call& call, std::chrono::milliseconds timeout) const {
  const std::string path = call.key.empty() ? basePath_ : fmt::format("{}/{}", basePath_, call.key);
  const std::string query = canonicalQuery(call.query);
  const std::string origin = settings_.endpoint.substr(0, settings_.endpoint.find("://") + 3) + host_;
  outbound::Request request;
  request.method = call.method;
  request.url = origin + path + (query.empty() ? "" : "?" + query);
  request.body = call.body;
  request.trust = outbound::Trust::deployment;
  request.timeout = timeout;
  request.maxResponseBytes = call.maxBytes + kSlack;
  for (auto& [name, value] : signedHeaders(settings_, {call.method, host_, path, query, call.bodyHash}, clock_.now())) {
    request.headers.push_back({std::move(name), std::move(value)});
  }
  if (!call.range.empty()) request.headers.push_back({"range", call.range});
  return request;
}

Task<outbound::Response> S3Store::send(Call call) {
  if (call.bodyHash.empty()) call.bodyHash = toHex(sha256(call.body));
  const auto deadline = std::chrono::steady_clock::now() + call.timeout;
  for (int attempt = 1;; ++attempt) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    auto response = co_await outbound_.send(requestOf(call, left));
    if (response && response->status < 300) co_return response;
    if (response && response->status == 404) co_return fail(ErrorCode::notFound, "the blob does not exist");
    const bool again = !response || response->status >= 500;
    const bool late = std::chrono::steady_clock::now() + kPause * attempt >= deadline ||
                      (!response && response.error().code() == ErrorCode::upstreamTimeout);
    if (!again || late || attempt == kMaxSendAttempts) {
      co_return fail(storeUnavailable(response ? fmt::format("{} {} got {}: {}", call.method, call.key,
                                                             response->status, response->body.substr(0, 300))
                                               : response.error().message() + ": " + response.error().cause()));
    }
    co_await sleepFor(kPause * attempt);
  }
}

// ---- uploads

class S3Store::Writer final : public BlobWriter {
 public:
  Writer(S3Store& store, BlobName name) : store_(store), key_(keyOf(name)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() override {
    if (large_) --store_.large_;
  }

  Task<> write(std::string_view piece) override {
    if (!large_ && part_.size() + piece.size() > kSmall) {
      large_ = true;
      if (++store_.large_ > kMaxLarge) {
        co_return fail(ErrorCode::unavailable, "too many large files are being uploaded: try again");
      }
    }
    sum_.add(piece);
    partSum_.add(piece);
    // Reserves without doubling: a part that is being sent is held twice.
    if (large_ && part_.capacity() < kPart) part_.reserve(kPart + piece.size());
    part_.append(piece);
    if (part_.size() < kPart) co_return Result<>();
    co_return co_await sendPart();
  }

  Task<std::string> finish() override {
    if (upload_.empty()) {
      CO_RETURN_IF_ERROR(co_await store_.send(
          {.method = "PUT", .key = key_, .body = std::move(part_), .bodyHash = partSum_.finish()}));
      co_return sum_.finish();
    }
    if (!part_.empty()) CO_RETURN_IF_ERROR(co_await sendPart());
    std::string list = "<CompleteMultipartUpload>";
    for (size_t i = 0; i < tags_.size(); ++i) {
      list += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, tags_[i]);
    }
    list += "</CompleteMultipartUpload>";
    CO_TRY(const outbound::Response done,
           co_await store_.send(
               {.method = "POST", .key = key_, .query = {{"uploadId", upload_}}, .body = std::move(list)}));
    // S3 can report an error with status 200.
    if (done.body.contains("<Error>")) co_return fail(storeUnavailable(done.body.substr(0, 300)));
    finished_ = true;
    co_return sum_.finish();
  }

  Task<> abandon() override {
    if (upload_.empty() || finished_) co_return Result<>();
    CO_RETURN_IF_ERROR(co_await store_.send(
        {.method = "DELETE", .key = key_, .query = {{"uploadId", upload_}}, .timeout = kAbandonTimeout}));
    co_return Result<>();
  }

 private:
  Task<> sendPart() {
    if (upload_.empty()) {
      CO_TRY(const outbound::Response begun,
             co_await store_.send({.method = "POST", .key = key_, .query = {{"uploads", ""}}}));
      size_t at = 0;
      upload_ = element(begun.body, "UploadId", at).value_or("");
      if (upload_.empty()) co_return fail(storeUnavailable("the multipart upload could not be started"));
    }
    CO_TRY(const outbound::Response sent,
           co_await store_.send({.method = "PUT",
                                 .key = key_,
                                 .query = {{"partNumber", std::to_string(tags_.size() + 1)}, {"uploadId", upload_}},
                                 .body = std::exchange(part_, {}),
                                 .bodyHash = std::exchange(partSum_, {}).finish()}));
    tags_.emplace_back(sent.header("etag"));
    co_return Result<>();
  }

  S3Store& store_;
  const std::string key_;
  Sha256 sum_;
  std::string part_;
  Sha256 partSum_;      // of part_: added per piece, so that a core does not hash a whole part at once
  std::string upload_;  // "" until the second part
  std::vector<std::string> tags_;
  bool large_ = false;
  bool finished_ = false;
};

std::unique_ptr<BlobWriter> S3Store::create(BlobName name) {
  return std::make_unique<Writer>(*this, std::move(name));
}

// ---- downloads

class S3Store::Source final : public BlobSource {
 public:
  Source(S3Store& store, BlobName name, uint64_t offset, uint64_t length)
      : store_(store), key_(keyOf(name)), at_(offset), left_(length) {}

  Task<std::string_view> read() override {
    if (left_ == 0) co_return std::string_view();
    const uint64_t length = std::min<uint64_t>(left_, kPiece);
    CO_TRY(outbound::Response response,
           co_await store_.send(
               {.method = "GET", .key = key_, .range = fmt::format("bytes={}-{}", at_, at_ + length - 1)}));
    if (response.body.size() != length) {
      co_return fail(storeUnavailable(fmt::format("{} has another length than recorded", key_)));
    }
    piece_ = std::move(response.body);
    at_ += length;
    left_ -= length;
    co_return piece_;
  }

 private:
  S3Store& store_;
  const std::string key_;
  uint64_t at_;
  uint64_t left_;
  std::string piece_;
};

Task<std::shared_ptr<const Descriptor>> S3Store::open(BlobName) {
  co_return nullptr;
}

std::shared_ptr<BlobSource> S3Store::source(BlobName name, uint64_t offset, uint64_t length) {
  return std::make_shared<Source>(*this, std::move(name), offset, length);
}

// ---- sweeping

Task<> S3Store::remove(std::vector<BlobName> names) {
  for (const BlobName& name : names) {
    const auto done = co_await send({.method = "DELETE", .key = keyOf(name)});
    if (!done && done.error().code() != ErrorCode::notFound) co_return fail(done.error().clone());
  }
  co_return Result<>();
}

Task<BlobPage> S3Store::list(std::string from) {
  S3Query query{{"list-type", "2"}, {"prefix", std::string(kFolder)}, {"max-keys", "1000"}};
  if (!from.empty()) query.emplace_back("start-after", keyOf(from));
  CO_TRY(const outbound::Response response,
         co_await send({.method = "GET", .key = "", .query = std::move(query), .maxBytes = 4 << 20}));
  BlobPage page;
  size_t at = 0;
  while (const auto key = element(response.body, "Key", at)) {
    const std::string size = element(response.body, "Size", at).value_or("0");
    uint64_t bytes = 0;
    std::from_chars(size.data(), size.data() + size.size(), bytes);
    if (key->starts_with(kFolder)) page.blobs.push_back({key->substr(kFolder.size()), bytes});
  }
  at = 0;
  if (element(response.body, "IsTruncated", at) == "true" && !page.blobs.empty()) page.next = page.blobs.back().name;
  co_return page;
}

}  // namespace mb::storage
