// Per-message deflate without context takeover (RFC 7692): one deflater and one inflater per thread, for all sockets.
// Private to this module.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mb::http {

// The payload of a compressed message; nullopt if zlib fails (out of memory).
std::optional<std::string> deflateMessage(std::string_view text);

enum class Inflated { done, tooLarge, broken };
// Appends the message whose compressed form is `payload` to `out`; tooLarge as soon as `out` exceeds `limit` bytes.
Inflated inflateMessage(std::string_view payload, size_t limit, std::string& out);

}  // namespace mb::http
