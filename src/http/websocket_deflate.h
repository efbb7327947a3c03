// Per-message deflate without context takeover (RFC 7692): one deflater and one inflater a thread, whatever the number
// of sockets. Private to this module.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mb::http {

// The payload of a compressed message; nothing when zlib cannot (memory).
std::optional<std::string> deflateMessage(std::string_view text);

enum class Inflated { done, tooLarge, broken };
// The message that `payload` is the compressed form of, appended to `out`; tooLarge as soon as it passes `limit` bytes.
Inflated inflateMessage(std::string_view payload, size_t limit, std::string& out);

}  // namespace mb::http
