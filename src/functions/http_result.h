// The result of an http function as an HTTP response: {status?, headers?, body?}, or any other value as the body of a
// 200. See docs/functions.md, "Endpoints".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "document/bson.h"

namespace mb::functions {

struct HttpResult {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  doc::Value body;
};

// Whether functions share their origin with the rest of the service, or have one of their own.
enum class Origin { shared, own };

// Leaves out invalid headers, headers that only the server sends, and headers that have effects beyond this response.
// Fails with validation for a status outside of 200 to 599, and for too many headers.
Result<HttpResult> httpResult(doc::ValueView result, Origin origin);

}  // namespace mb::functions
