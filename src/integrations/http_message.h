// Encodes requests and decodes responses of http integrations. Private to the module.
#pragma once

#include <string>
#include <string_view>

#include "document/bson.h"
#include "outbound/outbound.h"

namespace mb::integrations {

// The body of a call, and its content type if no header gives one.
struct SentBody {
  std::string bytes;
  std::string contentType;  // "" without a body
};
// A text or binary unchanged, any other value as JSON; empty for null.
SentBody sentBody(doc::ValueView value);

// {status, headers, body}: headers by name, those of one name joined; the body is null if empty, a value if its content
// type and content are JSON, text if it is UTF-8 and may be text, else binary.
doc::Document resultOf(const outbound::Response& response);

}  // namespace mb::integrations
