// The headers of requests and responses that are about versions of documents (docs/api.md, Versions of documents).
#pragma once

#include "data/write_condition.h"
#include "http/message.h"

namespace mb::api {

// What `if-match` and `if-none-match` demand of a change. Fails with invalidParam for a malformed header.
Result<data::WriteCondition> writeConditionOf(const http::Request& request);

// Whether the client prefers the document as the response to a change (`prefer: return=representation`, RFC 7240).
bool prefersRepresentation(const http::Request& request);

// Adds `etag`, as data::etagOf() has it, and `vary`.
void addVersion(http::Response& response, std::string etag);

}  // namespace mb::api
