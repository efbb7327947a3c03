// A mailer whose letters stay where they were put, for the tests of modules that send mail.
#pragma once

#include <algorithm>
#include <vector>

#include "jobs/row.h"
#include "mail/letter.h"
#include "mail/mail.h"
#include "store/testing/memory_store.h"

namespace mb::mail::testing {

class NoOutbound final : public outbound::Outbound {
 public:
  Task<outbound::Response> send(outbound::Request) override {
    co_return fail(ErrorCode::upstreamFailed, "request failed");
  }
  Task<> mail(outbound::MailMessage) override { co_return fail(ErrorCode::upstreamFailed, "request failed"); }
};

// Its queue never runs. `delivers`: as if a mail server were set.
class LetterBox {
 public:
  LetterBox(store::testing::MemoryStore& store, Cores& cores, IdGenerator& ids, const Clock& clock,
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
  std::vector<Letter> letters() const {
    std::vector<jobs::Row> rows;
    for (const auto& stored : store_.all({store::kControlProject, jobs::kJobs, 0})) {
      jobs::Row row = *jobs::Row::fromDocument(stored.view());
      if (!row.sealed.empty()) rows.push_back(std::move(row));
    }
    std::ranges::sort(rows, {}, &jobs::Row::seq);
    std::vector<Letter> out;
    for (const jobs::Row& row : rows) {
      const auto plain = master_.unseal(row.sealed, jobs::sealContext(row.id));
      out.push_back(*letterOf(*doc::Document::fromUntrusted(std::string(plain->reveal()))));
    }
    return out;
  }
  std::vector<Letter> to(std::string_view address) const {
    std::vector<Letter> out = letters();
    std::erase_if(out, [address](const Letter& letter) { return letter.to != address; });
    return out;
  }
  // The value of a query parameter of a link; tokens need no decoding.
  static std::string parameter(const Letter& letter, std::string_view name) {
    const std::string key = std::string(name) + "=";
    const size_t at = letter.link.find(key);
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size();
    return letter.link.substr(begin, letter.link.find('&', begin) - begin);
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
