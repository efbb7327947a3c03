#include "mail/mail.h"

#include "base/log.h"
#include "base/worker_pool.h"
#include "mail/message.h"
#include "mail/outbox.h"
#include "mail/templated_mail.h"
#include "mail/templates.h"

namespace mb::mail {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kJobKind = "mail";
constexpr size_t kOutboxMails = 200;

// The sender when SERVICE_MAIL_FROM is not set: no-reply at the host of the base URL, which clients know.
std::string defaultSender(std::string_view baseUrl) {
  std::string_view host = baseUrl.substr(std::min(baseUrl.size(), baseUrl.find("://") + 3));
  host = host.substr(0, host.find('/'));
  const bool isNumber = host.starts_with('[') || std::ranges::none_of(host.substr(0, host.find(':')), [](char c) {
                          return std::isalpha(static_cast<unsigned char>(c));
                        });
  return "no-reply@" + (isNumber ? "localhost" : std::string(host.substr(0, host.find(':'))));
}

// "20260131T093000000"; sorts by time.
std::string timeName(Timestamp at) {
  std::string name = toRfc3339(at);
  std::erase_if(name, [](char c) { return c == '-' || c == ':' || c == '.' || c == 'Z'; });
  return name;
}

}  // namespace

MailSettings::MailSettings(Settings& settings) {
  if (const auto url = settings.secret(
          "SERVICE_SMTP_URL",
          "mail server, such as smtp://user:password@mail.example.com:587; without it mails stay in the outbox")) {
    auto server = outbound::parseSmtpUrl(url->reveal());
    if (server) {
      smtp = *std::move(server);
    } else {
      settings.refuse("SERVICE_SMTP_URL", server.error().message());
    }
  }
  if (const auto sender = settings.optionalText("SERVICE_MAIL_FROM",
                                                "sender of mails, such as Example <no-reply@example.com>; else "
                                                "no-reply at the host of SERVICE_BASE_URL")) {
    auto address = parseAddress(*sender);
    if (address) {
      from = *std::move(address);
    } else {
      settings.refuse("SERVICE_MAIL_FROM", address.error().message());
    }
  }
}

struct Mailer::Impl {
  Impl(MailerDeps d, const MailSettings& settings)
      : deps(std::move(d)),
        smtp(settings.smtp),
        from(settings.from.value_or(Address{"", defaultSender(deps.baseUrl)})),
        outbox(deps.outbox, kOutboxMails) {}

  Task<> deliver(jobs::JobRun run);
  Task<> send(std::string to, std::string data);
  Task<> keep(TemplatedMail mail, std::string name, std::string data);

  const MailerDeps deps;
  const std::optional<outbound::SmtpServer> smtp;
  const Address from;
  Outbox outbox;
  WorkerPool pool{"outbox", 1, 64};
};

Task<> Mailer::Impl::deliver(jobs::JobRun run) {
  CO_TRY(const TemplatedMail mail, templatedMailOf(run.payload));
  const Timestamp now = deps.clock.now();
  if (mail.validUntil && *mail.validUntil <= now) {
    logInfo("mail dropped: its link expired before delivery", {{"mail", nameOf(mail.kind)}, {"job", run.id}});
    co_return Result<>();
  }
  MailText content = mailTextOf(mail, now);
  Message message;
  message.from = from;
  if (message.from.name.empty()) message.from.name = mail.brand.name;
  message.to.email = mail.to;
  message.subject = std::move(content.subject);
  message.text = std::move(content.text);
  message.html = std::move(content.html);
  message.date = run.createdAt;
  message.id = run.id;
  CO_TRY(std::string data, compose(message));
  if (smtp) co_return co_await send(mail.to, std::move(data));
  co_return co_await keep(mail, timeName(run.createdAt) + "-" + run.id, std::move(data));
}

Task<> Mailer::Impl::send(std::string to, std::string data) {
  outbound::MailMessage message;
  message.server = *smtp;
  message.trust = outbound::Trust::deployment;
  message.from = from.email;
  message.to = {std::move(to)};
  message.data = std::move(data);
  co_return co_await deps.outbound.mail(std::move(message));
}

Task<> Mailer::Impl::keep(TemplatedMail mail, std::string name, std::string data) {
  CO_TRY(const std::filesystem::path path,
         co_await pool.run([this, name, data = std::move(data)] { return outbox.keep(name, data); }));
  if (deps.logLinks || logEnabled(LogLevel::debug)) {
    logInfo("mail written to the outbox",
            {{"mail", nameOf(mail.kind)}, {"to", mail.to}, {"link", mail.link}, {"file", path.filename().string()}});
  } else {
    logInfo("mail written to the outbox", {{"mail", nameOf(mail.kind)}, {"file", path.filename().string()}});
  }
  co_return Result<>();
}

Mailer::Mailer(MailerDeps deps, const MailSettings& settings)
    : impl_(std::make_unique<Impl>(std::move(deps), settings)) {
  jobs::Kind kind;
  kind.name = kJobKind;
  kind.handler = [impl = impl_.get()](jobs::JobRun run) { return impl->deliver(std::move(run)); };
  kind.backoff = {10s, 1min, 5min, 15min, 1h, 3h};
  kind.timeout = 60s;
  kind.concurrency = 4;
  kind.perProject = 2;
  // A permanent rejection, such as an unknown address, does not change within the retries.
  kind.isFinal = [](const Error& error) {
    return error.code() == ErrorCode::upstreamRejected || error.code() == ErrorCode::validation;
  };
  impl_->deps.queue.declare(std::move(kind));
}

Mailer::~Mailer() {
  stop();
}

bool Mailer::delivers() const {
  return impl_->smtp.has_value();
}

Result<store::Insert> Mailer::insertOf(const TemplatedMail& mail, store::ProjectNo project) {
  RETURN_IF_ERROR(checkTemplatedMail(mail));
  jobs::JobSpec spec;
  spec.kind = kJobKind;
  spec.project = project;
  spec.payload = toDocument(mail);
  spec.sealed = true;
  return impl_->deps.queue.insertOf(std::move(spec));
}

void Mailer::wake(std::string jobId) {
  impl_->deps.queue.wake({std::move(jobId)});
}

void Mailer::stop() {
  impl_->pool.stop();
}

}  // namespace mb::mail
