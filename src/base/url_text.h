// Encodes text for URLs and forms.
#pragma once

#include <string>
#include <string_view>

namespace mb {

// `text` with all but the unreserved characters of RFC 3986 as %XX.
std::string percentEncoded(std::string_view text);
// Adds "name=value", encoded, to a URL's query.
void addQuery(std::string& url, std::string_view name, std::string_view value);
// Adds "name=value", encoded, to the body of a form.
void addField(std::string& form, std::string_view name, std::string_view value);

}  // namespace mb
