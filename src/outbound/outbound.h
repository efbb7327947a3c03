// Outbound is the interface of all outbound HTTP and SMTP calls of the server. client.h implements it; tests replace
// it.
//
// Failures of both calls (all 502 UPSTREAM_FAILED on the wire; the cause is for the log):
//   upstreamFailed    "request failed"     no connection, TLS not trusted, a malformed or too long response
//   upstreamTimeout   "request timed out"  the whole timeout passed, waiting in the queue included
//   upstreamRefused   "request failed"     never sent: the URL, or every address of the host, is not allowed
//   upstreamRejected  "request failed"     mail only: the server rejected the message permanently (5xx)
//   unavailable                            the queue is full, or the server is stopping
//   validation                             an error of the caller: a method, header or address that cannot be sent
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
  guarded,     // set by a project: public addresses only, and what SERVICE_OUTBOUND_ALLOW lists
  publicOnly,  // public addresses only, without that list: for calls that need an option to reach more
  deployment,  // the operator's own settings: any address
};

// The fairness keys of a call: the project ("" is the deployment itself), and the target within it ("webhook/<name>",
// "integration/<name>", …; "" for none). Of HTTP, at most 512 calls run, 64 of one project, 4 of one target; 1,024
// wait, 256 of one project. Of mail, two of the deployment and two of projects (one of each) run, 256 of each wait, 32
// of one project. Projects are served round robin; calls of one project start in order where their target has a slot.
using CallKeys = LineKeys;

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method = "GET";  // GET HEAD POST PUT PATCH DELETE
  // Absolute, http or https, without user info, at most 8 KiB; a fragment is not sent.
  std::string url;
  // Without Host, Content-Length, Connection, Transfer-Encoding and the like, which the client sets. No content-type is
  // added. User-Agent is "manybase" where none is given.
  std::vector<Header> headers;
  std::string body;
  Trust trust = Trust::guarded;
  // In total: waiting, name resolution, redirects, the response. 1 ms to 10 min.
  std::chrono::milliseconds timeout{10'000};
  std::chrono::milliseconds connectTimeout{5'000};
  size_t maxResponseBytes = 1 << 20;
  // The caller needs only the status: a body is read up to maxResponseBytes, and a longer one is not an error.
  bool statusOnly = false;
  // How many redirects are followed, at most 10; with 0 a 3xx is the response. Each hop is checked again; never from
  // https to http; to another origin only Accept, Accept-Language, Content-Type and User-Agent are sent, and never a
  // body.
  int maxRedirects = 0;
  CallKeys keys;
  // A stop request ends the call at once, as one that timed out; it is not started after that.
  std::stop_token aborted = {};
};

struct Response {
  int status = 0;
  std::vector<Header> headers;  // names in lower case
  std::string body;             // as sent: compression is neither requested nor decoded
  std::string url;              // of the last hop

  // The first header of that (lower-case) name; "" if absent.
  std::string_view header(std::string_view name) const;
};

// A mail server: from a URL such as "smtp://user:password@host:587", or an integration's config.
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
  // As Request::aborted; a mail whose delivery has started may still arrive, for a second.
  std::stop_token aborted = {};
};

class Outbound {
 public:
  virtual ~Outbound() = default;
  // Any status is a response, 500 too. Any core; resumes there.
  virtual Task<Response> send(Request request) = 0;
  // Succeeds when the server has accepted the mail for all recipients.
  virtual Task<> mail(MailMessage message) = 0;
};

// Validates a URL of a setting (http or https, a host, no user info, no control characters, blanks or backslashes) and
// returns its origin ("https://example.com:8443", lower case, without the default port). Names are not resolved here:
// the address is checked on connect. Fails with validation.
Result<std::string> originOf(std::string_view url);

// Whether a header of a setting is valid. A name is a token (RFC 9110, 5.6.2), a value printable ASCII with blanks
// inside only.
bool isHeaderName(std::string_view name);
bool isHeaderValue(std::string_view value);
// Whether the client sets the header, or it belongs to a single connection: Host, Content-Length and the like.
// Case-insensitive.
bool isClientHeader(std::string_view name);

}  // namespace mb::outbound
