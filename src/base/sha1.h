// SHA-1, for protocols that require it (the WebSocket handshake). Not secure: never use it for a secret.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mb {

std::array<uint8_t, 20> sha1(std::string_view data);

}  // namespace mb
