// A mail server that records the mails it receives, for the tests of this module and of mail/.
#pragma once

#include <algorithm>
#include <optional>

#include "base/crypto.h"
#include "outbound/testing.h"

namespace mb::outbound::testing {

struct ReceivedMail {
  std::string from;
  std::vector<std::string> to;
  std::string data;   // without the dot-stuffing of the protocol
  std::string login;  // "user\0password" as AUTH PLAIN sent it, "" without
  bool encrypted = false;
};

class MailCatcher {
 public:
  struct Options {
    bool startTls = false;     // offered
    bool implicitTls = false;  // smtps
    bool auth = false;         // offered
    std::string mailReply = "250 ok";
    std::string rcptReply = "250 ok";
    std::string authReply = "235 welcome";
    std::string endReply = "250 taken";
    bool silentAfterData = false;  // does not reply to the end of the mail
  };

  explicit MailCatcher(Options options, const Certificate* certificate = nullptr)
      : options_(std::move(options)), server_([this](Peer& peer) { serve(peer); }, certificate) {}

  int port() const { return server_.port(); }
  size_t connections() const { return server_.connections(); }
  std::vector<ReceivedMail> received() const {
    const std::scoped_lock lock(mutex_);
    return received_;
  }

 private:
  void serve(Peer& peer) {
    if (options_.implicitTls && !peer.startTls()) return;
    peer.write("220 catcher\r\n");
    ReceivedMail mail;
    bool open = true;
    while (true) {
      const std::string line = peer.readLine(open);
      if (!open) return;
      std::string verb = line.substr(0, line.find(' '));
      std::transform(verb.begin(), verb.end(), verb.begin(), ::toupper);
      if (verb == "EHLO") {
        std::string reply = "250-catcher\r\n";
        if (options_.startTls && !peer.encrypted()) reply += "250-STARTTLS\r\n";
        if (options_.auth) reply += "250-AUTH PLAIN\r\n";
        peer.write(reply + "250 8BITMIME\r\n");
      } else if (verb == "STARTTLS") {
        peer.write("220 go\r\n");
        if (!peer.startTls()) return;
      } else if (verb == "AUTH") {
        std::string given = line.substr(line.rfind(' ') + 1);
        if (given == "PLAIN") {
          peer.write("334 \r\n");
          given = peer.readLine(open);
        }
        const auto login = fromBase64(given);
        if (login) mail.login = login->substr(login->find('\0') + 1);
        peer.write(options_.authReply + "\r\n");
      } else if (verb == "MAIL") {
        mail.from = inBrackets(line);
        peer.write(options_.mailReply + "\r\n");
      } else if (verb == "RCPT") {
        mail.to.push_back(inBrackets(line));
        peer.write(options_.rcptReply + "\r\n");
      } else if (verb == "DATA") {
        peer.write("354 go\r\n");
        for (std::string text = peer.readLine(open); open && text != "."; text = peer.readLine(open)) {
          mail.data += (text.starts_with(".") ? text.substr(1) : text) + "\r\n";
        }
        if (options_.silentAfterData) {
          peer.readLine(open);
          return;
        }
        mail.encrypted = peer.encrypted();
        if (options_.endReply.starts_with("2")) {
          const std::scoped_lock lock(mutex_);
          received_.push_back(mail);
        }
        peer.write(options_.endReply + "\r\n");
        mail = ReceivedMail{};
      } else if (verb == "QUIT") {
        peer.write("221 bye\r\n");
        return;
      } else {
        peer.write("502 what\r\n");
      }
    }
  }
  static std::string inBrackets(const std::string& line) {
    const size_t from = line.find('<') + 1;
    return line.substr(from, line.find('>') - from);
  }

  const Options options_;
  mutable std::mutex mutex_;
  std::vector<ReceivedMail> received_;
  Server server_;
};

}  // namespace mb::outbound::testing
