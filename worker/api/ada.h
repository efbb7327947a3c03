// The URL parser in the engine's library: the used part of its C API.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

extern "C" {

struct AdaText {  // owned by the URL
  const char* data;
  size_t length;
};
struct AdaOwnedText {  // freed by ada_free_owned_string
  const char* data;
  size_t length;
};

void* ada_parse(const char* input, size_t length);
void* ada_parse_with_base(const char* input, size_t length, const char* base, size_t baseLength);
void ada_free(void* url);
bool ada_is_valid(void* url);
void ada_free_owned_string(AdaOwnedText text);

AdaOwnedText ada_get_origin(void* url);
AdaText ada_get_href(void* url);
AdaText ada_get_protocol(void* url);
AdaText ada_get_username(void* url);
AdaText ada_get_password(void* url);
AdaText ada_get_host(void* url);
AdaText ada_get_hostname(void* url);
AdaText ada_get_port(void* url);
AdaText ada_get_pathname(void* url);
AdaText ada_get_search(void* url);
AdaText ada_get_hash(void* url);

bool ada_set_href(void* url, const char* input, size_t length);
bool ada_set_protocol(void* url, const char* input, size_t length);
bool ada_set_username(void* url, const char* input, size_t length);
bool ada_set_password(void* url, const char* input, size_t length);
bool ada_set_host(void* url, const char* input, size_t length);
bool ada_set_hostname(void* url, const char* input, size_t length);
bool ada_set_port(void* url, const char* input, size_t length);
bool ada_set_pathname(void* url, const char* input, size_t length);
void ada_set_search(void* url, const char* input, size_t length);
void ada_set_hash(void* url, const char* input, size_t length);

}  // extern "C"

namespace mb::worker {

struct AdaFree {
  void operator()(void* url) const { ada_free(url); }
};
using AdaUrl = std::unique_ptr<void, AdaFree>;

}  // namespace mb::worker
