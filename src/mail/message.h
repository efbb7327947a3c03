// RFC 5322 messages with MIME: multipart/alternative of text and HTML, all ASCII on the wire.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "mail/mail.h"

namespace mb::mail {

struct Message {
  Address from;
  Address to;
  std::vector<Address> alsoTo = {};
  std::optional<Address> replyTo;
  std::string subject;
  std::string text;  // lines end in LF; "" for none (then html must be given)
  std::string html;  // "" for none
  Timestamp date;
  std::string id;  // of the Message-ID, before the @: the same id for the same mail, so that repeats are recognised
  // Adds "Auto-Submitted: auto-generated" (RFC 3834), which suppresses automatic replies.
  bool automatic = true;
};

// The whole message, lines ending in CRLF. Fails with validation when an address or a header contains control
// characters, or an address is not valid.
Result<std::string> compose(const Message& message);
// The Message-ID of `message`, angle brackets included.
std::string messageIdOf(const Message& message);

// A header value of any UTF-8 text, as folded lines of encoded words (RFC 2047) where it is not plain ASCII.
// `firstLineUsed`: characters already on the first line.
std::string encodedText(std::string_view text, size_t firstLineUsed);
// Quoted-printable (RFC 2045) of UTF-8 text with LF or CRLF ends; lines of at most 76 characters, ending in CRLF.
std::string quotedPrintable(std::string_view text);

// Whether `email` has one "@", no blanks, control characters or brackets, and at most 254 bytes.
bool isAddress(std::string_view email);
// "a@b.example" or "Name <a@b.example>".
Result<Address> parseAddress(std::string_view text);

}  // namespace mb::mail
