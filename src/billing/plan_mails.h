// Mails about the subscription of an account: a payment that failed, a plan that ends.
#pragma once

#include "billing/catalogue.h"
#include "mail/mail.h"

namespace mb::billing {

enum class PlanNotice : uint8_t {
  paymentFailed,  // the subscription is past due or unpaid, and was not before
  planEnding,     // it was cancelled, and counts until its period ends
  planEnded,      // it does not count any more
};
// What a change of an account is to be reported as; `before` is null for an account without a record. nullopt for most
// changes, and for one that repeats a state. Mails about subscriptions are sent whatever the user's switch for limits.
std::optional<PlanNotice> noticeOf(const AccountRecord* before, const AccountRecord& after);

// A mail of the service, with a link to the reader's account.
mail::TemplatedMail planMail(mail::MailTemplate kind, std::string to, std::string_view baseUrl);

// References outlive it.
struct PlanMailsDeps {
  store::DocumentStore& store;
  mail::Mailer& mailer;
  std::string baseUrl;  // prefix of links
};

// Any core.
class PlanMails {
 public:
  explicit PlanMails(PlanMailsDeps deps) : deps_(std::move(deps)) {}
  // The mail of a change, as inserts for the commit of that change; empty where none is due, or the user's address
  // cannot receive mail. The commit must fail or be prepared again if the account is not `before` any more.
  Task<std::vector<store::Insert>> insertsOf(std::optional<AccountRecord> before, AccountRecord after);
  // Call it with the ids of the inserts (store::idsOf), after the commit.
  void wake(std::vector<std::string> jobs);

 private:
  const PlanMailsDeps deps_;
};

}  // namespace mb::billing
