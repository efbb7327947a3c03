// Signatures of a delivery: the server's own header, and those of the Standard Webhooks specification 1.0.
#pragma once

#include "base/clock.h"
#include "base/crypto.h"
#include "outbound/outbound.h"

namespace mb::webhooks {

// "whsec_" and the base64 of 32 random bytes.
std::string newSecret();

// The headers that sign `body`, sent at `now`: the server's own uses the secret's text as the key, the standard's the
// bytes that it encodes in base64. Fails with internal for an invalid secret.
Result<std::vector<outbound::Header>> signatureHeaders(const Secret& secret, std::string_view id, Timestamp now,
                                                       std::string_view body);

}  // namespace mb::webhooks
