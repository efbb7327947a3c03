// A mailer whose mails stay in its queue, for the tests of modules that send mail.
#pragma once

#include <algorithm>
#include <vector>

#include "jobs/row.h"
#include "mail/mail.h"
#include "mail/templated_mail.h"
#include "store/testing/memory_store.h"

namespace mb::mail::testing {

class NoOutbound final : public outbound::Outbound {
 public:
  Task<outbound::Response> send(outbound::Request) override {
    co_return fail(ErrorCode::upstreamFailed, "request failed");
  }
  Task<> mail(outbound::MailMessage) override { co_return fail(ErrorCode::upstreamFailed, "request failed"); }
};

// A Mailer on a queue that never runs. `delivers`: as if a mail server were set.
class MailBox {
 public:
  MailBox(store::testing::MemoryStore& store, Cores& cores, IdGenerator& ids, const Clock& clock,
          const MasterSecret& master, bool delivers)
      : store_(store),
        master_(master),
        queue_({store, cores, ids, clock, master}),
        mailer_({queue_, outbound_, clock, "https://api.example.com", "outbox"}, settings(delivers)) {
    queue_.stop(std::chrono::milliseconds(0));
  }

  Mailer& mailer() { return mailer_; }
  jobs::Queue& queue() { return queue_; }
  // Oldest first.
  std::vector<TemplatedMail> mails() const {
    std::vector<jobs::Row> rows;
    for (const auto& stored : store_.all({store::kControlProject, jobs::kJobs, 0})) {
      jobs::Row row = *jobs::Row::fromDocument(stored.view());
      if (!row.sealed.empty()) rows.push_back(std::move(row));
    }
    std::ranges::sort(rows, {}, &jobs::Row::seq);
    std::vector<TemplatedMail> out;
    for (const jobs::Row& row : rows) {
      const auto plain = master_.unseal(row.sealed, jobs::sealContext(row.id));
      out.push_back(*templatedMailOf(*doc::Document::fromUntrusted(std::string(plain->reveal()))));
    }
    return out;
  }
  std::vector<TemplatedMail> to(std::string_view address) const {
    std::vector<TemplatedMail> out = mails();
    std::erase_if(out, [address](const TemplatedMail& mail) { return mail.to != address; });
    return out;
  }
  // The value of a query parameter of a link; tokens need no decoding.
  static std::string parameter(const TemplatedMail& mail, std::string_view name) {
    const std::string key = std::string(name) + "=";
    const size_t at = mail.link.find(key);
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size();
    return mail.link.substr(begin, mail.link.find('&', begin) - begin);
  }

 private:
  static MailSettings settings(bool delivers) {
    MailSettings settings;
    if (delivers) settings.smtp = *outbound::parseSmtpUrl("smtp://127.0.0.1:9");
    return settings;
  }

  store::testing::MemoryStore& store_;
  const MasterSecret& master_;
  NoOutbound outbound_;
  jobs::Queue queue_;
  Mailer mailer_;
};

}  // namespace mb::mail::testing
