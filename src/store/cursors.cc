#include "store/cursors.h"

#include <algorithm>

namespace mb::store {

namespace {

constexpr size_t kTimeBytes = 8;
// base64url of the longest position, sealed, with the time.
constexpr size_t kMaxCursor = (kMaxCursorPosition + 256) * 4 / 3;

MasterSecret randomSecret() {
  std::string bytes(32, '\0');
  fillRandom({reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
  return MasterSecret(Secret(std::move(bytes)));
}

bool joinsFilters(std::string_view key) {
  return key == "$and" || key == "$or" || key == "$nor" || key == "$elemMatch";
}

// Appends a value of the filter so that one text stands for it: numbers by value, and where the order of fields does
// not matter, in filters and among operators, by name. `filters`: it is a filter, or an array of filters.
void appendCanonical(std::string& out, doc::ValueView value, bool filters) {
  if (!value.isContainer()) {
    const auto integer = value.isNumber() ? value.toInteger() : std::nullopt;
    out += integer ? 'i' : static_cast<char>(value.type());
    out += integer ? fmt::format("{};", *integer) : fmt::format("{}:{}", value.raw().size(), value.raw());
    return;
  }
  const bool array = value.type() == doc::BsonType::array;
  std::vector<doc::Element> elements;
  for (const doc::Element& element : value.asDocument()) elements.push_back(element);
  const bool operators = !array && !elements.empty() && elements.front().key.starts_with('$');
  if (!array && (filters || operators)) std::ranges::sort(elements, {}, &doc::Element::key);
  out += array ? '[' : '{';
  for (const doc::Element& element : elements) {
    if (!array) out += fmt::format("{}:{}", element.key.size(), element.key);
    appendCanonical(out, element.value, array ? filters : joinsFilters(element.key));
  }
  out += array ? ']' : '}';
}

std::unexpected<Error> invalidCursor(const std::string& pointer, std::string_view why) {
  std::string message = fmt::format("{} {}", pointer, why);
  return fail(Error(ErrorCode::invalidCursor, std::move(message)).withDetail(pointer, std::string(why)));
}

}  // namespace

CursorQuery::CursorQuery(const CollectionRef& collection, const std::optional<doc::Document>& filter,
                         const std::vector<SortKey>& sort) {
  std::string text;
  if (filter && !filter->view().empty()) {
    const std::string_view bytes = filter->view().bytes();
    appendCanonical(text, doc::ValueView(doc::BsonType::document, bytes.data(), bytes.size()), true);
  }
  for (const SortKey& key : sort) text += fmt::format("|{}:{}{}", key.path.size(), key.path, key.direction);
  context_ = fmt::format("query cursor {} {} {}", collection.project, collection.number, toHex(sha256(text)));
}

Cursors::Cursors(const MasterSecret* master, const Clock& clock)
    : own_(master ? nullptr : std::make_unique<const MasterSecret>(randomSecret())),
      master_(master ? *master : *own_),
      clock_(clock) {}

Result<std::string> Cursors::seal(const CursorQuery& query, std::string_view position) const {
  if (position.size() > kMaxCursorPosition) {
    return fail(ErrorCode::payloadTooLarge,
                "the sort values of the last document are longer than 64 KiB: sort by other fields, or use another "
                "`limit`");
  }
  std::string plain(kTimeBytes, '\0');
  uint64_t time = static_cast<uint64_t>(clock_.now().ms);
  for (size_t i = kTimeBytes; i-- > 0; time >>= 8) plain[i] = static_cast<char>(time & 0xFF);
  plain += position;
  return toBase64Url(master_.seal(plain, query.context()));
}

Result<std::string> Cursors::open(const CursorQuery& query, std::string_view cursor, const std::string& pointer) const {
  constexpr std::string_view kForeign = "is not a cursor of this query";
  if (cursor.size() > kMaxCursor) return invalidCursor(pointer, kForeign);
  const auto sealed = fromBase64Url(cursor);
  if (!sealed) return invalidCursor(pointer, kForeign);
  const auto plain = master_.unseal(*sealed, query.context());
  if (!plain || plain->reveal().size() <= kTimeBytes) return invalidCursor(pointer, kForeign);
  uint64_t made = 0;
  for (const char byte : plain->reveal().substr(0, kTimeBytes)) made = made << 8 | static_cast<uint8_t>(byte);
  const auto age = std::chrono::milliseconds(clock_.now().ms - static_cast<int64_t>(made));
  if (age > kCursorLife) return invalidCursor(pointer, "has expired: begin with the first page");
  return std::string(plain->reveal().substr(kTimeBytes));
}

}  // namespace mb::store
