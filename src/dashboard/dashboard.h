// The dashboard as files: the single page application of web/, built by scripts/fetch-parts and embedded in the
// program. Does no HTTP. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mb::dashboard {

// The page of all screens. `root` is the path of the server's base URL, "" or "/prefix"; the page loads its files from
// below `<root>/dashboard/`, whatever the depth of its own address.
std::string indexPage(std::string_view root);

// A script, style sheet, font or text that the page loads. Its name contains a hash of its content.
struct Asset {
  std::string_view contentType;  // a literal; empty: the file does not exist
  std::string_view gzip;         // static data of the program
};
Asset findAsset(std::string_view file);

// The content of an asset for clients that do not accept gzip. nullopt if memory is short or the text is not gzip.
std::optional<std::string> inflate(std::string_view gzip);

}  // namespace mb::dashboard
