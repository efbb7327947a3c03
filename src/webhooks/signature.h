// What vouches for a delivery: the contract's own header, and those of the Standard Webhooks specification 1.0.
#pragma once

#include "base/clock.h"
#include "base/crypto.h"
#include "outbound/outbound.h"

namespace mb::webhooks {

// "whsec_" and the base64 of 32 random bytes.
std::string newSecret();

// The headers that sign `body`, sent at `now`: the contract's over the secret's text, the standard's over what it says
// in base64. Fails with internal for a secret that is none.
Result<std::vector<outbound::Header>> signatureHeaders(const Secret& secret, std::string_view id, Timestamp now,
                                                       std::string_view body);

}  // namespace mb::webhooks
