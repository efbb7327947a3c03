#include "vectors/source_text.h"

#include <algorithm>

#include "base/text.h"
#include "document/json.h"

namespace mb::vectors {

namespace {

constexpr size_t kMaxSourceFields = 20;

void appendValue(std::string& out, doc::ValueView value) {
  if (value.type() == doc::BsonType::string) {
    out += value.asString();
  } else if (value.isNumber() || value.type() == doc::BsonType::boolean) {
    doc::writeJsonValue(out, value);
  }
}

std::string valuesAt(doc::DocumentView document, const doc::FieldPath& path) {
  std::string all;
  const auto take = [&](doc::ValueView value) {
    std::string one;
    appendValue(one, value);
    if (one.empty() || all.size() > kMaxTextBytes) return;
    if (!all.empty()) all += ", ";
    all += one;
  };
  doc::walkPath(document, path, doc::Leaf::wholeOnly, [&](std::optional<doc::ValueView> value) {
    if (!value) return false;
    if (value->type() == doc::BsonType::array) {
      for (const doc::Element& each : value->asDocument()) take(each.value);
    } else {
      take(*value);
    }
    return false;
  });
  return all;
}

void cut(std::string& text) {
  if (text.size() <= kMaxTextBytes) return;
  size_t end = kMaxTextBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
}

}  // namespace

std::vector<SourceText::Piece> SourceText::piecesOf(std::string_view layout, const SourceConfig& source,
                                                    std::vector<ErrorDetail>& problems) {
  std::vector<Piece> pieces;
  std::string_view rest = layout;
  while (true) {
    const size_t begin = rest.find("{{");
    if (begin == std::string_view::npos) {
      pieces.push_back({std::string(rest), -1});
      return pieces;
    }
    const size_t end = rest.find("}}", begin);
    if (end == std::string_view::npos) {
      problems.push_back({"/template", "has a {{ without its }}"});
      return pieces;
    }
    const std::string name(trimmed(rest.substr(begin + 2, end - begin - 2), " "));
    const auto field = std::ranges::find(source.fields, name);
    if (field == source.fields.end()) {
      problems.push_back({"/template", fmt::format("names {{{{{}}}}}, which is not one of the fields", name)});
      return pieces;
    }
    pieces.push_back({std::string(rest.substr(0, begin)), static_cast<int>(field - source.fields.begin())});
    rest.remove_prefix(end + 2);
  }
}

std::vector<ErrorDetail> SourceText::problemsOf(const SourceConfig& source) {
  std::vector<ErrorDetail> problems;
  if (source.fields.empty() || source.fields.size() > kMaxSourceFields) {
    problems.push_back({"/fields", fmt::format("must name 1 to {} fields", kMaxSourceFields)});
    return problems;
  }
  for (size_t i = 0; i < source.fields.size(); ++i) {
    const std::string pointer = fmt::format("/fields/{}", i);
    if (const auto path = doc::FieldPath::parse(source.fields[i]); !path) {
      problems.push_back({pointer, path.error().message()});
    } else if (std::find(source.fields.begin(), source.fields.begin() + static_cast<ptrdiff_t>(i), source.fields[i]) !=
               source.fields.begin() + static_cast<ptrdiff_t>(i)) {
      problems.push_back({pointer, "is a duplicate: remove it"});
    }
  }
  if (!source.layout || !problems.empty()) return problems;
  if (source.layout->size() > kMaxLayoutBytes) {
    problems.push_back({"/template", fmt::format("must have at most {} bytes", kMaxLayoutBytes)});
    return problems;
  }
  const std::vector<Piece> pieces = piecesOf(*source.layout, source, problems);
  if (problems.empty() && pieces.size() == 1) problems.push_back({"/template", "names none of the fields"});
  return problems;
}

SourceText::SourceText(const SourceConfig& source) {
  for (const std::string& field : source.fields) paths_.push_back(*doc::FieldPath::parse(field));
  std::vector<ErrorDetail> none;
  if (source.layout) pieces_ = piecesOf(*source.layout, source, none);
}

std::string SourceText::of(doc::DocumentView document) const {
  std::vector<std::string> values;
  bool any = false;
  for (const doc::FieldPath& path : paths_) {
    values.push_back(valuesAt(document, path));
    any = any || !values.back().empty();
  }
  std::string text;
  if (!any) return text;
  if (pieces_.empty()) {
    for (const std::string& value : values) {
      if (value.empty()) continue;
      if (!text.empty()) text += '\n';
      text += value;
    }
  }
  for (const Piece& piece : pieces_) {
    text += piece.text;
    if (piece.placeholder >= 0) text += values[static_cast<size_t>(piece.placeholder)];
  }
  cut(text);
  return text;
}

}  // namespace mb::vectors
