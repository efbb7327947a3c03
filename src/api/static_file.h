// Responses with files that are part of the program.
#pragma once

#include <string_view>

#include "api/context.h"
#include "pages/pages.h"

namespace mb::api {

// `file` in the form that the client accepts, or 304 if the client has that form. `tag` names the content, without
// quotes; the compressed form gets its own entity tag. `caching` is the value of cache-control. Fails with unavailable
// if memory is short to inflate a file that is there compressed only.
Result<Reply> staticFile(const http::Request& request, const pages::Asset& file, std::string_view tag,
                         std::string_view caching);

}  // namespace mb::api
