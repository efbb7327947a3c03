// Mails about memberships, queued in the commit that creates them. Private to projects/.
#pragma once

#include <string>
#include <vector>

#include "projects/membership_context.h"

namespace mb::projects {

// One mail. Its job is added to the inserts of the write; wake() after the commit.
class MembershipMail {
 public:
  // All outlive it.
  MembershipMail(const ProjectDeps& deps, const policy::Caller& caller, const MembershipContext& context)
      : deps_(deps), caller_(caller), context_(context) {}

  // Gives the invite the token of the mail's link.
  void invited(InviteRecord& invite, std::vector<store::Insert>& inserts);
  void granted(const std::string& email, const std::string& role, std::vector<store::Insert>& inserts);
  // The offer to pay for the project.
  void offered(const std::string& email, Timestamp end, std::vector<store::Insert>& inserts);
  void wake();

 private:
  mail::TemplatedMail templatedMail(mail::MailTemplate kind, const std::string& email, const std::string& role) const;
  bool add(const mail::TemplatedMail& templatedMail, std::vector<store::Insert>& inserts);

  const ProjectDeps& deps_;
  const policy::Caller& caller_;
  const MembershipContext& context_;
  std::string job_;
};

}  // namespace mb::projects
