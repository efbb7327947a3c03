// Mails about limits of plans to the user who pays.
#pragma once

#include "billing/accounts.h"
#include "billing/usage.h"
#include "mail/mail.h"

namespace mb::billing {

// ---- limits

enum class LimitLevel : uint8_t { none, near, reached };
// near from 80 % on, reached at 100 %; none for a use of 0 and without a limit.
LimitLevel levelOf(int64_t use, std::optional<int64_t> max);

// Of a limit's mails: the use and the limit as the reader sees them, "820 MiB" or "80,000".
std::string amountText(plans::Limit limit, int64_t amount);

// The mails about limits that a project, or an account, has had: each once in a calendar month, by the month of the
// clock, so that a clock that jumps repeats none. Kept for kSentMonths months before and after the present one.
struct SentMails {
  std::string id;                             // of the project, or of the user
  std::optional<std::string> projectId = {};  // of a project's
  std::vector<std::string> sent = {};         // "storageBytes near 2026-01"
  static constexpr auto shape() {
    return doc::shape<SentMails>("SentLimitMails", doc::field("id", &SentMails::id),
                                 doc::field("projectId", &SentMails::projectId), doc::field("sent", &SentMails::sent));
  }
};
inline constexpr int kSentMonths = 3;

// A limit that is near or reached.
struct LimitState {
  plans::Limit limit = plans::Limit::storageBytes;
  LimitLevel level = LimitLevel::none;
  int64_t use = 0;
  int64_t max = 0;
};
// Those of `states` whose mail is due in the month of `now`. A mail that a limit is reached counts as the one that it
// is near, too.
std::vector<LimitState> dueOf(const SentMails& sent, const std::vector<LimitState>& states, Timestamp now);
// The record once these mails are sent.
SentMails withSent(SentMails sent, const std::vector<LimitState>& due, Timestamp now);

// References outlive it.
struct LimitMailsDeps {
  store::DocumentStore& store;
  Accounts& accounts;
  mail::Mailer& mailer;
  std::string baseUrl;  // prefix of links
};

// Any core.
class LimitMails {
 public:
  explicit LimitMails(LimitMailsDeps deps) : deps_(std::move(deps)) {}
  // Sends the mails that are due about the projects of an organization, which are all of it, with their usages in the
  // same order. Limits of projects of which the organization's user is not an Owner are those of no account: nothing is
  // sent about them.
  Task<> check(projects::OrganizationRecord organization, std::vector<projects::ProjectRecord> projects,
               std::vector<ProjectUsage> usages, Timestamp now);

 private:
  // A project or account with limits that are near or reached.
  struct Subject {
    SentMails empty;      // as its record begins
    std::string project;  // the name; "" for the account
    std::vector<LimitState> states;
  };
  static std::vector<Subject> subjectsOf(const projects::OrganizationRecord& organization,
                                         const std::vector<projects::ProjectRecord>& projects,
                                         const std::vector<ProjectUsage>& usages, const plans::PlanInForce& plan);
  Task<> send(Subject subject, SentMails stored, std::string plan, std::string to, Timestamp now);

  const LimitMailsDeps deps_;
};

}  // namespace mb::billing
