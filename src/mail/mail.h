// Mails of the service: composed from templates, put into the writer's commit as a job, delivered by SMTP or, without a
// mail server, kept in the data directory's outbox.
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
  std::string name;   // shown; may be empty
  std::string email;  // bare
};

struct MailSettings {
  explicit MailSettings(Settings& settings);
  MailSettings() = default;  // no mail server

  std::optional<outbound::SmtpServer> smtp;  // SERVICE_SMTP_URL
  std::optional<Address> from;               // SERVICE_MAIL_FROM; unset: no-reply@<host of the base URL>
};

enum class MailTemplate {
  verifyAddress,      // link: proves the address
  resetPassword,      // link: sets a new password
  projectInvite,      // link: registers or takes over; the role waits for it
  membershipGranted,  // link: the project
  addressTried,       // somebody tried to register this address (hideRegistered); link: sign in
  operatorInvite,     // likewise, as an operator of the deployment
  mfaReset,           // an administrator took the second factor off
  passwordChanged,    // notice
};

// The service's own name, in mails that are no project's.
inline constexpr std::string_view kServiceName = "Manybase";

// Whose mail it is.
struct Brand {
  std::string name;    // the project's, or the service's; shown in subject and text
  std::string colour;  // one of the contract's colour names; others and "" give the default
};

struct TemplatedMail {
  MailTemplate kind = MailTemplate::verifyAddress;
  std::string to;
  Brand brand;
  std::string link;     // absolute, made from the base URL; "" where the kind has none
  std::string inviter;  // who invited or granted, as shown (an address); may be empty
  std::string role;     // of projectInvite and membershipGranted; may be empty
  // When the link ends. Told in the text, and a mail not delivered by then is dropped.
  std::optional<Timestamp> validUntil;
};

struct MailerDeps {
  jobs::Queue& queue;
  outbound::Outbound& outbound;
  const Clock& clock;
  std::string baseUrl;
  std::filesystem::path outbox;  // made where missing, when the first mail is kept there
  // Development: the log line of a mail kept in the outbox holds address and link. Otherwise only at level debug.
  bool logLinks = false;
};

class Mailer {
 public:
  // Declares the job kind "mail": before queue.start().
  Mailer(MailerDeps deps, const MailSettings& settings);
  ~Mailer();  // stop()

  // Whether a mail server is set: addresses can be proven (decisions 7, "Invites").
  bool delivers() const;

  // The mail as an insert of the caller's write, sealed; its id is what wake() takes. Cheap: the text is made at
  // delivery. Fails with validation when the address or a field cannot stand in a mail. Any core.
  Result<store::Insert> insertOf(const TemplatedMail& mail, store::ProjectNo project);
  // After the commit, with the id of that insert. Any thread.
  void wake(std::string jobId);

  // Ends the thread that writes the outbox. After queue.stop(). Not from a core.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::mail
