#include "document/pretty_json.h"

#include "document/json.h"

namespace mb::doc {

namespace {

void appendLine(std::string& out, size_t level) {
  out += '\n';
  out.append(2 * level, ' ');
}

void append(std::string& out, ValueView value, size_t level) {
  if (!value.isContainer() || value.asDocument().empty()) return writeJsonValue(out, value);
  const bool isArray = value.type() == BsonType::array;
  out += isArray ? '[' : '{';
  bool first = true;
  for (const Element& element : value.asDocument()) {
    if (!first) out += ',';
    first = false;
    appendLine(out, level + 1);
    if (!isArray) {
      writeJsonString(out, element.key);
      out += ": ";
    }
    append(out, element.value, level + 1);
  }
  appendLine(out, level);
  out += isArray ? ']' : '}';
}

}  // namespace

std::string toPrettyJson(ValueView value) {
  std::string out;
  append(out, value, 0);
  return out;
}

}  // namespace mb::doc
