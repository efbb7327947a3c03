#include "http/chunk_decoder.h"

#include <algorithm>

#include "base/text.h"

namespace mb::http {

namespace {

constexpr int kMaxDigits = 16;
// Bounds the bytes of framing in proportion to the content. More is an attack; chunks of one byte stay within it.
constexpr size_t kFramingBytes = 16 << 10;
constexpr size_t kFramingPerByte = 16;

bool isToken(char c) {
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return alphanumeric || (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool isControl(char c) {
  return (c >= 0 && c < ' ' && c != '\t') || c == 0x7F;
}

}  // namespace

void ChunkDecoder::reset(size_t maxLine) {
  *this = {};
  maxLine_ = maxLine;
}

ChunkDecoder::Status ChunkDecoder::decode(std::string_view data, size_t& consumed, std::string& body, size_t limit) {
  size_t at = 0;
  while (at < data.size() && state_ != State::done) {
    if (state_ == State::content) {
      const size_t count = static_cast<size_t>(std::min<uint64_t>(left_, data.size() - at));
      body.append(data.substr(at, count));
      at += count;
      content_ += count;
      left_ -= count;
      if (left_ == 0) state_ = State::contentReturn;
      continue;
    }
    const Status status = takeByte(data[at++], limit - std::min(limit, body.size()));
    if (status != Status::needMore) return status;
    if (++framing_ > kFramingBytes + content_ * kFramingPerByte) return Status::malformed;
  }
  consumed = at;
  return state_ == State::done ? Status::done : Status::needMore;
}

// `room`: by how many bytes the body may still grow.
ChunkDecoder::Status ChunkDecoder::takeByte(char c, size_t room) {
  const auto expect = [&](char wanted, State next) {
    state_ = next;
    return c == wanted ? Status::needMore : Status::malformed;
  };
  if (++line_ > maxLine_) return Status::malformed;
  switch (state_) {
    case State::size:
      return takeSizeDigit(c, room);
    case State::extension:
      if (c == '\r') state_ = State::sizeFeed;
      return c == '\r' || !isControl(c) ? Status::needMore : Status::malformed;
    case State::sizeFeed:
      return expect('\n', left_ == 0 ? State::trailer : State::content);
    case State::contentReturn:
      return expect('\r', State::contentFeed);
    case State::contentFeed:
      digits_ = 0;
      line_ = 0;
      return expect('\n', State::size);
    case State::trailer:
      return startTrailer(c);
    case State::trailerName:
      if (c == ':') state_ = State::trailerValue;
      return c == ':' || isToken(c) ? Status::needMore : Status::malformed;
    case State::trailerValue:
      if (c == '\r') state_ = State::trailerFeed;
      return c == '\r' || !isControl(c) ? Status::needMore : Status::malformed;
    case State::trailerFeed:
      return expect('\n', State::trailer);
    case State::lastFeed:
      return expect('\n', State::done);
    case State::content:
    case State::done:
      break;
  }
  return Status::malformed;
}

ChunkDecoder::Status ChunkDecoder::takeSizeDigit(char c, size_t room) {
  if (const int digit = hexDigit(c); digit >= 0) {
    if (++digits_ > kMaxDigits) return Status::malformed;
    left_ = left_ * 16 + static_cast<uint64_t>(digit);
    return Status::needMore;
  }
  if (digits_ == 0) return Status::malformed;
  if (left_ > room) return Status::tooLarge;
  if (c == '\r') {
    state_ = State::sizeFeed;
  } else if (c == ';') {
    state_ = State::extension;
  } else {
    return Status::malformed;
  }
  return Status::needMore;
}

ChunkDecoder::Status ChunkDecoder::startTrailer(char c) {
  if (c == '\r') {
    state_ = State::lastFeed;
    return Status::needMore;
  }
  state_ = State::trailerName;
  return isToken(c) ? Status::needMore : Status::malformed;
}

}  // namespace mb::http
