#include "boot/boot.h"

namespace mb::worker {

namespace {

constexpr char kShared[] = {
#embed "shared.js"
};
constexpr char kException[] = {
#embed "exception.js"
};
constexpr char kEncoding[] = {
#embed "encoding.js"
};
constexpr char kSearchParams[] = {
#embed "search_params.js"
};
constexpr char kUrl[] = {
#embed "url.js"
};
constexpr char kCrypto[] = {
#embed "crypto.js"
};
constexpr char kClone[] = {
#embed "clone.js"
};
constexpr char kBridge[] = {
#embed "bridge.js"
};

template <size_t size>
constexpr std::string_view view(const char (&bytes)[size]) {
  return {bytes, size};
}

}  // namespace

const std::array<BootScript, 8> kBootScripts{{
    {"shared", view(kShared)},
    {"exception", view(kException)},
    {"encoding", view(kEncoding)},
    {"search_params", view(kSearchParams)},
    {"url", view(kUrl)},
    {"crypto", view(kCrypto)},
    {"clone", view(kClone)},
    {"bridge", view(kBridge)},
}};

}  // namespace mb::worker
