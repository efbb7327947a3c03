// Mails of the service: composed from templates, queued as a job in the commit of the writer, delivered by SMTP or,
// without a mail server, kept in the outbox of the data directory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/settings.h"
#include "jobs/jobs.h"
#include "outbound/outbound.h"

namespace mb::mail {

struct Address {
  std::string name;   // display name; may be empty
  std::string email;  // bare
};

struct MailSettings {
  explicit MailSettings(Settings& settings);
  MailSettings() = default;  // no mail server

  std::optional<outbound::SmtpServer> smtp;  // SERVICE_SMTP_URL
  std::optional<Address> from;               // SERVICE_MAIL_FROM; unset: no-reply@<host of the base URL>
};

enum class MailTemplate {
  verifyAddress,      // link: verifies the address
  resetPassword,      // link: sets a new password
  projectInvite,      // link: registers or takes over the account, which gets the role only then
  membershipGranted,  // link: the project
  addressTried,       // a registration used this address, which has an account (hideRegistered); link: sign in
  operatorInvite,     // as projectInvite, for an operator of the deployment
  mfaReset,           // an administrator removed the second factor
  passwordChanged,    // notice
  projectOffered,     // an Owner offers a project to another, who would pay for it; link: sign in
  limitNear,          // a project or account uses most of what its plan allows; link: the account
  limitReached,       // all of it
  paymentFailed,      // of a plan
  planEnded,          // or ends at a day
};

// The service's own name, in mails that do not belong to a project.
inline constexpr std::string_view kServiceName = "Manybase";

// The sender as the reader sees it: the project or the service.
struct Brand {
  std::string name;    // the project's, or the service's; in subject and text
  std::string colour;  // a colour name of the API ("slate" to "rose", templates.cc); others and "" give the default
};

// Of mails about plans; texts as the reader sees them.
struct PlanFacts {
  std::string plan = {};  // the name of the plan that the mail is about
  // Of limitNear and limitReached.
  std::string project = {};  // its name; "" for a limit of the account
  std::string limit = {};    // "storage"
  std::string use = {};      // "820 MiB"
  std::string max = {};
  // Of paymentFailed and planEnded.
  std::string next = {};  // the name of the plan whose limits hold instead
  std::string ends = {};  // "2026-01-31"; "" for a plan that has ended
};

struct TemplatedMail {
  MailTemplate kind = MailTemplate::verifyAddress;
  std::string to;
  Brand brand;
  std::string link;     // absolute, built from the base URL; "" where the template has none
  std::string inviter;  // display form (an address) of the user that invited or granted; may be empty
  std::string role;     // of projectInvite and membershipGranted; may be empty
  // When the link expires, or what the mail offers. The text states it, and a mail not delivered by then is dropped.
  std::optional<Timestamp> validUntil;
  PlanFacts facts = {};  // of mails about plans
};

struct MailerDeps {
  jobs::Queue& queue;
  outbound::Outbound& outbound;
  const Clock& clock;
  std::string baseUrl;
  std::filesystem::path outbox;  // created if missing, when the first mail is kept there
  // Development: the log line of a mail kept in the outbox has address and link. Otherwise only at level debug.
  bool logLinks = false;
};

class Mailer {
 public:
  // Declares the job kind "mail". REQUIRES: queue.start() has not been called.
  Mailer(MailerDeps deps, const MailSettings& settings);
  ~Mailer();  // stop()

  // Whether a mail server is set. Without one an address cannot be verified by mail, and counts as verified at
  // registration as far as invites go (docs/operations.md, "Mail").
  bool delivers() const;

  // The mail as an insert for the caller's write, sealed; wake() takes its id. Cheap: the text is composed at delivery.
  // Fails with validation when the address or a field is not allowed in a mail. Any core.
  Result<store::Insert> insertOf(const TemplatedMail& mail, store::ProjectNo project);
  // Wakes the queue for the job with the id of that insert. Call it after the commit. Any thread.
  void wake(std::string jobId);

  // Ends the thread that writes the outbox. Call it after queue.stop(). Not from a core.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::mail
