// Validation of requests and mails: methods, headers, mail addresses. Private to outbound/.
#pragma once

#include "outbound/outbound.h"

namespace mb::outbound {

// Fails with validation.
Result<> checkRequest(const Request& request);
Result<> checkMail(const MailMessage& message);

// Whether the header has that name, compared case-insensitively.
bool isNamed(const Header& header, std::string_view lowerName);
// Whether a redirect to another origin keeps the header.
bool mayCrossOrigins(const Header& header);

}  // namespace mb::outbound
