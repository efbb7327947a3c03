#include "dashboard/dashboard.h"

#include <zlib.h>

#include <algorithm>

#include "dashboard/embedded.h"

namespace mb::dashboard {

namespace {

constexpr std::string_view kIndex = "index.html";
// What the built page has in place of the server's root, and before the names of its files.
constexpr std::string_view kRootMark = "{{root}}";
constexpr std::string_view kRelative = "\"./";
constexpr int kGzipWindow = 15 + 16;  // zlib: 16 more means a gzip header
constexpr size_t kStep = size_t{64} << 10;

std::string_view typeOf(std::string_view file) {
  if (file.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (file.ends_with(".css")) return "text/css; charset=utf-8";
  if (file.ends_with(".svg")) return "image/svg+xml";
  if (file.ends_with(".woff2")) return "font/woff2";
  if (file.ends_with(".txt")) return "text/plain; charset=utf-8";
  return {};
}

std::string_view fileNamed(std::string_view name) {
  const auto files = embeddedFiles();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  return found == files.end() ? std::string_view() : found->bytes;
}

std::string attributeText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string replaceAll(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at = 0;;) {
    const size_t found = text.find(from, at);
    out += text.substr(at, found == std::string_view::npos ? found : found - at);
    if (found == std::string_view::npos) return out;
    out += to;
    at = found + from.size();
  }
}

}  // namespace

std::string indexPage(std::string_view root) {
  const std::string prefix = attributeText(root);
  return replaceAll(replaceAll(fileNamed(kIndex), kRelative, "\"" + prefix + "/dashboard/"), kRootMark, prefix);
}

Asset findAsset(std::string_view file) {
  if (file == kIndex) return {};
  const std::string_view bytes = fileNamed(file);
  return bytes.empty() ? Asset() : Asset{typeOf(file), bytes};
}

std::optional<std::string> inflate(std::string_view gzip) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    const size_t size = out.size();
    out.resize(size + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = kStep;
    state = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) return std::nullopt;
  return out;
}

}  // namespace mb::dashboard
