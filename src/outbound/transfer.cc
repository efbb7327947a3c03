#include "outbound/transfer.h"

#include <unistd.h>

#include "base/text.h"

namespace mb::outbound {

namespace {

constexpr size_t kMaxResponseHeaderBytes = 64 << 10;
constexpr long kIdleConnectionSeconds = 30;

}  // namespace

void Transfer::append(List& list, const std::string& line) {
  curl_slist* const before = list.release();
  curl_slist* const longer = curl_slist_append(before, line.c_str());
  list.reset(longer ? longer : before);
}

Transfer::Transfer(TransferContext& context, Trust trust, CallKeys keys, Time deadline,
                   std::chrono::milliseconds connectTimeout, std::stop_token aborted)
    : context_(context),
      trust_(trust),
      keys_(std::move(keys)),
      deadline_(deadline),
      connectTimeout_(connectTimeout),
      aborted_(std::move(aborted)),
      easy_(curl_easy_init()) {
  if (!easy_) throw std::bad_alloc();
  set(CURLOPT_NOSIGNAL, 1L);
  // A timeout must not wait for the resolver's thread: that would delay all other calls.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_ERRORBUFFER, problem_);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_NOPROXY, "*");
  set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::openSocket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_WRITEFUNCTION, &Transfer::takeBody);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!context_.caFile.empty()) set(CURLOPT_CAINFO, context_.caFile.c_str());
  if (!context_.extraCa.empty()) {
    curl_blob blob{context_.extraCa.data(), context_.extraCa.size(), CURL_BLOB_NOCOPY};
    set(CURLOPT_CAINFO_BLOB, &blob);
  }
}

std::unique_ptr<Transfer> Transfer::http(TransferContext& context, Request& request, const Target& target,
                                         Time deadline) {
  std::unique_ptr<Transfer> out(
      new Transfer(context, request.trust, request.keys, deadline, request.connectTimeout, request.aborted));
  out->maxReceived_ = request.maxResponseBytes;
  out->sent_ = request.maxRedirects > 0 ? request.body : std::move(request.body);
  out->set(CURLOPT_PROTOCOLS_STR, "http,https");
  out->set(CURLOPT_URL, target.url.c_str());
  out->set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  out->set(CURLOPT_FOLLOWLOCATION, 0L);
  out->set(CURLOPT_HEADERFUNCTION, &Transfer::takeHeader);
  out->set(CURLOPT_HEADERDATA, out.get());
  out->statusOnly_ = request.statusOnly;
  if (!request.statusOnly) {
    out->set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(std::max<size_t>(request.maxResponseBytes, 1)));
  }
  out->set(CURLOPT_MAXAGE_CONN, kIdleConnectionSeconds);
  if (request.method == "HEAD") {
    out->set(CURLOPT_NOBODY, 1L);
  } else if (request.method == "GET" && out->sent_.empty()) {
    out->set(CURLOPT_HTTPGET, 1L);
  } else {
    out->set(CURLOPT_POSTFIELDS, out->sent_.data());
    out->set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(out->sent_.size()));
    out->set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  bool hasAgent = false, hasType = false;
  for (const Header& header : request.headers) {
    const std::string name = lowerAscii(header.name);
    hasAgent = hasAgent || name == "user-agent";
    hasType = hasType || name == "content-type";
    // libcurl sends a header without a value for "name;"; "name:" would remove one.
    append(out->headers_, header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  }
  if (!hasAgent) out->set(CURLOPT_USERAGENT, "manybase");
  if (!hasType) append(out->headers_, "Content-Type:");
  append(out->headers_, "Expect:");
  out->set(CURLOPT_HTTPHEADER, out->headers_.get());
  return out;
}

std::unique_ptr<Transfer> Transfer::smtp(TransferContext& context, const MailMessage& message, const std::string& url,
                                         Time deadline) {
  std::unique_ptr<Transfer> out(
      new Transfer(context, message.trust, message.keys, deadline, message.connectTimeout, message.aborted));
  const SmtpServer& server = message.server;
  const bool mustEncrypt = server.tls != SmtpServer::Tls::ifOffered || !server.user.empty();
  out->mail_ = true;
  out->sent_ = message.data;
  out->set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  out->set(CURLOPT_URL, url.c_str());
  out->set(CURLOPT_USE_SSL, static_cast<long>(mustEncrypt ? CURLUSESSL_ALL : CURLUSESSL_TRY));
  if (!server.user.empty()) {
    out->set(CURLOPT_USERNAME, server.user.c_str());
    out->set(CURLOPT_PASSWORD, std::string(server.password.reveal()).c_str());
  }
  out->set(CURLOPT_MAIL_FROM, ("<" + message.from + ">").c_str());
  for (const std::string& recipient : message.to) append(out->recipients_, "<" + recipient + ">");
  out->set(CURLOPT_MAIL_RCPT, out->recipients_.get());
  out->set(CURLOPT_UPLOAD, 1L);
  out->set(CURLOPT_READFUNCTION, &Transfer::supplyBody);
  out->set(CURLOPT_READDATA, out.get());
  out->set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(out->sent_.size()));
  // libcurl waits for the reply to QUIT on close: the progress callback ends that wait on deadline, abort and stop.
  out->set(CURLOPT_FORBID_REUSE, 1L);
  out->set(CURLOPT_NOPROGRESS, 0L);
  out->set(CURLOPT_XFERINFOFUNCTION, &Transfer::keepGoing);
  out->set(CURLOPT_XFERINFODATA, out.get());
  return out;
}

bool Transfer::arm() {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
  if (left.count() < 1 || aborted()) return false;
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::clamp<int64_t>(connectTimeout_.count(), 1, left.count())));
  return true;
}

Outcome Transfer::outcome(CURLcode code) {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  received_.status = static_cast<int>(status);
  if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && truncated_)) {
    received_.end = Outcome::End::completed;
    return std::move(received_);
  }
  Outcome out;
  out.status = received_.status;
  out.problem = problem_[0] != '\0' ? problem_ : curl_easy_strerror(code);
  const bool rejected = mail_ && status >= 500 && (code == CURLE_SEND_ERROR || code == CURLE_WEIRD_SERVER_REPLY);
  if (context_.stopping) {
    out.end = Outcome::End::stopped;
  } else if (code == CURLE_OPERATION_TIMEDOUT || code == CURLE_ABORTED_BY_CALLBACK) {
    out.end = Outcome::End::timedOut;
  } else if (code == CURLE_COULDNT_CONNECT && refused_) {
    out.end = Outcome::End::refused;
    out.problem = "the address is not allowed";
  } else if (rejected) {
    out.end = Outcome::End::rejected;
  }
  if (tooLong_ || code == CURLE_FILESIZE_EXCEEDED) out.problem = "the response is too long";
  return out;
}

curl_socket_t Transfer::openSocket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (!transfer.context_.rule.permits(transfer.trust_, &address->addr, address->addrlen)) {
    transfer.refused_ = true;
    ++transfer.context_.refused;
    return CURL_SOCKET_BAD;
  }
  ++transfer.context_.connections;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

size_t Transfer::takeHeader(char* data, size_t size, size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const std::string_view line(data, size * count);
  transfer.headerBytes_ += line.size();
  if (transfer.headerBytes_ > kMaxResponseHeaderBytes) {
    transfer.tooLong_ = true;
    return 0;
  }
  std::vector<Header>& headers = transfer.received_.headers;
  const size_t colon = line.find(':');
  if (line.starts_with("HTTP/")) {  // also the response that follows a 1xx
    headers.clear();
  } else if ((line.starts_with(' ') || line.starts_with('\t')) && !headers.empty()) {
    headers.back().value.append(" ").append(trimmed(line));
  } else if (colon != std::string_view::npos) {
    headers.push_back({lowerAscii(trimmed(line.substr(0, colon))), std::string(trimmed(line.substr(colon + 1)))});
  }
  return line.size();
}

size_t Transfer::takeBody(char* data, size_t size, size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const size_t bytes = size * count;
  if (transfer.received_.body.size() + bytes > transfer.maxReceived_) {
    (transfer.statusOnly_ ? transfer.truncated_ : transfer.tooLong_) = true;
    return 0;
  }
  transfer.received_.body.append(data, bytes);
  return bytes;
}

size_t Transfer::supplyBody(char* data, size_t size, size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const size_t bytes = std::min(size * count, transfer.sent_.size() - transfer.sentBytes_);
  std::memcpy(data, transfer.sent_.data() + transfer.sentBytes_, bytes);
  transfer.sentBytes_ += bytes;
  return bytes;
}

int Transfer::keepGoing(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& transfer = *static_cast<Transfer*>(self);
  const bool ends = transfer.context_.stopping || transfer.aborted();
  return ends || std::chrono::steady_clock::now() >= transfer.deadline_ ? 1 : 0;
}

}  // namespace mb::outbound
