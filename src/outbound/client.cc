#include "outbound/client.h"

#include <unistd.h>

#include "outbound/http_runner.h"
#include "outbound/mail_runner.h"
#include "outbound/message_rules.h"

namespace mb::outbound {

namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

constexpr int kMaxRedirects = 10;
// A running call takes one file descriptor, and memory for its request, its response (as far as the caller limits it)
// and some 40 KiB of libcurl's, twice that with TLS. Per trust at most 576 connections are open, idle ones included.
constexpr QueueLimits kHttp = {
    .running = 512, .runningOfProject = 64, .runningOfTarget = 4, .waiting = 1024, .waitingOfProject = 256};
// The deployment's mails never wait behind those of projects.
constexpr QueueLimits kDeploymentMail = {
    .running = 2, .runningOfProject = 2, .runningOfTarget = 2, .waiting = 256, .waitingOfProject = 256};
constexpr QueueLimits kProjectMail = {
    .running = 2, .runningOfProject = 1, .runningOfTarget = 1, .waiting = 256, .waitingOfProject = 32};

Time deadlineOf(std::chrono::milliseconds timeout) {
  return std::chrono::steady_clock::now() + std::clamp<std::chrono::milliseconds>(timeout, 1ms, 10min);
}

Error errorOf(Outcome outcome) {
  switch (outcome.end) {
    case Outcome::End::completed:
      break;
    case Outcome::End::timedOut:
      return Error(ErrorCode::upstreamTimeout, "request timed out").withCause(std::move(outcome.problem));
    case Outcome::End::refused:
      return Error(ErrorCode::upstreamRefused, "request failed").withCause(std::move(outcome.problem));
    case Outcome::End::rejected:
      return Error(ErrorCode::upstreamRejected, "request failed").withCause(std::move(outcome.problem));
    case Outcome::End::full:
      return Error(ErrorCode::unavailable, "too many outbound calls are waiting: try again");
    case Outcome::End::stopped:
      return Error(ErrorCode::unavailable, "the server is stopping");
    case Outcome::End::failed:
      return Error(ErrorCode::upstreamFailed, "request failed").withCause(std::move(outcome.problem));
  }
  return Error(ErrorCode::upstreamFailed, "request failed");
}

Error refusedUrl(const Error& why) {
  return Error(ErrorCode::upstreamRefused, "request failed").withCause("the URL " + why.message());
}

// Resumes the caller once: the runner and an abort both complete a call, and the first one counts. An aborted caller
// does not wait for the runner to release the transfer.
class CallCompletion {
 public:
  explicit CallCompletion(Resumer<Outcome> resumer) : resumer_(std::move(resumer)) {}
  void complete(Outcome outcome) {
    if (!completed_.test_and_set()) resumer_.resume(std::move(outcome));
  }

 private:
  Resumer<Outcome> resumer_;
  std::atomic_flag completed_;
};

Outcome abortedOutcome() {
  Outcome outcome;
  outcome.end = Outcome::End::timedOut;
  outcome.problem = "aborted";
  return outcome;
}

template <class Runner>
Async<Outcome> run(Runner& runner, std::unique_ptr<Transfer> transfer, std::stop_token aborted) {
  std::optional<std::stop_callback<std::function<void()>>> onAbort;
  co_return co_await suspend<Outcome>(
      [&runner, &onAbort, &aborted, transfer = std::move(transfer)](Resumer<Outcome> resumer) mutable {
        const auto completion = std::make_shared<CallCompletion>(std::move(resumer));
        transfer->finish = [completion](Outcome outcome) { completion->complete(std::move(outcome)); };
        runner.submit(std::move(transfer));
        onAbort.emplace(aborted, [completion] { completion->complete(abortedOutcome()); });
      });
}

bool isRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Turns `request` into that of the next hop and returns its target.
Result<Target> follow(Request& request, const Target& from, int status, std::string_view location) {
  auto to = resolveTarget(from, location);
  if (!to) return fail(refusedUrl(to.error()));
  if (from.scheme == "https" && to->scheme == "http") {
    return fail(Error(ErrorCode::upstreamRefused, "request failed").withCause("a redirect from https to http"));
  }
  const bool becomesGet = status == 303 || (status != 307 && status != 308 && request.method == "POST");
  if (becomesGet && request.method != "HEAD") {
    request.method = "GET";
    request.body.clear();
    std::erase_if(request.headers, [](const Header& header) { return isNamed(header, "content-type"); });
  }
  if (to->origin != from.origin) {
    if (!request.body.empty()) {
      return fail(
          Error(ErrorCode::upstreamRefused, "request failed").withCause("a redirect of a body to another origin"));
    }
    std::erase_if(request.headers, [](const Header& header) { return !mayCrossOrigins(header); });
  }
  return to;
}

}  // namespace

std::string_view Response::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

OutboundSettings::OutboundSettings(Settings& settings) {
  auto networks = Networks::parse(settings.list(
      "SERVICE_OUTBOUND_ALLOW", "networks that calls of projects may reach in addition to public addresses"));
  if (networks) {
    allow = *std::move(networks);
  } else {
    settings.refuse("SERVICE_OUTBOUND_ALLOW", networks.error().message());
  }
  caFile =
      settings.text("SSL_CERT_FILE", "", "PEM file of authorities to trust in outbound calls instead of the system's");
  if (!caFile.empty() && ::access(caFile.c_str(), R_OK) != 0) {
    settings.refuse("SSL_CERT_FILE", "must name a file that can be read");
  }
}

struct Client::Impl {
  explicit Impl(ClientOptions options)
      : context{.rule = AddressRule(std::move(options.allow)),
                .caFile = std::move(options.caFile),
                .extraCa = std::move(options.extraCa)} {}

  TransferContext context;
  HttpRunner http{kHttp};
  MailRunner deploymentMail{kDeploymentMail};
  MailRunner projectMail{kProjectMail};
};

Client::Client(ClientOptions options) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) throw std::runtime_error("libcurl initialisation failed");
  impl_ = std::make_unique<Impl>(std::move(options));
}

Client::~Client() {
  stop();
}

Task<Response> Client::send(Request request) {
  const Time deadline = deadlineOf(request.timeout);
  CO_RETURN_IF_ERROR(checkRequest(request));
  auto parsed = parseTarget(request.url);
  if (!parsed) co_return fail(refusedUrl(parsed.error()));
  Target target = *std::move(parsed);
  const int max = std::min(request.maxRedirects, kMaxRedirects);
  for (int hop = 0;; ++hop) {
    auto transfer = Transfer::http(impl_->context, request, target, deadline);
    Outcome outcome = co_await run(impl_->http, std::move(transfer), request.aborted);
    if (outcome.end != Outcome::End::completed) co_return fail(errorOf(std::move(outcome)));
    Response response{outcome.status, std::move(outcome.headers), std::move(outcome.body), target.url};
    const std::string location(response.header("location"));
    if (max <= 0 || !isRedirect(response.status) || location.empty()) co_return response;
    if (hop == max) co_return fail(Error(ErrorCode::upstreamFailed, "request failed").withCause("too many redirects"));
    CO_TRY(target, follow(request, target, response.status, location));
  }
}

Task<> Client::mail(MailMessage message) {
  const Time deadline = deadlineOf(message.timeout);
  CO_RETURN_IF_ERROR(checkMail(message));
  CO_TRY(const std::string url, smtpUrl(message.server));
  auto transfer = Transfer::smtp(impl_->context, message, url, deadline);
  MailRunner& runner = message.trust == Trust::deployment ? impl_->deploymentMail : impl_->projectMail;
  Outcome outcome = co_await run(runner, std::move(transfer), message.aborted);
  if (outcome.end != Outcome::End::completed) co_return fail(errorOf(std::move(outcome)));
  co_return Result<>();
}

void Client::stop() {
  impl_->context.stopping = true;
  impl_->http.stop();
  impl_->deploymentMail.stop();
  impl_->projectMail.stop();
}

Client::Stats Client::stats() const {
  return {impl_->http.running() + impl_->deploymentMail.running() + impl_->projectMail.running(),
          impl_->http.waiting() + impl_->deploymentMail.waiting() + impl_->projectMail.waiting(),
          impl_->context.connections, impl_->context.refused};
}

}  // namespace mb::outbound
