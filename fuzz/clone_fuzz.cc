// Input: bytes from a worker, as frames and as values. The bytes are split into frames or refused, and a value that is
// read must be a well-formed document that survives a round trip.
#include <cstdlib>
#include <cstring>

#include "clone/values.h"
#include "workers/frame_reader.h"

namespace {

using namespace mb;

std::string bytesOf(doc::ValueView value) {
  std::string bytes;
  clone::Writer writer(bytes);
  if (!clone::writeValue(writer, value)) std::abort();
  if (clone::wholeValue(bytes) != bytes) std::abort();
  return bytes;
}

// The first encoding may turn a small BigInt into an int32; further round trips must change nothing.
void readBack(doc::ValueView value) {
  const std::string bytes = bytesOf(value);
  clone::Reader in(bytes);
  const auto again = clone::readValue(in, clone::Purpose::result);
  if (!again || !in.atEnd() || bytesOf(again->view()) != bytes) std::abort();
}

void readValue(std::string_view bytes, clone::Purpose purpose) {
  clone::Reader in(bytes);
  const auto value = clone::readValue(in, purpose);
  if (in.failed() && value) std::abort();
  if (!value) return;
  doc::BsonWriter holder;
  holder.append("", value->view());
  if (!doc::Document::fromUntrusted(holder.finish().takeBytes())) std::abort();
  readBack(value->view());
}

// Reads frames from pieces whose sizes are part of the input.
void readFrames(std::string_view bytes) {
  workers::FrameReader reader;
  while (!bytes.empty() && !reader.refused()) {
    const auto space = reader.space();
    if (space.empty()) std::abort();
    const size_t step = std::min({space.size(), bytes.size(), static_cast<size_t>(bytes.front() & 0x7F) + 1});
    std::memcpy(space.data(), bytes.data(), step);
    reader.filled(step);
    bytes.remove_prefix(step);
    while (const auto frame = reader.next()) readValue(frame->body, clone::Purpose::argument);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  readValue(bytes, clone::Purpose::result);
  readValue(bytes, clone::Purpose::argument);
  clone::Reader in(bytes);
  (void)clone::readArguments(in);
  readFrames(bytes);
  return 0;
}
