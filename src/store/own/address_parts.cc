#include "store/own/address_parts.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "base/url_text.h"
#include "base/utf8.h"

namespace mb::store::own {

namespace {

constexpr size_t kMaxDatabaseName = 63;
constexpr size_t kMaxHostName = 253;
constexpr std::string_view kPlain = "mongodb://";
constexpr std::string_view kSrv = "mongodb+srv://";

std::unexpected<Error> notAnAddress() {
  return fail(addressError(kNotAnAddress));
}
std::unexpected<Error> refusedOption(std::string_view name) {
  return fail(addressError(fmt::format("the option \"{}\" is not allowed", name)));
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// nullopt for a malformed escape, for characters that `reserved` names unescaped, and for text that is not UTF-8 or
// holds control characters.
std::optional<std::string> decoded(std::string_view text, std::string_view reserved) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (reserved.contains(text[at])) return std::nullopt;
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = hexDigit(text[at + 1]);
    const int low = hexDigit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    at += 2;
  }
  const bool hasControl =
      std::ranges::any_of(out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (hasControl || !isUtf8(out)) return std::nullopt;
  return out;
}

Result<Host> parseHost(std::string_view text) {
  Host host;
  std::string_view port;
  bool hasPort = false;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return notAnAddress();
    host.name = text.substr(1, end - 1);
    const auto isPart = [](char c) { return hexDigit(c) >= 0 || c == ':' || c == '.'; };
    if (!host.name.contains(':') || !std::ranges::all_of(host.name, isPart)) return notAnAddress();
    const std::string_view rest = text.substr(end + 1);
    hasPort = !rest.empty();
    if (hasPort && rest.front() != ':') return notAnAddress();
    if (hasPort) port = rest.substr(1);
  } else {
    const size_t colon = text.find(':');
    hasPort = colon != std::string_view::npos;
    host.name = lowerAscii(text.substr(0, colon));
    if (hasPort) port = text.substr(colon + 1);
    const auto isPart = [](char c) { return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_'; };
    if (!std::ranges::all_of(host.name, isPart)) return notAnAddress();
  }
  if (host.name.empty() || host.name.size() > kMaxHostName) return notAnAddress();
  if (!hasPort) return host;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), host.port);
  const bool isNumber = error == std::errc() && end == port.data() + port.size() && isDigit(port.front());
  if (!isNumber || host.port < 1 || host.port > 65535) return notAnAddress();
  return host;
}

Result<std::vector<Host>> parseHosts(std::string_view text) {
  std::vector<Host> hosts;
  while (true) {
    const size_t comma = text.find(',');
    TRY(Host host, parseHost(text.substr(0, comma)));
    hosts.push_back(std::move(host));
    if (hosts.size() > kMaxHosts) return notAnAddress();
    if (comma == std::string_view::npos) return hosts;
    text.remove_prefix(comma + 1);
  }
}

Result<std::string> parseDatabase(std::string_view text) {
  const auto name = decoded(text, "?#[]@");
  if (!name) return notAnAddress();
  const std::string lower = lowerAscii(*name);
  if (name->empty() || lower == "admin" || lower == "local" || lower == "config") {
    return fail(addressError(kNamesNoDatabase));
  }
  if (name->size() > kMaxDatabaseName || name->find_first_of("/\\. \"$*<>:|?") != std::string::npos) {
    return notAnAddress();
  }
  return *name;
}

bool isBool(std::string_view value) {
  return value == "true" || value == "false";
}
bool isName(std::string_view value) {
  return !value.empty();
}
bool isMechanism(std::string_view value) {
  return value == "SCRAM-SHA-1" || value == "SCRAM-SHA-256" || value == "PLAIN";
}
// A service name (RFC 6335, 5.1), as far as it matters in the name of a record.
bool isService(std::string_view value) {
  return !value.empty() && value.size() <= 15 &&
         std::ranges::all_of(value, [](char c) { return isLetter(c) || isDigit(c) || c == '-'; });
}
struct Option {
  std::string_view name;  // lower case
  bool (*takes)(std::string_view value);
};
constexpr std::array kOptions = {
    Option{"authsource", isName},
    Option{"authmechanism", isMechanism},
    Option{"replicaset", isName},
    Option{"tls", isBool},
    Option{"ssl", isBool},
    Option{"appname", [](std::string_view) { return true; }},
    Option{"retrywrites", [](std::string_view value) { return value == "true"; }},
    Option{"w", [](std::string_view value) { return value == "majority"; }},
    Option{"readpreference", [](std::string_view value) { return value == "primary"; }},
    Option{"directconnection", isBool},
    Option{"srvservicename", isService},
    Option{"loadbalanced", [](std::string_view value) { return value == "false"; }},
};

// Rules of options that depend on others, and on the rest of the address.
Result<> checkTogether(const AddressParts& parts) {
  const Options& options = parts.options;
  const auto valueOf = [&options](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string_view() : std::string_view(found->second);
  };
  if (options.contains("tls") && options.contains("ssl") && valueOf("tls") != valueOf("ssl")) {
    return refusedOption("ssl");
  }
  if (valueOf("directconnection") == "true" && (parts.isSrv || parts.hosts.size() > 1)) {
    return refusedOption("directConnection");
  }
  if (!parts.isSrv && options.contains("srvservicename")) return refusedOption("srvServiceName");
  if (options.contains("authmechanism") && !parts.user) return refusedOption("authMechanism");
  return {};
}

Result<> parseUser(std::string_view text, AddressParts& parts) {
  constexpr std::string_view kReserved = ":/?#[]@";
  const size_t colon = text.find(':');
  parts.user = decoded(text.substr(0, colon), kReserved);
  if (!parts.user || parts.user->empty()) return notAnAddress();
  if (colon == std::string_view::npos) return {};
  parts.password = decoded(text.substr(colon + 1), kReserved);
  if (!parts.password) return notAnAddress();
  return {};
}

}  // namespace

Error addressError(std::string_view text) {
  return Error(ErrorCode::validation, std::string(text)).withDetail("/mongoUrl", std::string(text));
}

Result<Options> parseOptions(std::string_view text) {
  Options options;
  while (!text.empty()) {
    const size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const size_t equals = pair.find('=');
    // A piece without the form of an option may belong to a password, and is not repeated.
    if (equals == std::string_view::npos || pair.contains('@')) return notAnAddress();
    const std::string_view name = pair.substr(0, equals);
    if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, isLetter)) return notAnAddress();
    const auto known = std::ranges::find(kOptions, lowerAscii(name), &Option::name);
    const auto value = decoded(pair.substr(equals + 1), "?#[]@");
    if (known == kOptions.end() || !value || !known->takes(*value)) return refusedOption(name);
    if (!options.emplace(known->name, *value).second) return refusedOption(name);
  }
  return options;
}

Result<AddressParts> splitAddress(std::string_view text) {
  AddressParts parts;
  parts.isSrv = text.starts_with(kSrv);
  if (text.size() > kMaxAddress || (!parts.isSrv && !text.starts_with(kPlain))) return notAnAddress();
  const bool isPrintable = std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!isPrintable) return notAnAddress();
  std::string_view rest = text.substr(parts.isSrv ? kSrv.size() : kPlain.size());
  const size_t end = rest.find_first_of("/?");
  std::string_view authority = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  const size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    RETURN_IF_ERROR(parseUser(authority.substr(0, at), parts));
    authority.remove_prefix(at + 1);
  }
  TRY(parts.hosts, parseHosts(authority));
  const size_t question = rest.find('?');
  const std::string_view path = rest.substr(0, question);
  const std::string_view query = question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
  TRY(parts.options, parseOptions(query));
  TRY(parts.database, parseDatabase(path.empty() ? path : path.substr(1)));
  if (parts.isSrv) {
    const std::string& name = parts.hosts.front().name;
    const bool hasDomain = std::ranges::count(name, '.') >= 2 && !name.contains("..") && !name.starts_with('.');
    if (parts.hosts.size() != 1 || authority.contains(':') || !hasDomain) return notAnAddress();
  }
  RETURN_IF_ERROR(checkTogether(parts));
  return parts;
}

std::string uriOf(const AddressParts& parts, bool hasTls) {
  std::string uri(kPlain);
  if (parts.user) {
    uri += percentEncoded(*parts.user);
    if (parts.password) uri += ':' + percentEncoded(*parts.password);
    uri += '@';
  }
  std::string_view separator;
  for (const Host& host : parts.hosts) {
    uri += std::exchange(separator, ",");
    uri += host.name.contains(':') ? fmt::format("[{}]:{}", host.name, host.port)
                                   : fmt::format("{}:{}", host.name, host.port);
  }
  uri += '/' + percentEncoded(parts.database);
  for (const auto& [name, label] :
       {std::pair("authsource", "authSource"), std::pair("authmechanism", "authMechanism"),
        std::pair("replicaset", "replicaSet"), std::pair("directconnection", "directConnection")}) {
    const auto found = parts.options.find(name);
    if (found != parts.options.end()) addQuery(uri, label, found->second);
  }
  addQuery(uri, "tls", hasTls ? "true" : "false");
  addQuery(uri, "retryWrites", "true");
  addQuery(uri, "serverSelectionTryOnce", "false");
  addQuery(uri, "serverSelectionTimeoutMS", "2000");
  addQuery(uri, "connectTimeoutMS", "3000");
  addQuery(uri, "socketTimeoutMS", "10000");
  return uri;
}

}  // namespace mb::store::own
