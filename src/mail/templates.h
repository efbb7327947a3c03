// The subject, text and HTML of each MailTemplate.
#pragma once

#include <string>

#include "mail/mail.h"

namespace mb::mail {

struct MailText {
  std::string subject;
  std::string text;
  std::string html;
};

// The text states how long the link is valid from `now`.
MailText mailTextOf(const TemplatedMail& mail, Timestamp now);

}  // namespace mb::mail
