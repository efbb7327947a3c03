// What may be sent at all: methods, headers, mail addresses. Private to outbound/.
#pragma once

#include "outbound/outbound.h"

namespace mb::outbound {

// Fails with validation.
Result<> checkRequest(const Request& request);
Result<> checkMail(const MailMessage& message);

// Without regard to case.
bool isNamed(const Header& header, std::string_view lowerName);
// Whether a header may go along to another origin.
bool mayTravel(const Header& header);

}  // namespace mb::outbound
