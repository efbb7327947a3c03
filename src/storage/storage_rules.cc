#include "storage/storage_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include "base/crypto.h"
#include "base/text.h"
#include "document/json.h"
#include "identity/records.h"
#include "storage/bucket_rules.h"
#include "store/records.h"

namespace mb::storage {

namespace {

constexpr std::string_view kNameRule = "must be a letter, then at most 63 letters, digits, hyphens or underscores";
constexpr std::string_view kAccessRule = "must be public or private";
constexpr size_t kTagDigits = 32;
// Repeated, so that a reader that decodes the path again finds no hidden segments or control characters either.
constexpr int kMaxDecodings = 4;

bool isAccess(std::string_view access) {
  return access == "public" || access == "private";
}

int hexOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decodedOnce(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() && text[i] == '%' ? hexOf(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : hexOf(text[i + 2]);
    if (low < 0) {
      out += text[i];
    } else {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

bool climbs(std::string_view path) {
  while (true) {
    const size_t end = path.find_first_of("/\\");
    const std::string_view segment = path.substr(0, end);
    if (segment == "." || segment == "..") return true;
    if (end == std::string_view::npos) return false;
    path.remove_prefix(end + 1);
  }
}

Result<> badPath(std::string_view why) {
  return fail(ErrorCode::invalidParam, fmt::format("the path {}", why));
}

bool isTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

}  // namespace

std::vector<ErrorDetail> problemsOf(const NewBucket& bucket) {
  std::vector<ErrorDetail> problems;
  if (!identity::isName(bucket.name)) problems.push_back({"/name", std::string(kNameRule)});
  if (bucket.access && !isAccess(*bucket.access)) problems.push_back({"/access", std::string(kAccessRule)});
  if (const auto rules = rulesIn(bucket.rules)) {
    std::ranges::move(ruleProblems(bucket.access.value_or("private"), &*rules, {}), std::back_inserter(problems));
  }
  return problems;
}

Result<> check(const NewBucket& bucket) {
  std::vector<ErrorDetail> problems = problemsOf(bucket);
  if (problems.empty()) return {};
  std::string message = problems.front().path + " " + problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

Result<> checkAccess(std::string_view access) {
  if (isAccess(access)) return {};
  return fail(identity::invalid("/access", std::string(kAccessRule)));
}

std::string bucketKey(std::string_view name) {
  return lowerAscii(name);
}

Result<> checkPath(std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes) {
    return badPath(fmt::format("must have 1 to {} bytes", kMaxPathBytes));
  }
  if (path.starts_with('/') || path.ends_with('/') || path.contains("//")) return badPath("has an empty segment");
  std::string text(path);
  for (int i = 0; i < kMaxDecodings; ++i) {
    if (climbs(text)) return badPath("has a segment \".\" or \"..\"");
    const bool control = std::ranges::any_of(text, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < 0x20 || byte == 0x7f;
    });
    if (control) return badPath("has a control character");
    std::string next = decodedOnce(text);
    if (next == text) break;
    text = std::move(next);
  }
  if (path.contains('\\')) return badPath("has a backslash");
  return {};
}

Result<std::string> contentTypeOf(std::string_view header) {
  const std::string_view type = trimmed(header);
  if (type.empty()) return std::string(kUntyped);
  const auto bad = [] {
    return fail(ErrorCode::invalidParam,
                "content-type is not a valid media type: use type/subtype, for example image/png");
  };
  if (type.size() > kMaxTypeBytes) return bad();
  if (!std::ranges::all_of(type, [](char c) { return c >= 0x20 && c < 0x7f; })) return bad();
  const std::string_view essence = trimmed(type.substr(0, type.find(';')));
  const size_t slash = essence.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == essence.size()) return bad();
  const std::string_view names[] = {essence.substr(0, slash), essence.substr(slash + 1)};
  for (const std::string_view name : names) {
    if (!std::ranges::all_of(name, isTokenCharacter)) return bad();
  }
  return std::string(type);
}

Result<> checkMetadata(doc::DocumentView metadata) {
  if (doc::toJson(metadata).size() <= kMaxMetadataBytes) return {};
  return fail(identity::invalid("/metadata", fmt::format("must have at most {} bytes as JSON", kMaxMetadataBytes)));
}

Result<doc::Document> parseMetadata(std::string_view json) {
  auto parsed = doc::parseJson(json, {.extended = doc::ExtendedJson::refuse});
  if (!parsed) return fail(identity::invalid("/metadata", "must be a JSON object"));
  RETURN_IF_ERROR(checkMetadata(*parsed));
  return parsed;
}

bool isInert(std::string_view contentType) {
  const std::string type = lowerAscii(trimmed(contentType.substr(0, contentType.find(';'))));
  if (type.starts_with("image/")) return !type.contains("svg") && !type.contains("xml");
  if (type.starts_with("audio/") || type.starts_with("video/")) return !type.contains("xml");
  return type == "text/plain" || type == "application/json";
}

std::string encodedPath(std::string_view path) {
  std::string encoded;
  while (true) {
    const size_t slash = std::min(path.find('/'), path.size());
    encoded += boost::urls::encode(path.substr(0, slash), boost::urls::unreserved_chars);
    if (slash == path.size()) return encoded;
    encoded += '/';
    path.remove_prefix(slash + 1);
  }
}

std::string fileKey(std::string_view bucketId, std::string_view path) {
  return fmt::format("{}/{}", bucketId, path);
}

std::string pieceKey(std::string_view upload, int64_t offset) {
  return fmt::format("{}/{:016x}", upload, offset);
}

std::string behind(std::string_view key) {
  return fmt::format("{}\xf4\x8f\xbf\xbf", key);  // the last code point, so that the range's bound is valid text
}

std::string countIdOf(std::string_view fileKey) {
  return std::to_string(sha256(fileKey)[0] % kCountRecords);
}

doc::Document counted(const std::optional<doc::Document>& before, std::string countId, int64_t files, int64_t bytes) {
  StoredRecord count;
  if (before) {
    if (auto known = store::fromStore<StoredRecord>(before->view())) count = *std::move(known);
  }
  count.id = std::move(countId);
  count.files += files;
  count.bytes += bytes;
  return doc::encode(count);
}

FileView viewOf(const FileRecord& record) {
  FileView view;
  view.path = record.path;
  view.size = record.size;
  view.contentType = record.contentType;
  view.etag = fmt::format("\"{}\"", record.sha256.substr(0, kTagDigits));
  view.createdAt = record.createdAt;
  view.updatedAt = record.updatedAt;
  if (!record.owner.empty()) view.ownerId = record.owner;
  if (record.metadata) view.metadata = *record.metadata;
  return view;
}

BucketView viewOf(const BucketRecord& record) {
  return {record.name, record.access, record.createdAt, record.rules};
}

}  // namespace mb::storage
