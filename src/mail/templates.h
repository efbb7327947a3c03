// The words of each letter.
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
Words wordsOf(const Letter& letter, Timestamp now);

}  // namespace mb::mail
