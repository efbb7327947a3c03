#include "mail/message.h"

#include "base/crypto.h"
#include "base/text.h"

namespace mb::mail {

namespace {

// Quoted-printable never contains "=_", so no text can contain the boundary.
constexpr std::string_view kBoundary = "=_manybase";
constexpr size_t kLine = 76;

bool isControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

bool hasControl(std::string_view text) {
  return std::ranges::any_of(text, isControl);
}

bool isPlainAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

// The longest prefix of at most `bytes` that ends between code points.
std::string_view cutUtf8(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

std::string mailbox(const Address& address, size_t used) {
  if (address.name.empty()) return address.email;
  std::string name;
  if (isPlainAscii(address.name)) {
    name = "\"";
    for (const char c : address.name) {
      if (c == '"' || c == '\\') name += '\\';
      name += c;
    }
    name += '"';
  } else {
    name = encodedText(address.name, used);
  }
  return name + "\r\n <" + address.email + ">";
}

std::string dateText(Timestamp date) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = date.ms / 1000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{}, {} {} {:04} {:02}:{:02}:{:02} +0000", kDays[static_cast<size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string part(std::string_view type, std::string_view content) {
  return fmt::format("Content-Type: {}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{}", type,
                     quotedPrintable(content));
}

std::string bodyOf(const Message& message) {
  if (message.html.empty()) return part("text/plain", message.text);
  if (message.text.empty()) return part("text/html", message.html);
  return fmt::format(
      "Content-Type: multipart/alternative; boundary=\"{0}\"\r\n\r\n--{0}\r\n{1}\r\n--{0}\r\n{2}\r\n--{0}--\r\n",
      kBoundary, part("text/plain", message.text), part("text/html", message.html));
}

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::validation, std::move(message));
}

Result<> checkAddress(const Address& address) {
  if (!isAddress(address.email)) return invalid("is not a valid email address");
  if (hasControl(address.name)) return invalid("a name in a mail contains control characters: remove them");
  return {};
}

}  // namespace

bool isAddress(std::string_view email) {
  constexpr std::string_view kNever = "<>()[]\\,;:\"";
  const size_t at = email.find('@');
  if (email.size() > 254 || at == 0 || at == std::string_view::npos || at + 1 == email.size()) return false;
  if (email.find('@', at + 1) != std::string_view::npos) return false;
  return std::ranges::none_of(
      email, [&](char c) { return isControl(c) || c == ' ' || kNever.find(c) != std::string_view::npos; });
}

Result<Address> parseAddress(std::string_view text) {
  Address out;
  const size_t bracket = text.find('<');
  if (bracket == std::string_view::npos) {
    out.email = trimmed(text, " ");
  } else {
    const std::string_view rest = trimmed(text.substr(bracket + 1), " ");
    if (!rest.ends_with('>')) return invalid("must be an address such as Example <no-reply@example.com>");
    out.email = rest.substr(0, rest.size() - 1);
    std::string_view name = trimmed(text.substr(0, bracket), " ");
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    out.name = name;
  }
  if (!checkAddress(out)) return invalid("must be an address such as Example <no-reply@example.com>");
  return out;
}

std::string encodedText(std::string_view text, size_t firstLineUsed) {
  if (isPlainAscii(text) && text.find("=?") == std::string_view::npos) return std::string(text);
  constexpr std::string_view kBegin = "=?UTF-8?B?", kEnd = "?=";
  std::string out;
  size_t used = firstLineUsed;
  while (!text.empty()) {
    const size_t left = kLine > used + kBegin.size() + kEnd.size() ? kLine - used - kBegin.size() - kEnd.size() : 0;
    const std::string_view piece = cutUtf8(text, std::min<size_t>(left, 60) / 4 * 3);
    if (!piece.empty()) {
      out.append(kBegin).append(toBase64(piece)).append(kEnd);
      text.remove_prefix(piece.size());
    }
    if (!text.empty()) out += "\r\n ";
    used = 1;
  }
  return out;
}

std::string quotedPrintable(std::string_view text) {
  std::string out, line;
  out.reserve(text.size() + text.size() / 8);
  const auto add = [&](std::string_view piece) {
    if (line.size() + piece.size() > kLine - 1) {
      out.append(line).append("=\r\n");
      line.clear();
    }
    line += piece;
  };
  const auto escape = [](char c) { return fmt::format("={:02X}", static_cast<unsigned char>(c)); };
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\r' && at + 1 < text.size() && text[at + 1] == '\n') continue;
    if (c == '\n') {
      out.append(line).append("\r\n");
      line.clear();
      continue;
    }
    const size_t next = at + 1;
    const bool endsLine = next == text.size() || text[next] == '\n' || text[next] == '\r';
    const bool plain = (c > 0x20 && c < 0x7F && c != '=') || ((c == ' ' || c == '\t') && !endsLine);
    add(plain ? std::string(1, c) : escape(c));
  }
  if (!line.empty()) out.append(line).append("\r\n");
  return out;
}

std::string messageIdOf(const Message& message) {
  return fmt::format("<{}@{}>", message.id, message.from.email.substr(message.from.email.find('@') + 1));
}

Result<std::string> compose(const Message& message) {
  RETURN_IF_ERROR(checkAddress(message.from));
  RETURN_IF_ERROR(checkAddress(message.to));
  for (const Address& address : message.alsoTo) RETURN_IF_ERROR(checkAddress(address));
  if (message.replyTo) RETURN_IF_ERROR(checkAddress(*message.replyTo));
  if (hasControl(message.subject)) return invalid("the subject of a mail contains control characters: remove them");
  if (message.text.empty() && message.html.empty()) return invalid("a mail needs a text or HTML body");
  if (!std::ranges::all_of(message.id,
                           [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; })) {
    return invalid("the id of a mail must consist of letters, digits and \"_\"");
  }
  std::string out;
  out += "From: " + mailbox(message.from, 6) + "\r\n";
  out += "To: " + mailbox(message.to, 4);
  for (const Address& address : message.alsoTo) out += ",\r\n " + mailbox(address, 1);
  out += "\r\n";
  if (message.replyTo) out += "Reply-To: " + mailbox(*message.replyTo, 10) + "\r\n";
  out += "Subject: " + encodedText(message.subject, 9) + "\r\n";
  out += "Date: " + dateText(message.date) + "\r\n";
  out += "Message-ID: " + messageIdOf(message) + "\r\n";
  if (message.automatic) out += "Auto-Submitted: auto-generated\r\n";
  out += "MIME-Version: 1.0\r\n";
  return out + bodyOf(message);
}

}  // namespace mb::mail
