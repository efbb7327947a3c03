// A SourceText extracts from a document the text that a field in mode auto embeds.
#pragma once

#include "document/path.h"
#include "vectors/vector_types.h"

namespace mb::vectors {

// Of one text; a longer one is truncated.
inline constexpr size_t kMaxTextBytes = 32 << 10;
inline constexpr size_t kMaxLayoutBytes = 4 << 10;

class SourceText {
 public:
  SourceText() = default;
  // All problems of `source`, paths relative to it.
  static std::vector<ErrorDetail> problemsOf(const SourceConfig& source);
  // REQUIRES: problemsOf(source) is empty.
  explicit SourceText(const SourceConfig& source);

  // Without a template the fields' values in their order, a line each; with one, the rendered template. "" if none of
  // the fields has a value. Values are strings, numbers and booleans; those of arrays are joined by ", ".
  std::string of(doc::DocumentView document) const;
  const std::vector<doc::FieldPath>& paths() const { return paths_; }

 private:
  struct Piece {
    std::string text;      // precedes the placeholder
    int placeholder = -1;  // index of the field whose value follows; -1 at the end
  };
  static std::vector<Piece> piecesOf(std::string_view layout, const SourceConfig& source,
                                     std::vector<ErrorDetail>& problems);

  std::vector<doc::FieldPath> paths_;
  std::vector<Piece> pieces_;  // empty without a template
};

}  // namespace mb::vectors
