#include "store/own/address.h"

#include <mongoc/mongoc.h>
#include <netdb.h>

#include <algorithm>
#include <memory>

#include "store/mongo/connection.h"
#include "store/own/address_parts.h"
#include "store/own/srv.h"

namespace mb::store::own {

namespace {

struct UriDeleter {
  void operator()(mongoc_uri_t* uri) const { mongoc_uri_destroy(uri); }
};
struct AddressesDeleter {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, AddressesDeleter>;

// Null for a name without addresses.
Addresses addressesOf(const std::string& host, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return nullptr;
  return Addresses(found);
}

template <class Rule>
bool all(const Addresses& addresses, Rule rule) {
  if (!addresses) return false;
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
    if (!rule(each->ai_addr, each->ai_addrlen)) return false;
  }
  return true;
}

// Addresses in any notation that the system reads, such as 127.1 and 0x7f000001.
Result<> checkNumbers(const std::vector<Host>& hosts, const HostGuard& guard) {
  for (const Host& host : hosts) {
    const Addresses numbers = addressesOf(host.name, AI_NUMERICHOST);
    const auto permits = [&guard](const sockaddr* address, socklen_t size) { return guard.permits(address, size); };
    if (numbers && !all(numbers, permits)) return fail(addressError(kForbiddenAddress));
  }
  return {};
}

bool areListed(const std::vector<Host>& hosts, const HostGuard& guard) {
  return std::ranges::all_of(hosts, [&guard](const Host& host) {
    return all(addressesOf(host.name, 0),
               [&guard](const sockaddr* address, socklen_t size) { return guard.isListed(address, size); });
  });
}

bool hasTls(const AddressParts& parts) {
  for (const char* name : {"tls", "ssl"}) {
    const auto found = parts.options.find(name);
    if (found != parts.options.end()) return found->second == "true";
  }
  return parts.isSrv;
}

}  // namespace

Result<Address> parseAddress(std::string_view text, const HostGuard& guard) {
  TRY(AddressParts parts, splitAddress(text));
  const bool isTls = hasTls(parts);
  const auto mechanism = parts.options.find("authmechanism");
  if (!isTls && mechanism != parts.options.end() && mechanism->second == "PLAIN") {
    return fail(addressError("the option \"authMechanism\" is not allowed"));
  }
  if (parts.isSrv) {
    const auto service = parts.options.find("srvservicename");
    TRY(const Seeds seeds,
        lookUpSeeds(parts.hosts.front().name, service == parts.options.end() ? "mongodb" : service->second));
    TRY(parts, withSeeds(std::move(parts), seeds));
  } else {
    RETURN_IF_ERROR(checkNumbers(parts.hosts, guard));
  }
  if (!isTls && !areListed(parts.hosts, guard)) return fail(addressError(kNeedsTls));
  Address address{uriOf(parts, isTls), parts.database, parts.hosts, isTls};
  // The driver's parser has the last word, such as about a mechanism without a password.
  mongo::initializeDriver();
  const std::unique_ptr<mongoc_uri_t, UriDeleter> uri(mongoc_uri_new_with_error(address.uri.c_str(), nullptr));
  if (!uri) return fail(addressError(kNotAnAddress));
  return address;
}

}  // namespace mb::store::own
