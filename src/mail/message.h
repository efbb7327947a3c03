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
  // Says that nobody is to answer automatically.
  bool automatic = true;
};

// The whole message, lines ending in CRLF. Fails with validation when an address or a header holds control characters,
// or an address cannot be one.
Result<std::string> compose(const Message& message);
// Its Message-ID, angle brackets included.
std::string messageIdOf(const Message& message);

// A header value of any UTF-8 as encoded words (RFC 2047) where it is not plain ASCII; folded lines.
std::string encodedText(std::string_view text, size_t firstLineUsed);
// Quoted-printable (RFC 2045) of UTF-8 text with LF or CRLF ends; lines of at most 76 characters, ending in CRLF.
std::string quotedPrintable(std::string_view text);

// One "@", no blanks, control characters or brackets, at most 254 bytes.
bool isAddress(std::string_view email);
// "a@b.example" or "Name <a@b.example>".
Result<Address> parseAddress(std::string_view text);

}  // namespace mb::mail
