#include "store/own/srv.h"

#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace mb::store::own {

namespace {

constexpr size_t kMaxResponse = 64 << 10;
constexpr int kSecondsOfTry = 1;  // grows with each try
constexpr int kTries = 2;
constexpr int kMaxServers = 2;

std::unexpected<Error> notReached() {
  return fail(addressError(kNotReached));
}

// The resolver's state, of this call alone.
class Resolver {
 public:
  Resolver() : usable_(res_ninit(&state_) == 0) {
    state_.retrans = kSecondsOfTry;
    state_.retry = kTries;
    state_.nscount = std::min(state_.nscount, kMaxServers);
    state_.options &= ~static_cast<decltype(state_.options)>(RES_DNSRCH | RES_DEFNAMES);
  }
  ~Resolver() { res_nclose(&state_); }
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // The response; empty for a failure.
  std::vector<unsigned char> query(const std::string& name, int type) {
    if (!usable_) return {};
    std::vector<unsigned char> response(kMaxResponse);
    const int size = res_nquery(&state_, name.c_str(), ns_c_in, type, response.data(), static_cast<int>(kMaxResponse));
    response.resize(size < 0 ? 0 : std::min(static_cast<size_t>(size), kMaxResponse));
    return response;
  }

 private:
  struct __res_state state_ = {};
  bool usable_;
};

// The strings of a TXT record, joined.
std::optional<std::string> textOf(std::span<const unsigned char> data) {
  std::string text;
  while (!data.empty()) {
    const size_t size = data.front();
    if (size + 1 > data.size()) return std::nullopt;
    text.append(reinterpret_cast<const char*>(data.data()) + 1, size);
    data = data.subspan(size + 1);
  }
  return text;
}

}  // namespace

Result<Seeds> parseRecords(std::span<const unsigned char> response) {
  ns_msg message;
  if (ns_initparse(response.data(), static_cast<int>(response.size()), &message) != 0) return notReached();
  Seeds seeds;
  for (int i = 0; i < ns_msg_count(message, ns_s_an); ++i) {
    ns_rr record;
    if (ns_parserr(&message, ns_s_an, i, &record) != 0) return notReached();
    const std::span<const unsigned char> data(ns_rr_rdata(record), ns_rr_rdlen(record));
    if (ns_rr_type(record) == ns_t_txt) {
      auto text = textOf(data);
      if (!text) return notReached();
      seeds.texts.push_back(*std::move(text));
    }
    if (ns_rr_type(record) != ns_t_srv) continue;
    constexpr size_t kPort = 4;    // behind priority and weight
    constexpr size_t kTarget = 6;  // behind the port
    std::array<char, NS_MAXDNAME> name{};
    if (data.size() <= kTarget) return notReached();
    const int used = dn_expand(response.data(), response.data() + response.size(), data.data() + kTarget, name.data(),
                               static_cast<int>(name.size()));
    if (used < 0) return notReached();
    seeds.hosts.push_back({lowerAscii(name.data()), data[kPort] << 8 | data[kPort + 1]});
  }
  return seeds;
}

Result<Seeds> lookUpSeeds(const std::string& name, const std::string& service) {
  Resolver resolver;
  const auto records = resolver.query(fmt::format("_{}._tcp.{}", service, name), ns_t_srv);
  if (records.empty()) return notReached();
  TRY(Seeds seeds, parseRecords(records));
  const auto texts = resolver.query(name, ns_t_txt);
  if (texts.empty()) return seeds;  // there need be none
  TRY(Seeds further, parseRecords(texts));
  seeds.texts = std::move(further.texts);
  return seeds;
}

Result<AddressParts> withSeeds(AddressParts parts, const Seeds& seeds) {
  const std::string name = parts.hosts.front().name;
  const std::string domain = name.substr(name.find('.'));
  const bool areInside = std::ranges::all_of(seeds.hosts, [&](const Host& host) {
    return host.name.size() > domain.size() && host.name.ends_with(domain) && host.port > 0;
  });
  if (seeds.hosts.empty() || seeds.hosts.size() > kMaxHosts || !areInside || seeds.texts.size() > 1) {
    return notReached();
  }
  parts.hosts = seeds.hosts;
  if (seeds.texts.empty()) return parts;
  auto options = parseOptions(seeds.texts.front());
  if (!options) return notReached();
  for (auto& [option, value] : *options) {
    if (option != "authsource" && option != "replicaset" && option != "loadbalanced") return notReached();
    parts.options.emplace(option, std::move(value));
  }
  return parts;
}

}  // namespace mb::store::own
