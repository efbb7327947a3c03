#include "store/chain.h"

namespace mb::store {

namespace {

// Bytes of the three fields.
constexpr size_t kLinkBytes = 180;

Digest hashAfter(const Digest& prev, std::string_view bson) {
  std::string hashed;
  hashed.reserve(prev.size() + bson.size());
  hashed.append(reinterpret_cast<const char*>(prev.data()), prev.size());
  hashed += bson;
  return sha256(hashed);
}

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<Digest> digestIn(doc::DocumentView document, std::string_view field) {
  const auto value = document.find(field);
  return value && value->type() == doc::BsonType::string ? digestOf(value->asString()) : std::nullopt;
}

}  // namespace

std::string chained(doc::DocumentView document, ChainHead& head) {
  doc::BsonWriter out(document.bytes().size() + kLinkBytes);
  out.appendAll(document);
  out.appendInt64(kChainSeq, static_cast<int64_t>(++head.seq));
  out.appendString(kChainPrev, toHex(head.hash));
  const doc::Document linked = out.finish();
  head.hash = hashAfter(head.hash, linked.bytes());
  doc::BsonWriter whole(linked.size() + kLinkBytes);
  whole.appendAll(linked);
  whole.appendString(kChainHash, toHex(head.hash));
  return whole.finish().takeBytes();
}

bool namesPlace(doc::DocumentView document) {
  for (const doc::Element& element : document) {
    if (element.key == kChainSeq || element.key == kChainPrev || element.key == kChainHash) return true;
  }
  return false;
}

std::optional<ChainLink> linkOf(doc::DocumentView document) {
  const auto seq = document.find(kChainSeq);
  const auto prev = digestIn(document, kChainPrev);
  const auto hash = digestIn(document, kChainHash);
  if (!seq || seq->type() != doc::BsonType::int64 || seq->asInt64() < 1 || !prev || !hash) return std::nullopt;
  return ChainLink{static_cast<uint64_t>(seq->asInt64()), *prev, *hash};
}

Digest chainHash(const Digest& prev, doc::DocumentView document) {
  doc::BsonWriter out(document.bytes().size());
  for (const doc::Element& element : document) {
    if (element.key != kChainHash) out.append(element.key, element.value);
  }
  return hashAfter(prev, out.finish().bytes());
}

std::optional<Digest> digestOf(std::string_view hex) {
  Digest digest{};
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  for (size_t i = 0; i < digest.size(); ++i) {
    const int high = digitOf(hex[2 * i]);
    const int low = digitOf(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return digest;
}

}  // namespace mb::store
