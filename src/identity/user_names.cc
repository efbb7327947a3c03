#include "identity/user_names.h"

#include <unicode/normalizer2.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace mb::identity {

namespace {

// The block of combining diacritical marks.
constexpr UChar32 kFirstAccent = 0x300;
constexpr UChar32 kLastAccent = 0x36F;

std::optional<std::string> normalized(const icu::Normalizer2* normalizer, std::string_view text) {
  if (normalizer == nullptr) return std::nullopt;
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  normalizer->normalizeUTF8(0, {text.data(), static_cast<int32_t>(text.size())}, sink, nullptr, status);
  if (U_FAILURE(status)) return std::nullopt;
  return out;
}

std::string withoutAccents(std::string_view decomposed) {
  std::string out;
  const auto size = static_cast<int32_t>(decomposed.size());
  for (int32_t at = 0; at < size;) {
    const int32_t begin = at;
    UChar32 c = 0;
    U8_NEXT(decomposed.data(), at, size, c);
    if (c < kFirstAccent || c > kLastAccent) {
      out += decomposed.substr(static_cast<size_t>(begin), static_cast<size_t>(at - begin));
    }
  }
  return out;
}

}  // namespace

std::string nameKey(std::string_view name) {
  if (std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) return lowerAscii(name);
  if (!isUtf8(name)) return "";
  UErrorCode status = U_ZERO_ERROR;
  // Null only if ICU's data is missing.
  const auto folded = normalized(icu::Normalizer2::getNFKCCasefoldInstance(status), name);
  const auto decomposed = folded ? normalized(icu::Normalizer2::getNFDInstance(status), *folded) : std::nullopt;
  return decomposed ? withoutAccents(*decomposed) : "";
}

void setName(UserRecord& user, doc::Nullable<std::string> name) {
  user.name = std::move(name);
  user.nameKey.reset();
  if (user.name.value) user.nameKey = nameKey(*user.name.value);
}

std::optional<doc::Document> upgradedUser(doc::DocumentView record) {
  const auto name = record.find("name");
  if (!name || name->type() != doc::BsonType::string || record.find("nameKey")) return std::nullopt;
  doc::BsonWriter out(record.bytes().size() + name->asString().size() + 64);
  for (const doc::Element& element : record) out.append(element.key, element.value);
  out.appendString("nameKey", nameKey(name->asString()));
  return out.finish();
}

}  // namespace mb::identity
