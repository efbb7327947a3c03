// The DNS records of mongodb+srv:// (MongoDB's "Initial DNS Seedlist Discovery").
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/own/address_parts.h"

namespace mb::store::own {

// What the records of a name say.
struct Seeds {
  std::vector<Host> hosts;
  std::vector<std::string> texts;  // of TXT records
};

// Looks the records up; blocks for some seconds at most. Fails with kNotReached.
Result<Seeds> lookUpSeeds(const std::string& name, const std::string& service);

// The records that a response of a name server holds for its query (RFC 1035, 4.1): hosts of SRV records (RFC 2782), or
// texts of TXT records. Fails with kNotReached for a response that is malformed.
Result<Seeds> parseRecords(std::span<const unsigned char> response);

// Puts the hosts into the address in place of its name, and the options of TXT records where the address has none of
// their own. Fails with kNotReached for hosts outside the name's domain, more than kMaxHosts of them, or an option that
// a TXT record must not have.
Result<AddressParts> withSeeds(AddressParts parts, const Seeds& seeds);

}  // namespace mb::store::own
