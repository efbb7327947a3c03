// Time-based one-time codes (RFC 6238 over RFC 4226): SHA-1, 6 digits, 30 seconds, one step either way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace mb::identity {

inline constexpr size_t kTotpSecretBytes = 20;

// RFC 4648, upper case, without padding.
std::string toBase32(std::string_view bytes);
// The code of a counter, six digits.
std::string hotp(std::string_view secret, int64_t counter);
// The step after `lastStep` that `code` belongs to, at most one step from now; nullopt if there is no such step. The
// caller stores the step as the next lastStep, so that no code counts twice.
std::optional<int64_t> totpStep(std::string_view secret, std::string_view code, Timestamp now, int64_t lastStep);
// "otpauth://totp/Shop:ann@example.com?secret=…", which apps read from a QR code.
std::string otpauthUrl(std::string_view issuer, std::string_view account, std::string_view secret);

}  // namespace mb::identity
