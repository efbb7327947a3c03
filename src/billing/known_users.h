// Which platform user a subscription of the provider belongs to. Private to billing/.
#pragma once

#include "billing/events.h"

namespace mb::billing {

// The user with the id `named`, else, where that is "", the one whose account has this customer; nullopt for an unknown
// one, also where no user has the id `named`.
Task<std::optional<std::string>> userOf(const EventsDeps& deps, std::string named, std::string customer);

}  // namespace mb::billing
