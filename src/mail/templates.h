// The text of each MailTemplate.
#pragma once

#include <string>

#include "mail/mail.h"

namespace mb::mail {

struct Words {
  std::string subject;
  std::string text;
  std::string html;
};

// `now` tells how long the link is good for.
Words wordsOf(const TemplatedMail& mail, Timestamp now);

}  // namespace mb::mail
