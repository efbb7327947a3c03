#include "configuration/file_text.h"

#include "document/pretty_json.h"

namespace mb::configuration {

std::string fileText(doc::ValueView value) {
  return doc::toPrettyJson(value) + "\n";
}

std::string codeText(std::string_view code) {
  while (code.ends_with('\n') || code.ends_with('\r')) code.remove_suffix(1);
  return std::string(code) + "\n";
}

}  // namespace mb::configuration
