// What a worker sends, as frames and as values: any bytes are cut or refused, and what is read as a value is a
// well-formed document that comes back as it was.
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

// The first way may make an int32 of a small BigInt; then it stays what it is.
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

// In steps whose sizes the input says.
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
