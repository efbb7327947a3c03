// Calls out of the server: the one way for HTTP and SMTP, whoever asks. An interface, so that tests own what is
// outside; client.h is the real one.
//
// Failures of both calls (all 502 UPSTREAM_FAILED on the wire; the cause is for the log):
//   upstreamFailed    "request failed"     no connection, TLS not trusted, a broken or too long answer
//   upstreamTimeout   "request timed out"  the whole timeout passed, waiting in the queue included
//   upstreamRefused   "request failed"     never sent: the URL, or every address of the host, is not allowed
//   upstreamRejected  "request failed"     mail only: the server turned the message down for good (5xx)
//   unavailable                            the queue is full, or the server is stopping
//   validation                             the caller's own mistake: method, header or address that cannot be sent
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/fair_queue.h"
#include "base/task.h"

namespace mb::outbound {

enum class Trust {
  guarded,     // whatever a project sets: public addresses only, and what SERVICE_OUTBOUND_ALLOW lists
  publicOnly,  // likewise, without what is listed: for whoever has to ask for more
  deployment,  // the operator's own settings: any address
};

// Who waits with whom: the project ("" is the deployment itself), and the target within it ("webhook/<name>",
// "integration/<name>", …; "" for none). Of HTTP, 512 calls are under way at most, 64 of one project, 4 of one target;
// 1,024 wait, 256 of one project. Of mail, two of the deployment and two of projects (one of each) are under way, 256
// of each wait, 32 of one project. Projects take turns; calls of one project start in order where their target is free.
using CallKeys = LineKeys;

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method = "GET";  // GET HEAD POST PUT PATCH DELETE
  // Absolute, http or https, without user info, at most 8 KiB; a fragment is not sent.
  std::string url;
  // Without Host, Content-Length, Connection, Transfer-Encoding and their like, which are the client's. No content-type
  // is added. User-Agent is "manybase" where none is given.
  std::vector<Header> headers;
  std::string body;
  Trust trust = Trust::guarded;
  // All of it: waiting, name resolution, redirects, the answer. 1 ms to 10 min.
  std::chrono::milliseconds timeout{10'000};
  std::chrono::milliseconds connectTimeout{5'000};
  size_t maxResponseBytes = 1 << 20;
  // Who asks for the status alone: what goes past maxResponseBytes is not read, and the answer still is one.
  bool statusOnly = false;
  // How many redirects are followed, at most 10; with 0 the 3xx is the answer. Each hop is judged again; never from
  // https to http; to another origin only Accept, Accept-Language, Content-Type and User-Agent go along, and a body
  // never does.
  int maxRedirects = 0;
  CallKeys keys;
  // Once it is asked to stop the call ends at once, as one that timed out; it is not begun after that.
  std::stop_token aborted = {};
};

struct Response {
  int status = 0;
  std::vector<Header> headers;  // names in lower case
  std::string body;             // as sent: compression is neither asked for nor undone
  std::string url;              // of the last hop

  // The first header of that (lower-case) name; "" when there is none.
  std::string_view header(std::string_view name) const;
};

// What "smtp://user:password@host:587" says, or an integration's config.
struct SmtpServer {
  enum class Tls {
    ifOffered,  // STARTTLS where the server offers it
    required,   // STARTTLS or failure; always so with credentials
    implicit,   // TLS from the first byte (smtps)
  };
  std::string host;
  int port = 587;
  Tls tls = Tls::ifOffered;
  std::string user;  // "": no authentication
  Secret password;
};

// smtp:// (STARTTLS, port 587 where none is given) or smtps:// (port 465), user and password percent-encoded, nothing
// behind the host. Fails with validation; the message never repeats the URL.
Result<SmtpServer> parseSmtpUrl(std::string_view url);

struct MailMessage {
  SmtpServer server;
  Trust trust = Trust::deployment;
  std::string from;             // the bare address of the envelope
  std::vector<std::string> to;  // 1 to 50 bare addresses
  std::string data;             // the whole message: headers and body, lines end in CRLF; at most 10 MiB
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds connectTimeout{10'000};
  CallKeys keys;
  // As of a request; what has begun may still arrive, for a second.
  std::stop_token aborted = {};
};

class Outbound {
 public:
  virtual ~Outbound() = default;
  // Any status is an answer, 500 too. From any core; resumes there.
  virtual Task<Response> send(Request request) = 0;
  // Done when the server took responsibility for all recipients.
  virtual Task<> mail(MailMessage message) = 0;
};

// What a URL of a setting must be before it is kept: http or https, a host, no user info, no control characters, blanks
// or backslashes. The origin ("https://example.com:8443", lower case, without the default port). Names are not resolved
// here: the address is judged when it is connected to. Fails with validation.
Result<std::string> originOf(std::string_view url);

// What a header of a setting may be. A name is a token (RFC 9110, 5.6.2), a value printable ASCII with blanks inside
// only.
bool isHeaderName(std::string_view name);
bool isHeaderValue(std::string_view value);
// Whether the client, or the one connection, sets it: Host, Content-Length and their like. Without regard to case.
bool isClientHeader(std::string_view name);

}  // namespace mb::outbound
