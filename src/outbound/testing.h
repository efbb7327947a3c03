// A scripted server on a real socket, plain or with TLS, for the tests of this module and of those above.
#pragma once

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mb::outbound::testing {

// A key and a self-signed certificate; `names` such as "DNS:localhost,IP:127.0.0.1".
class Certificate {
 public:
  explicit Certificate(const std::string& names) : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    X509_set_version(certificate_, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate_), 3600);
    X509_set_pubkey(certificate_, key_);
    X509_NAME* name = X509_get_subject_name(certificate_);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate_, name);
    add(NID_basic_constraints, "critical,CA:TRUE");
    add(NID_subject_alt_name, names.c_str());
    X509_sign(certificate_, key_, EVP_sha256());
  }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;
  ~Certificate() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }

  std::string pem() const {
    BIO* out = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(out, certificate_);
    char* data = nullptr;
    const long size = BIO_get_mem_data(out, &data);
    std::string text(data, static_cast<size_t>(size));
    BIO_free(out);
    return text;
  }
  SSL_CTX* context() const {
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(context, certificate_);
    SSL_CTX_use_PrivateKey(context, key_);
    return context;
  }

 private:
  void add(int nid, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    X509_add_ext(certificate_, extension, -1);
    X509_EXTENSION_free(extension);
  }

  EVP_PKEY* key_;
  X509* certificate_;
};

// One connection, in a thread of its own.
class Peer {
 public:
  Peer(int fd, const Certificate* certificate) : fd_(fd), certificate_(certificate) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { endTls(); }

  // False when the handshake fails.
  bool startTls() {
    context_ = certificate_->context();
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, fd_);
    buffer_.clear();
    return SSL_accept(ssl_) == 1;
  }
  bool encrypted() const { return ssl_ != nullptr; }

  // Up to CRLF, without it; `open` false at the end of the stream.
  std::string readLine(bool& open) {
    while (true) {
      if (const size_t end = buffer_.find("\r\n"); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 2);
        open = true;
        return line;
      }
      if (!fill()) {
        open = false;
        return {};
      }
    }
  }
  std::string read(size_t bytes) {
    while (buffer_.size() < bytes && fill()) {
    }
    std::string out = buffer_.substr(0, bytes);
    buffer_.erase(0, bytes);
    return out;
  }
  void write(std::string_view text) {
    while (!text.empty()) {
      const auto written = ssl_ ? SSL_write(ssl_, text.data(), static_cast<int>(text.size()))
                                : ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (written <= 0) return;
      text.remove_prefix(static_cast<size_t>(written));
    }
  }

 private:
  bool fill() {
    char piece[4096];
    const auto got = ssl_ ? SSL_read(ssl_, piece, sizeof piece) : ::recv(fd_, piece, sizeof piece, 0);
    if (got <= 0) return false;
    buffer_.append(piece, static_cast<size_t>(got));
    return true;
  }
  void endTls() {
    if (!ssl_) return;
    SSL_shutdown(ssl_);
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }

  const int fd_;
  const Certificate* certificate_;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  std::string buffer_;
};

// Runs `session` for each connection, on a thread of its own; the destructor ends all.
class Server {
 public:
  using Session = std::function<void(Peer&)>;

  // `certificate` is for Peer::startTls(); null where no session calls it.
  explicit Server(Session session, const Certificate* certificate = nullptr, const char* address = "127.0.0.1")
      : session_(std::move(session)), certificate_(certificate), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    ::inet_pton(AF_INET, address, &in.sin_addr);
    if (::bind(fd_, reinterpret_cast<sockaddr*>(&in), sizeof in) != 0 || ::listen(fd_, 128) != 0) std::abort();
    socklen_t size = sizeof in;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&in), &size);
    port_ = ntohs(in.sin_port);
    acceptor_ = std::thread([this] { accept(); });
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    ::shutdown(fd_, SHUT_RDWR);
    acceptor_.join();
    ::close(fd_);
    {
      const std::scoped_lock lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int fd : open_) ::close(fd);
  }

  int port() const { return port_; }
  size_t connections() const {
    const std::scoped_lock lock(mutex_);
    return open_.size();
  }

 private:
  void accept() {
    while (true) {
      const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::scoped_lock lock(mutex_);
      open_.push_back(fd);
      threads_.emplace_back([this, fd] {
        // OpenSSL may raise SIGPIPE on this thread. The client must block it on its own threads.
        sigset_t pipe;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
        Peer peer(fd, certificate_);
        session_(peer);
        ::shutdown(fd, SHUT_RDWR);
      });
    }
  }

  const Session session_;
  const Certificate* certificate_;
  const int fd_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<int> open_;  // all accepted so far; closed at the end, so that no descriptor number is reused
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace mb::outbound::testing
