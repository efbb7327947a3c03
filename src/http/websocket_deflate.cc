#include "http/websocket_deflate.h"

#include <zlib.h>

#include <algorithm>

namespace mb::http {

namespace {

constexpr int kLevel = 1;        // for JSON the best ratio of gain to time
constexpr int kRawWindow = -15;  // zlib: a negative size means no header
constexpr size_t kHistory = 32 << 10;
constexpr size_t kPiece = 16 << 10;
// The end of a sync flush: omitted on the wire (RFC 7692, 7.2.1).
constexpr std::string_view kTail("\0\0\xFF\xFF", 4);

Bytef* bytesOf(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

class MessageDeflater {
 public:
  MessageDeflater() { ready_ = deflateInit2(&stream_, kLevel, Z_DEFLATED, kRawWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK; }
  ~MessageDeflater() { deflateEnd(&stream_); }
  MessageDeflater(const MessageDeflater&) = delete;

  std::optional<std::string> compress(std::string_view in) {
    if (!ready_ || deflateReset(&stream_) != Z_OK) return std::nullopt;
    std::string out(deflateBound(&stream_, in.size()) + 16, '\0');
    stream_.next_in = bytesOf(in);
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = bytesOf(out);
    stream_.avail_out = static_cast<uInt>(out.size());
    if (deflate(&stream_, Z_SYNC_FLUSH) != Z_OK || stream_.avail_in > 0 || stream_.avail_out == 0) return std::nullopt;
    out.resize(stream_.total_out);
    if (!out.ends_with(kTail)) return std::nullopt;
    out.resize(out.size() - kTail.size());
    out.shrink_to_fit();
    return out;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, kRawWindow) == Z_OK; }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;

  Inflated expand(std::string_view in, size_t limit, std::string& out) {
    if (!ready_ || inflateReset(&stream_) != Z_OK) return Inflated::broken;
    for (const std::string_view part : {in, kTail}) {
      stream_.next_in = bytesOf(part);
      stream_.avail_in = static_cast<uInt>(part.size());
      if (const Inflated took = take(limit, out); took != Inflated::done) return took;
    }
    // The message is complete if the last byte ended a block and left no bits over.
    const bool atBlockEnd = (stream_.data_type & 128) != 0 && (stream_.data_type & 7) == 0;
    return atBlockEnd ? Inflated::done : Inflated::broken;
  }

 private:
  // Inflates until the input is consumed.
  Inflated take(size_t limit, std::string& out) {
    while (true) {
      stream_.next_out = piece_;
      stream_.avail_out = sizeof piece_;
      const int result = inflate(&stream_, Z_SYNC_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return Inflated::broken;
      out.append(reinterpret_cast<const char*>(piece_), sizeof piece_ - stream_.avail_out);
      if (out.size() > limit) return Inflated::tooLarge;
      if (result == Z_STREAM_END && !continueAfterFinal(out)) return Inflated::broken;
      if (stream_.avail_in == 0 && stream_.avail_out > 0) return Inflated::done;
      if (result == Z_BUF_ERROR) return Inflated::broken;
    }
  }

  // After a block that is marked as final, others may follow and refer back to it (RFC 7692, 7.2.3.4).
  bool continueAfterFinal(std::string_view out) {
    if (inflateReset(&stream_) != Z_OK) return false;
    const std::string_view history = out.substr(out.size() - std::min(out.size(), kHistory));
    return history.empty() ||
           inflateSetDictionary(&stream_, bytesOf(history), static_cast<uInt>(history.size())) == Z_OK;
  }

  z_stream stream_{};
  bool ready_ = false;
  Bytef piece_[kPiece];
};

}  // namespace

std::optional<std::string> deflateMessage(std::string_view text) {
  thread_local MessageDeflater deflater;
  return deflater.compress(text);
}

Inflated inflateMessage(std::string_view payload, size_t limit, std::string& out) {
  thread_local Inflater inflater;
  return inflater.expand(payload, limit, out);
}

}  // namespace mb::http
