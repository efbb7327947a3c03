#include "store/mongo/uri.h"

#include <mongoc/mongoc.h>

#include <algorithm>
#include <memory>

#include "store/mongo/connection.h"

namespace mb::store {

namespace {

constexpr std::string_view kDefaultDatabase = "manybase";
constexpr size_t kMaxPrefix = 20;

struct UriDeleter {
  void operator()(mongoc_uri_t* uri) const { mongoc_uri_destroy(uri); }
};
using UriPtr = std::unique_ptr<mongoc_uri_t, UriDeleter>;

std::unexpected<Error> refused(std::string message) {
  return fail(ErrorCode::validation, std::move(message));
}

// Options that would weaken what the store promises, and options that would switch off checks of certificates.
Result<> checkOptions(const bson_t* options) {
  bson_iter_t at;
  bson_iter_init(&at, options);
  while (bson_iter_next(&at)) {
    std::string name = bson_iter_key(&at);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool isTrue = BSON_ITER_HOLDS_BOOL(&at) && bson_iter_bool(&at);
    const std::string text = BSON_ITER_HOLDS_UTF8(&at) ? bson_iter_utf8(&at, nullptr) : "";
    const bool weakens =
        (name == "w" && text != "majority") || (name == "journal" && !isTrue) || (name == "retrywrites" && !isTrue);
    if (weakens) return refused("the option " + name + " would weaken what is promised for writes: remove it");
    if ((name.starts_with("tlsallowinvalid") || name == "tlsinsecure" || name.starts_with("tlsdisable")) && isTrue) {
      return refused("the option " + name + " would switch off the check of certificates: remove it");
    }
  }
  return {};
}

}  // namespace

Result<MongoUri> parseMongoUri(std::string_view text) {
  if (!text.starts_with("mongodb://") && !text.starts_with("mongodb+srv://")) {
    return refused("it must begin with mongodb:// or mongodb+srv://");
  }
  mongo::initializeDriver();
  bson_error_t error{};
  const UriPtr uri(mongoc_uri_new_with_error(std::string(text).c_str(), &error));
  // The driver's message may hold parts of the address.
  if (!uri) return refused("it is not a valid address");
  RETURN_IF_ERROR(checkOptions(mongoc_uri_get_options(uri.get())));
  const mongoc_write_concern_t* concern = mongoc_uri_get_write_concern(uri.get());
  const bool otherWrites =
      concern != nullptr && !mongoc_write_concern_is_default(concern) && !mongoc_write_concern_get_wmajority(concern);
  if (otherWrites) return refused("the option w would weaken what is promised for writes: remove it");
  const mongoc_read_concern_t* concernOfReads = mongoc_uri_get_read_concern(uri.get());
  const char* level = concernOfReads != nullptr ? mongoc_read_concern_get_level(concernOfReads) : nullptr;
  if (level != nullptr && std::string_view(level) != "majority" && std::string_view(level) != "linearizable") {
    return refused("the option readConcernLevel would weaken what is promised for reads: remove it");
  }
  const mongoc_read_prefs_t* reads = mongoc_uri_get_read_prefs_t(uri.get());
  if (reads != nullptr && mongoc_read_prefs_get_mode(reads) != MONGOC_READ_PRIMARY) {
    return refused("the option readPreference must be primary: remove it");
  }
  const mongoc_host_list_t* hosts = mongoc_uri_get_hosts(uri.get());
  const bool direct = mongoc_uri_get_option_as_bool(uri.get(), MONGOC_URI_DIRECTCONNECTION, false);
  if (direct && hosts != nullptr && hosts->next != nullptr) {
    return refused("the option directConnection takes one host");
  }
  const char* database = mongoc_uri_get_database(uri.get());
  const std::string prefix = database != nullptr && *database != '\0' ? database : std::string(kDefaultDatabase);
  const bool plain = std::ranges::all_of(prefix, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!plain || prefix.size() > kMaxPrefix) {
    return refused(fmt::format("the database's name takes up to {} letters, digits, - and _", kMaxPrefix));
  }
  if (prefix == "admin" || prefix == "local" || prefix == "config") {
    return refused("the database \"" + prefix + "\" is the server's own: name another one");
  }
  std::string whole(text);
  const bool hasOptions = text.find('?') != std::string_view::npos;
  const bool hasPath = text.find('/', text.find("//") + 2) != std::string_view::npos;
  if (!hasOptions) whole += hasPath ? "?" : "/?";
  const auto add = [&](std::string_view option, std::string_view value) {
    if (mongoc_uri_has_option(uri.get(), std::string(option).c_str())) return;
    if (whole.back() != '?' && whole.back() != '&') whole += '&';
    whole += fmt::format("{}={}", option, value);
  };
  add("retryWrites", "true");
  add("serverSelectionTryOnce", "false");
  add("serverSelectionTimeoutMS", "2000");
  add("connectTimeoutMS", "3000");
  add("socketTimeoutMS", "30000");
  return MongoUri{std::move(whole), prefix};
}

}  // namespace mb::store
