// What an http function returned, as an answer: {status?, headers?, body?}, or any other value as the body of a 200.
// Source: contract 4.7; decisions 7.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "document/bson.h"

namespace mb::functions {

struct HttpAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  doc::Value body;
};

// Whether functions share their origin with the rest of the service, or have one of their own.
enum class Origin { shared, own };

// Headers that are the server's to send, or that would reach beyond the answer, are left out, and so are those that
// cannot be sent. Fails with validation for a status that is none (200 to 599), for too many headers.
Result<HttpAnswer> httpAnswer(doc::ValueView result, Origin origin);

}  // namespace mb::functions
