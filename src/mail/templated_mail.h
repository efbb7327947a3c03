// A templated mail as the payload of its job. Private to mail/.
#pragma once

#include "document/bson.h"
#include "mail/mail.h"

namespace mb::mail {

// "verifyAddress", …: the name that stored jobs and logs use.
std::string_view nameOf(MailTemplate kind);

// Fails with validation when a field is not allowed in a mail: an invalid address, control characters, too long, a link
// that is not an http or https URL.
Result<> checkTemplatedMail(const TemplatedMail& mail);
doc::Document toDocument(const TemplatedMail& mail);
// Fails with internal when the document is not a templated mail.
Result<TemplatedMail> templatedMailOf(doc::DocumentView stored);

}  // namespace mb::mail
