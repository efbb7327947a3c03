// What an http integration sends and makes of what comes back. Private to the module.
#pragma once

#include <string>
#include <string_view>

#include "document/bson.h"
#include "outbound/outbound.h"

namespace mb::integrations {

// The body of a call, and what it is where no header says so.
struct SentBody {
  std::string bytes;
  std::string contentType;  // "" without a body
};
// A text as it is, binary as it is, anything else as JSON; nothing for null.
SentBody sentBody(doc::ValueView value);

// {status, headers, body}: headers by name, several of one name joined; the body null where it is empty, a value where
// it is JSON and says so, text where it is UTF-8 and may be text, else binary.
doc::Document answerOf(const outbound::Response& response);

}  // namespace mb::integrations
