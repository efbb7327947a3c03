// A letter as the payload of its job. Private to mail/.
#pragma once

#include "document/bson.h"
#include "mail/mail.h"

namespace mb::mail {

// "verifyAddress", ...
std::string_view nameOf(LetterKind kind);

// Fails with validation when a field could not stand in a mail: no address, control characters, too long, a link that
// is no http or https address.
Result<> checkLetter(const Letter& letter);
doc::Document toDocument(const Letter& letter);
// Fails with internal when the document is no letter.
Result<Letter> letterOf(doc::DocumentView stored);

}  // namespace mb::mail
