// A templated mail as the payload of its job. Private to mail/.
#pragma once

#include "document/bson.h"
#include "mail/mail.h"

namespace mb::mail {

// "verifyAddress", ...
std::string_view nameOf(MailTemplate kind);

// Fails with validation when a field could not stand in a mail: no address, control characters, too long, a link that
// is no http or https address.
Result<> checkTemplatedMail(const TemplatedMail& mail);
doc::Document toDocument(const TemplatedMail& mail);
// Fails with internal when the document is not a templated mail.
Result<TemplatedMail> templatedMailOf(doc::DocumentView stored);

}  // namespace mb::mail
